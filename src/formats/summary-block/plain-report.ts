/**
 * The plain form, for agents that end without a block: a heading `… COMPLETE` and below it a line `**Next Agent:** …`, both
 * outside of quotes and code. The word alone is no status, because prose calls many things complete.
 */
import type { Json } from '../../foundation/json.ts';
import { readAgentId } from '../../domain/names.ts';
import { proseLines, type ProseLine } from './find.ts';
import type { BlockFields, BlockProblem } from './read.ts';
import { isNobodyLike, phaseLike } from './vocabulary.ts';

export interface PlainReport {
  readonly fields: BlockFields;
  readonly line: number;
  readonly warnings: readonly BlockProblem[];
}

const LINE_CHARS_MAX = 400;
const HEADING = /^#{1,6}[ \t]+(.*?)[ \t]*\bCOMPLETE\b[ \t!.*_:#✅🎉]*$/u;
/** A heading with one of these words does not say that the work is done. */
const DOUBT = /\b(?:NOT|NEVER|NEARLY|ALMOST|PARTIALLY|PARTLY|MOSTLY|HALF|UNTIL|WHEN|IF|BEFORE|ONCE|TO BE)\b|[\d%?/]/i;
const NEXT = /^(?:\*\*|__)[ \t]*Next Agent[ \t]*:?[ \t]*(?:\*\*|__)[ \t]*:?[ \t]*(.*)$/i;
const RESULT =
  /^(?:✅|✔️?|☑️?|❌|✖️?|⚠️?|ℹ️?|📊|⏱️?)[ \t]*\*{0,2}([^:*]{1,80}?)\*{0,2}[ \t]*:[ \t]*\*{0,2}[ \t]*(.+)$/u;

/** The last report of a text: it replaces those before it. */
export function readPlainReport(markdown: string): PlainReport | null {
  if (!markdown.includes('COMPLETE') || !/next agent/i.test(markdown)) return null;
  const lines = proseLines(markdown).filter(({ text }) => text.length <= LINE_CHARS_MAX);
  const nextAt = lines.findLastIndex(({ text }) => NEXT.test(text));
  const next = lines[nextAt];
  if (next === undefined) return null;
  const headingAt = lines
    .slice(0, nextAt)
    .findLastIndex(({ text }) => /^#{1,6}[ \t]/.test(text) && text.includes('COMPLETE'));
  const heading = lines[headingAt];
  const title = heading === undefined ? undefined : HEADING.exec(heading.text)?.[1];
  if (heading === undefined || title === undefined || DOUBT.test(title)) return null;

  const report = lines.slice(headingAt, nextAt + 1).map(({ text }) => text);
  const named = nextOf(next);
  const fields: BlockFields = {
    phase: phaseOf(title),
    from: null,
    to: named.to,
    status: 'complete',
    retryCount: 0,
    metrics: Object.fromEntries(report.flatMap(resultIn)),
    dependencies: [],
    onFailure: null,
    context: {},
    toldAt: null,
    form: 'weak',
    text: report.join('\n'),
    project: null,
    leg: null,
    fence: null,
    waitsFor: null,
    unread: {},
  };
  const unnamed: BlockProblem = { line: next.line, column: next.column, field: 'to', says: 'names no agent' };
  return { fields, line: heading.line, warnings: named.understood ? [] : [unnamed] };
}

/** A phase of ours where the title is its name (`TESTING COMPLETE`), otherwise the title. */
function phaseOf(title: string): string | null {
  const words = title.replaceAll(/[^\p{L}\p{N} &-]/gu, '').trim();
  return phaseLike(words) ?? phaseLike(words.replace(/ PHASE$/i, '')) ?? (words === '' ? null : words);
}

function nextOf({ text }: ProseLine): { readonly to: string | null; readonly understood: boolean } {
  const said = (NEXT.exec(text)?.[1] ?? '')
    .replace(/\s*\([^)]*\)\s*$/, '')
    .replaceAll(/[`*"]/g, '')
    .trim();
  if (isNobodyLike(said)) return { to: null, understood: true };
  const to = readAgentId(said);
  return { to, understood: to !== null };
}

/** `✅ Tests passed: 25/25` → tests_passed. */
function resultIn(text: string): readonly (readonly [string, Json])[] {
  const [, label, value] = RESULT.exec(text) ?? [];
  if (label === undefined || value === undefined) return [];
  const key = label
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '');
  if (key === '' || ['__proto__', 'constructor', 'prototype'].includes(key)) return [];
  const plain = value.trim();
  return [[key, /^-?\d{1,15}(?:\.\d+)?$/.test(plain) ? Number(plain) : plain]];
}
