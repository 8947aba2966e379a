/** One line of an export, read at the door: what comes out of here is a record that the house could have written. */
import { hexDigestOf } from '../../foundation/digest.ts';
import { readJson, writeJson } from '../../foundation/json.ts';
import { refuse, yes, type Result } from '../../foundation/result.ts';
import { flawOf } from '../../domain/trail.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Copy, Head } from '../../stores/store.ts';
import { FooterShape, HeaderShape, HeadShape, LineShape } from './shape.ts';
import { FORMAT_VERSION, LINE_BYTES_MAX, splitLine, textOf } from './written-line.ts';

export interface LineProblem {
  readonly says: string;
  readonly column: number;
}

export type Footer = { readonly count: number; readonly sha256: string };

export type ReadLine =
  | { readonly kind: 'handoff'; readonly copy: Copy; readonly sha256: string }
  | ({ readonly kind: 'footer' } & Footer);

/** A record with its facts is larger than what one sender may send. */
const LINE_LIMITS = { bytesMax: LINE_BYTES_MAX, nodesMax: 10_000_000 };
/** What neither database can hold looks like this in JSON, and so do texts that only speak of it. */
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])/;

export function readText(bytes: Uint8Array): Result<string, LineProblem> {
  try {
    return yes(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuse({ says: 'not UTF-8 text', column: 1 });
  }
}

export function readHeader(text: string): Result<{ readonly exportedAt: string }, LineProblem> {
  const parsed = parse(text);
  const header = HeaderShape.safeParse(parsed.ok ? parsed.value : null);
  if (!header.success) {
    return refuse({ says: 'not an export of Baton: its first line is {"baton":"export","version":1,…}', column: 1 });
  }
  const { version, exportedAt } = header.data;
  if (version === FORMAT_VERSION) return yes({ exportedAt });
  const says = `this export has version ${version}, this Baton reads version ${FORMAT_VERSION}: install a newer Baton`;
  return refuse({ says, column: 1 });
}

export function readLine(text: string): Result<ReadLine, LineProblem> {
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  if (typeof parsed.value === 'object' && parsed.value !== null && 'end' in parsed.value)
    return readFooter(parsed.value);
  const split = splitLine(text);
  if (split === null) return wrong('the checksum of the line is missing at its end');
  if (hexDigestOf(split.text) !== split.sha256) return wrong('the line was changed: its checksum does not fit');
  const copy = readCopy(parsed.value);
  if (!copy.ok) return copy;
  if (textOf(copy.value) !== split.text) return wrong('written in another way than Baton writes it');
  const flaw = flawOf(copy.value.handoff, copy.value.facts);
  return flaw === null
    ? yes({ kind: 'handoff', copy: copy.value, sha256: split.sha256 })
    : wrong(`${copy.value.handoff.id} cannot be: ${flaw}`);
}

/** Only what tells whose line it is. Null: it is damaged, or not the line of a handoff. */
export function readHead(text: string): { readonly head: Head; readonly sha256: string } | null {
  const split = splitLine(text);
  if (split === null || hexDigestOf(split.text) !== split.sha256) return null;
  const parsed = parse(text);
  const line = HeadShape.safeParse(parsed.ok ? parsed.value : null);
  return line.success ? { head: line.data.handoff as Head, sha256: split.sha256 } : null;
}

function readFooter(value: object): Result<ReadLine, LineProblem> {
  const footer = FooterShape.safeParse(value);
  if (!footer.success) return wrong('the line that ends an export is {"end":true,"count":…,"sha256":"…"}');
  return yes({ kind: 'footer', count: footer.data.count, sha256: footer.data.sha256 });
}

function readCopy(value: unknown): Result<Copy, LineProblem> {
  const read = LineShape.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return wrong(`${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'unknown'}`);
  }
  const { handoff, facts } = read.data;
  const given = value as { readonly body: unknown; readonly outcome: unknown };
  const body = writeJson(given.body);
  if (!body.ok) return wrong(`body: ${body.refusal.says}`);
  const outcome = given.outcome === null ? null : writeJson(given.outcome);
  if (outcome?.ok === false) return wrong(`outcome: ${outcome.refusal.says}`);
  return yes({
    // Judged field by field just now: from here on they are names of ours.
    handoff: handoff as unknown as Handoff,
    body: body.value,
    outcome: outcome?.value ?? null,
    facts: facts.map((fact) => ({ handoff: handoff.id, ...fact }) as Fact),
  });
}

/** The quick way first; the slow one knows where it went wrong, and what a database would stumble over. */
function parse(text: string): Result<unknown, LineProblem> {
  if (!SUSPICIOUS.test(text)) {
    try {
      return yes(JSON.parse(text) as unknown);
    } catch {
      // The other reader says where.
    }
  }
  const read = readJson(text, LINE_LIMITS);
  if (read.ok) return yes(read.value.value);
  return refuse({ says: `not JSON: ${read.refusal.says}`, column: read.refusal.column });
}

function wrong(says: string): { readonly ok: false; readonly refusal: LineProblem } {
  return refuse({ says, column: 1 });
}
