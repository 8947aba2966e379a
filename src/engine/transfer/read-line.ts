/** Reads one line of an export, and refuses a record that Baton could not have written. */
import { parseExact } from '../../foundation/exact-json.ts';
import { hexDigestOf } from '../../foundation/digest.ts';
import { readJson, writeJson } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { assuranceAfter } from '../../domain/assurance.ts';
import { flawOf } from '../../domain/trail.ts';
import { FACT } from '../../domain/facts.ts';
import { HANDOFF } from '../../domain/handoff.ts';
import { fieldsOf, type RecordFields } from '../../domain/record-fields.ts';
import type { Copy, Head, ScheduleRecord } from '../../stores/store.ts';
import { readSchedule } from './schedule-line.ts';
import { firstIssue, FooterShape, HeaderShape, HeadShape, LineShape } from './line-shape.ts';
import type { RawLine } from './lines.ts';
import { FORMAT_VERSION, LINE_BYTES_MAX, splitLine, textOf, type Footer } from './write-line.ts';
import { issueText } from '../../formats/issue-text.ts';

export interface LineProblem {
  readonly says: string;
  readonly column: number;
}

export type ReadLine =
  | { readonly kind: 'handoff'; readonly copy: Copy; readonly sha256: string }
  | { readonly kind: 'schedule'; readonly record: ScheduleRecord; readonly sha256: string }
  | ({ readonly kind: 'footer' } & Footer);

/** Larger than the limits of a send, because a line contains all facts. */
const LINE_LIMITS = { bytesMax: LINE_BYTES_MAX, nodesMax: 10_000_000, keepsIntegers: true };
/** May be an escape of a character that no database can store, or only the text of such an escape. */
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])/;

export function readText(bytes: Uint8Array): Result<string, LineProblem> {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return err({ says: 'not UTF-8 text', column: 1 });
  }
}

export function readHeader(text: string): Result<{ readonly exportedAt: string }, LineProblem> {
  const parsed = parse(text);
  const header = HeaderShape.safeParse(parsed.ok ? parsed.value : null);
  if (!header.success) {
    return err({ says: 'not an export of Baton: its first line is {"baton":"export","version":1,…}', column: 1 });
  }
  const { version, exportedAt } = header.data;
  if (version === FORMAT_VERSION) return ok({ exportedAt });
  const says = `this export has version ${version}, this Baton reads version ${FORMAT_VERSION}: install a newer Baton`;
  return err({ says, column: 1 });
}

export function readLine(text: string): Result<ReadLine, LineProblem> {
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const value = typeof parsed.value === 'object' && parsed.value !== null ? parsed.value : {};
  if ('end' in value) return readFooter(value);
  const split = splitLine(text);
  if (split === null) return wrong('the checksum of the line is missing at its end');
  const { sha256 } = split;
  if (hexDigestOf(split.text) !== sha256) return wrong('the line was changed: its checksum does not match');
  if ('schedule' in value) {
    const schedule = readSchedule(value, split.text);
    return schedule.ok ? ok({ kind: 'schedule', record: schedule.value, sha256 }) : wrong(schedule.refusal);
  }
  const copy = readCopy(parsed.value, text);
  if (!copy.ok) return copy;
  if (textOf(copy.value) !== split.text) return wrong('not in the form in which Baton writes it');
  const whole = { ...copy.value, handoff: withAssurance(copy.value) };
  const flaw = flawOf(whole.handoff, whole.facts, whole.body);
  return flaw === null
    ? ok({ kind: 'handoff', copy: whole, sha256 })
    : wrong(`${whole.handoff.id} is not valid: ${flaw}`);
}

/** An export of an older version has no assurance. */
function withAssurance({ handoff, facts }: Copy): Copy['handoff'] {
  const last = facts.at(-1);
  const said = handoff.assurance ?? null;
  return { ...handoff, assurance: said ?? (last === undefined ? null : assuranceAfter(handoff, last)) };
}

/** The text of a complete line. Null: the line is truncated or damaged. */
export function wholeText(raw: RawLine): string | null {
  const text = raw.ended && !raw.tooLong ? readText(raw.bytes) : null;
  return text?.ok === true ? text.value : null;
}

/** Reads only which handoff the line contains. Null: the line is damaged, or not of a handoff. */
export function readHead(text: string): { readonly head: Head; readonly sha256: string } | null {
  const split = splitLine(text);
  if (split === null || hexDigestOf(split.text) !== split.sha256) return null;
  const parsed = parse(text);
  const line = HeadShape.safeParse(parsed.ok ? parsed.value : null);
  return line.success ? { head: line.data.handoff as unknown as Head, sha256: split.sha256 } : null;
}

function readFooter(value: object): Result<ReadLine, LineProblem> {
  const footer = FooterShape.safeParse(value);
  if (!footer.success) return wrong('the line that ends an export is {"end":true,"count":…,"sha256":"…"}');
  const { count, schedules = 0, sha256 } = footer.data;
  return ok({ kind: 'footer', count, schedules, sha256 });
}

function readCopy(value: unknown, text: string): Result<Copy, LineProblem> {
  const read = LineShape.safeParse(value, { error: issueText });
  if (!read.success) return wrong(firstIssue(read.error));
  const handoff = withUsual(HANDOFF, read.data.handoff);
  const given = parseExact(text, value) as { readonly body: unknown; readonly outcome: unknown };
  const body = writeJson(given.body);
  if (!body.ok) return wrong(`body: ${body.refusal.says}`);
  const outcome = given.outcome === null ? null : writeJson(given.outcome);
  if (outcome?.ok === false) return wrong(`outcome: ${outcome.refusal.says}`);
  return ok({
    handoff,
    body: body.value,
    outcome: outcome?.value ?? null,
    facts: read.data.facts.map((fact) => withUsual(FACT, { handoff: handoff.id, ...fact })),
  });
}

/** Adds defaults for fields that older lines lack. The schema has checked all other fields. */
function withUsual<Thing>(fields: RecordFields<Thing>, read: object): Thing {
  const usual = fieldsOf(fields).filter(({ columns }) => columns === null);
  return { ...Object.fromEntries(usual.map((field) => [field.name, field.defaultValue])), ...read } as Thing;
}

/** The fast parser first; the slow one reports where the text is wrong, and refuses what no database can store. */
function parse(text: string): Result<unknown, LineProblem> {
  if (!SUSPICIOUS.test(text)) {
    try {
      return ok(JSON.parse(text) as unknown);
    } catch {
      // The slow parser reports where.
    }
  }
  const read = readJson(text, LINE_LIMITS);
  if (read.ok) return ok(read.value.value);
  return err({ says: `not JSON: ${read.refusal.says}`, column: read.refusal.column });
}

function wrong(says: string): { readonly ok: false; readonly refusal: LineProblem } {
  return err({ says, column: 1 });
}
