/** Parts of a record that both databases write as text. What equals the default is null, as in nearly every row. */
import { assert, present } from '../foundation/assert.ts';
import type { BlockedOn, Handoff, Kind, Lineage, Terms } from '../domain/handoff.ts';
import { DEFAULT_TERMS } from '../domain/terms.ts';
import { BLOCKED_REASONS } from './numbers.ts';

export function readBlockedOn(reasonNumber: number | null, text: string | null): BlockedOn | null {
  if (reasonNumber === null) return null;
  const reason = present(BLOCKED_REASONS[reasonNumber], 'a known reason');
  return reason === 'question' ? { reason, text: text ?? '' } : { reason };
}

/**
 * What goes with a state in words, in one column because a state has only one of them: the question of what is blocked,
 * the user of the program that has what is accepted, or the token that it was taken with.
 */
export function writeStateText({ blockedOn, custody }: Handoff): string | null {
  if (blockedOn?.reason === 'question') return blockedOn.text;
  if (custody?.by !== 'hand') return null;
  return custody.token === undefined ? (custody.file ?? null) : `${TOKEN_MARK}${custody.token}`;
}

/** No user of a program is called like this: they are user ids. */
const TOKEN_MARK = 'token:';

/** The other way round, for what is held by hand. */
export function readHolding(text: string | null): { readonly file?: string; readonly token?: string } {
  if (text === null) return {};
  return text.startsWith(TOKEN_MARK) ? { token: text.slice(TOKEN_MARK.length) } : { file: text };
}

export function writeLineage(lineage: Lineage): string | null {
  const plain = lineage.root === null && lineage.parent === null && lineage.retryOf === null && lineage.hops === 0;
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

/** Most senders use a handful of terms: each text is parsed once, frozen and shared. */
const termsOfText = new Map<string, Terms>();
const TERMS_REMEMBERED_MAX = 500;

export function readTerms(text: string): Terms {
  const known = termsOfText.get(text);
  if (known !== undefined) return known;
  if (termsOfText.size >= TERMS_REMEMBERED_MAX) termsOfText.clear();
  const terms = JSON.parse(text, (_key, part: unknown) => Object.freeze(part)) as Terms;
  assert(Array.isArray(terms.dependsOn), 'terms are written by us');
  termsOfText.set(text, terms);
  return terms;
}
