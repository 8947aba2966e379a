/**
 * Changes only the named keys of a document: comments, order, spacing, other sections, line endings and a byte order mark
 * stay byte for byte. Values are replaced in place.
 */
import { assert } from '../../foundation/assert.ts';
import { readEntries, type Entry } from './entries.ts';
import { endOfLine, type FrontMatter } from './front-matter.ts';
import { FIELD_NAMES, type FieldName } from './schema.ts';
import { SECTIONS, TIMELINE, timelineText } from './write.ts';
import { keyText, valueText, type YamlValue } from './yaml-text.ts';

/** An undefined key stays as it is. */
export type DocumentChanges = { readonly [key: string]: YamlValue | undefined };

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Only for a text that `readDocument` could read. */
export function editDocument(text: string, changes: DocumentChanges): string {
  const { frontMatter, entries, problems } = readEntries(text);
  assert(frontMatter !== null && problems.length === 0, 'only what can be read is edited');
  const known = new Map(entries.map((entry) => [entry.key, entry]));
  const wanted = Object.entries(changes).flatMap(([key, value]) => {
    if (value === undefined || isSame(known.get(key)?.value, value)) return [];
    return [{ key, value, entry: known.get(key) }];
  });
  if (wanted.length === 0) return text;
  const splices = wanted.map(({ key, value, entry }) => {
    return entry === undefined ? insertion(text, frontMatter, entries, key, value) : replacement(text, entry, value);
  });
  const inBody = wanted.flatMap(({ key, value, entry }) => bodySplice(text, frontMatter, key, entry?.value, value));
  const edited = applySplices(text, [...splices, ...inBody], frontMatter.lineEnd);
  assertOnlyRequestedChanges(edited, entries, changes);
  return edited;
}

function isSame(before: YamlValue | undefined, after: YamlValue): boolean {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(after);
}

function replacement(text: string, { colonAt, valueFrom, valueTo }: Entry, value: YamlValue): Splice {
  const written = valueText(value);
  const head = text.slice(colonAt, endOfLine(text, colonAt));
  const isInLine = valueFrom <= endOfLine(text, colonAt) && !text.slice(valueFrom, valueTo).includes('\n');
  if (isInLine && !written.includes('\n')) {
    // The spacing between colon and value is the writer's; an empty value has none.
    return valueFrom === valueTo
      ? { from: colonAt, to: colonAt, text: written }
      : { from: valueFrom, to: valueTo, text: written.slice(1) };
  }
  const comment = isInLine ? commentIn(text, valueTo) : /^[ \t]*(#[^\r\n]*)/.exec(head)?.[1];
  const to = isInLine ? endOfContent(text, endOfLine(text, colonAt)) : endOfContent(text, valueTo);
  return { from: colonAt, to, text: comment === undefined ? written : withComment(written, comment) };
}

function commentIn(text: string, from: number): string | undefined {
  return /^[ \t]+(#[^\r\n]*)/.exec(text.slice(from, endOfLine(text, from)))?.[1];
}

/** Puts the comment behind the key again. */
function withComment(written: string, comment: string): string {
  const end = written.indexOf('\n');
  if (end === -1) return `${written} ${comment}`;
  return `${written.slice(0, end)} ${comment}${written.slice(end)}`;
}

/** Leaves out the line ends at the end of the value. */
function endOfContent(text: string, to: number): number {
  let end = to;
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1;
  return end;
}

/** Behind the field that it follows in the specification, or at the end. */
function insertion(
  text: string,
  { to }: FrontMatter,
  entries: readonly Entry[],
  key: string,
  value: YamlValue,
): Splice {
  const place = FIELD_NAMES.indexOf(key as FieldName);
  const before = place === -1 ? [] : FIELD_NAMES.slice(0, place).toReversed();
  const [neighbour] = before.flatMap((name) => entries.find((entry) => entry.key === name) ?? []);
  const at = neighbour === undefined ? to : Math.min(to, endOfLine(text, endOfContent(text, neighbour.valueTo)) + 1);
  return { from: at, to: at, text: `${keyText(key)}:${valueText(value)}\n` };
}

/** The part of the body that tells the key is rewritten only where it is still the one that we wrote. */
function bodySplice(
  text: string,
  { bodyFrom, lineEnd }: FrontMatter,
  key: string,
  before: YamlValue | undefined,
  after: YamlValue,
): readonly Splice[] {
  const label = TIMELINE[key as FieldName];
  const line = label === undefined ? undefined : (value: YamlValue | undefined) => `${label}${timelineText(value)}`;
  const part = line ?? SECTIONS[key as FieldName];
  if (part === undefined) return [];
  // A line ends with white space, a section before the next heading or at the end of the text.
  const isEnd = line === undefined ? /^\s*(?:\n#|$)/ : /^[^\S\n]*(?:\n|$)/;
  const written = part(before).replaceAll('\n', lineEnd);
  for (let from = text.indexOf(written, bodyFrom); from !== -1; from = text.indexOf(written, from + 1)) {
    const to = from + written.length;
    if (text[from - 1] === '\n' && isEnd.test(text.slice(to))) return [{ from, to, text: part(after) }];
  }
  return [];
}

/** Applies the last splice first, so that offsets hold; splices at one place keep their order. */
function applySplices(text: string, splices: readonly Splice[], lineEnd: string): string {
  const backwards = splices.map((splice, index) => ({ splice, index }));
  backwards.sort((a, b) => b.splice.from - a.splice.from || b.index - a.index);
  return backwards.reduce((whole, { splice }) => {
    const own = lineEnd === '\n' ? splice.text : splice.text.replaceAll('\n', lineEnd);
    return whole.slice(0, splice.from) + own + whole.slice(splice.to);
  }, text);
}

/** Reads the edited text: the named keys are as wanted, and no other key has changed. */
function assertOnlyRequestedChanges(edited: string, before: readonly Entry[], changes: DocumentChanges): void {
  const { entries, problems } = readEntries(edited);
  const now = new Map(entries.map(({ key, value }) => [key, value]));
  const wrong = Object.entries(changes).some(([key, value]) => value !== undefined && !isSame(now.get(key), value));
  const lost = before.some(({ key, value }) => changes[key] === undefined && !isSame(now.get(key), value));
  assert(problems.length === 0 && !wrong && !lost, 'an edit changes what was asked for and nothing else');
}
