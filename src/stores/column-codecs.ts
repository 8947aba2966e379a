/** Parts of a record that both databases store as text. A default value is stored as null, as in nearly every row. */
import { messageOf } from '../foundation/error-message.ts';
import { present } from '../foundation/assert.ts';
import { UnreadableRecord } from '../foundation/store-fault.ts';
import type { Claim } from '../domain/evidence.ts';
import { TOKEN_MARK, type BlockedOn, type Handoff, type Kind, type Lineage, type Terms } from '../domain/handoff.ts';
import type { HandoffId } from '../domain/names.ts';
import { flawOfNumbers, flawOfTerms } from '../domain/record-values.ts';
import { DEFAULT_TERMS } from '../domain/default-terms.ts';
import { BLOCKED_REASONS } from './stored-numbers.ts';

export function readBlockedOn(reasonNumber: number | null, text: string | null): BlockedOn | null {
  if (reasonNumber === null) return null;
  const reason = present(BLOCKED_REASONS[reasonNumber], 'a known reason');
  if (reason === 'question') return { reason, text: text ?? '' };
  if (reason === 'dependency' && text !== null) return { reason, failed: text as HandoffId };
  return { reason };
}

/**
 * The text that belongs to a state. One column is enough, because a state has only one of them: the question or failed
 * dependency of a blocked handoff, or the user or token that accepted it.
 */
export function writeStateText({ blockedOn, custody }: Handoff): string | null {
  if (blockedOn?.reason === 'question') return blockedOn.text;
  if (blockedOn?.reason === 'dependency') return blockedOn.failed ?? null;
  if (custody?.by !== 'hand') return null;
  return custody.token === undefined ? (custody.file ?? null) : `${TOKEN_MARK}${custody.token}`;
}

/** The inverse of `writeStateText` for a handoff that is held by hand. */
export function readHandCustody(text: string | null): { readonly file?: string; readonly token?: string } {
  if (text === null) return {};
  return text.startsWith(TOKEN_MARK) ? { token: text.slice(TOKEN_MARK.length) } : { file: text };
}

export function writeLineage(lineage: Lineage): string | null {
  const { root, parent, retryOf, hops, imported } = lineage;
  const plain = root === null && parent === null && retryOf === null && hops === 0 && imported === undefined;
  return plain ? null : JSON.stringify(lineage);
}

const DEFAULT_TEXTS: Record<Kind, string> = {
  queue: JSON.stringify(DEFAULT_TERMS.queue),
  document: JSON.stringify(DEFAULT_TERMS.document),
};

export function writeTerms(kind: Kind, terms: Terms): string | null {
  if (terms === DEFAULT_TERMS[kind]) return null;
  const text = JSON.stringify(terms);
  return text === DEFAULT_TEXTS[kind] ? null : text;
}

/** Most senders use few different terms, so each text is parsed once, frozen and shared. */
const termsOfText = new Map<string, Terms>();
const TERMS_REMEMBERED_MAX = 500;

/** Rounds fractional milliseconds, which older versions stored, and refuses values that a decision cannot calculate with. */
export function readTerms(text: string): Terms {
  const known = termsOfText.get(text);
  if (known !== undefined) return known;
  if (termsOfText.size >= TERMS_REMEMBERED_MAX) termsOfText.clear();
  const terms = JSON.parse(text, wholeMilliseconds) as Terms;
  if (terms === null || typeof terms !== 'object') throw new Error('terms are no object');
  const flaw = flawOfTerms(terms);
  if (flaw !== null) throw new Error(`${flaw.field} is ${flaw.given}`);
  termsOfText.set(text, terms);
  return terms;
}

function wholeMilliseconds(key: string, part: unknown): unknown {
  return typeof part === 'number' && key.endsWith('Ms') ? Math.round(part) : Object.freeze(part);
}

export function readLineage(text: string): Lineage {
  const lineage = JSON.parse(text) as Lineage | null;
  if (typeof lineage?.hops !== 'number') throw new Error('the lineage is not one');
  return lineage;
}

export function readClaims(text: string): readonly Claim[] {
  const claims: unknown = JSON.parse(text);
  if (!Array.isArray(claims)) throw new Error('the claims are no list');
  return claims as readonly Claim[];
}

/** Returns the record if its values are valid; otherwise throws an `UnreadableRecord` with its id and the flaw. */
export function checkedRow(id: unknown, read: () => Handoff): Handoff {
  try {
    const handoff = read();
    const flaw = flawOfNumbers(handoff);
    if (flaw === null) return handoff;
    throw new Error(`${flaw.field} is ${flaw.given}`);
  } catch (error) {
    throw new UnreadableRecord(String(id), messageOf(error), { cause: error });
  }
}

/** What `baton doctor` reports about a record that cannot be read. Null: it can be read. */
export function damageText(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof UnreadableRecord) return `${error.id} cannot be read (${error.says}); nobody can claim it`;
    throw error;
  }
}

/** How many damaged records one query skips; beyond that `baton doctor` is needed. */
export const DAMAGED_MAX = 10_000;

/** Selects more rows when some of the first ones cannot be read. */
export function enoughReadable<Row, Read>(
  max: number,
  select: (limit: number) => readonly Row[],
  read: (row: Row) => Read,
): readonly Read[] {
  for (let limit = max; ; limit = nextLimit(limit)) {
    const rows = select(limit);
    const items = readableOf(rows, read);
    if (items.length >= max || rows.length < limit || limit >= DAMAGED_MAX) return items.slice(0, max);
  }
}

/** `enoughReadable` for a database behind a connection. */
export async function enoughReadableAsync<Row, Read>(
  max: number,
  select: (limit: number) => Promise<readonly Row[]>,
  read: (row: Row) => Read,
): Promise<readonly Read[]> {
  for (let limit = max; ; limit = nextLimit(limit)) {
    const rows = await select(limit);
    const items = readableOf(rows, read);
    if (items.length >= max || rows.length < limit || limit >= DAMAGED_MAX) return items.slice(0, max);
  }
}

export function nextLimit(limit: number): number {
  return Math.min(DAMAGED_MAX, limit * 4 + 16);
}

/** The rows that can be read. For lists and queues: one damaged record must not hide the others. */
export function readableOf<Row, Read>(rows: readonly Row[], read: (row: Row) => Read): readonly Read[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (error instanceof UnreadableRecord) return [];
      throw error;
    }
  });
}
