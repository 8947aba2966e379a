/**
 * Writes a handoff as one line of an export. The same record is the same text from every database, so lines and whole
 * exports can be compared by checksum; a line in any other form is refused.
 */
import { parseExact, printExact } from '../../foundation/exact-json.ts';
import { hexDigestOf } from '../../foundation/digest.ts';
import { FACT } from '../../domain/facts.ts';
import { HANDOFF } from '../../domain/handoff.ts';
import { fieldsOf, type RecordFields } from '../../domain/record-fields.ts';
import { orderFields } from '../../domain/field-shapes.ts';
import type { Copy } from '../../stores/store.ts';

export const FORMAT_VERSION = 1;

/** Enough for the largest body, the largest outcome and a long trail. */
export const LINE_BYTES_MAX = 64 * 1024 * 1024;

export interface WrittenLine {
  readonly text: string;
  readonly sha256: string;
}

export function headerLine(exportedAtMs: number): string {
  return JSON.stringify({ baton: 'export', version: FORMAT_VERSION, exportedAt: new Date(exportedAtMs).toISOString() });
}

/** The last line of an export. `count`: handoffs. */
export interface Footer {
  readonly count: number;
  readonly schedules: number;
  readonly sha256: string;
}

export function footerLine({ count, schedules, sha256 }: Footer): string {
  return JSON.stringify({ end: true, count, ...(schedules === 0 ? {} : { schedules }), sha256 });
}

export function writeLine(copy: Copy): WrittenLine {
  return withChecksum(textOf(copy));
}

/** A JSON object with the digest of its text at its end. */
export function withChecksum(text: string): WrittenLine {
  const sha256 = hexDigestOf(text);
  return { text: `${text.slice(0, -1)},"sha256":"${sha256}"}`, sha256 };
}

/** The line without its checksum. Body and outcome are normalized, without the original spacing. */
export function textOf({ handoff, body, outcome, facts }: Copy): string {
  const parts = [
    `"handoff":${JSON.stringify(handoffParts(handoff))}`,
    `"body":${plain(body)}`,
    `"outcome":${outcome === null ? 'null' : plain(outcome)}`,
    `"facts":[${facts.map((fact) => JSON.stringify(factParts(fact))).join(',')}]`,
  ];
  return `{${parts.join(',')}}`;
}

/** Splits off the checksum. Null: the line does not end with one. */
export function splitLine(line: string): { readonly text: string; readonly sha256: string } | null {
  const found = CHECKSUM.exec(line.slice(-CHECKSUM_LENGTH));
  if (found?.[1] === undefined) return null;
  return { text: `${line.slice(0, -CHECKSUM_LENGTH)}}`, sha256: found[1] };
}

const CHECKSUM = /^,"sha256":"([0-9a-f]{64})"\}$/;
const CHECKSUM_LENGTH = ',"sha256":""}'.length + 64;

function plain(text: string): string {
  return printExact(parseExact(text)) ?? '';
}

/** In the order of the descriptions. A field without a column is omitted if it has its default, as in older exports. */
const handoffParts = exportCopy(HANDOFF);
/** Without the id of the handoff, which the record has. */
const factParts = exportCopy(FACT);

function exportCopy<Thing extends object>(fields: RecordFields<Thing>): (thing: Thing) => unknown {
  const parts = fieldsOf(fields)
    .filter(({ exported }) => exported)
    .map(({ name, shape, columns, defaultValue: usual }) => ({
      name: name as keyof Thing & string,
      copy: orderFields(shape),
      leftOut: columns === null ? usual : undefined,
    }));
  return (thing) => {
    const made: Record<string, unknown> = {};
    for (const { name, copy, leftOut } of parts) {
      const value: unknown = thing[name];
      if (value !== undefined && value !== leftOut) made[name] = copy(value);
    }
    return made;
  };
}

/** The sum of the checksums of lines, independent of their order. Unlike XOR, it detects a repeated line. */
export function totalOf(): { add(sha256: string): void; hex(): string } {
  let sum = 0n;
  return {
    add: (sha256) => {
      sum = BigInt.asUintN(256, sum + BigInt(`0x${sha256}`));
    },
    hex: () => sum.toString(16).padStart(64, '0'),
  };
}
