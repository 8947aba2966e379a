/** Reads `key: value` lines of a text that is almost YAML. Indentation makes paths, and nothing is refused. */
import { FIELDS_MAX, linesOf } from './lines.ts';
import type { Field, Form } from './legacy-reading.ts';

const PAIR = /^([ \t]*)(- +)?["']?([\p{L}_@$][\p{L}\p{N} _./@$-]{0,80}?)["']?[ \t]*:(?:[ \t]+(.*)|)$/u;
const ITEM = /^[ \t]*- +(.*)$/;
const LINE_MAX = 20_000;

export function looseFields(text: string, firstLine: number, form: Form): readonly Field[] {
  const fields: Field[] = [];
  const above: { readonly indent: number; readonly key: string }[] = [];
  const lines = linesOf(text);
  let items = 0;
  /** A line `---` begins another document of the same file. */
  let part = 0;
  const pathHere = (): string => (part === 0 ? '' : `[${part}].`) + above.map(({ key }) => key).join('.');
  for (let index = 0; index < lines.length && fields.length < FIELDS_MAX; index += 1) {
    const line = (lines[index] ?? '').slice(0, LINE_MAX);
    if (/^---\s*$/.test(line) && fields.length > 0) {
      above.length = 0;
      part += 1;
      continue;
    }
    const pair = PAIR.exec(line);
    if (pair === null || /^\s*#/.test(line)) {
      const item = ITEM.exec(line)?.[1];
      const parent = above.at(-1);
      if (item === undefined || parent === undefined) continue;
      const path = `${pathHere()}[${items}]`;
      fields.push({ key: parent.key, path, text: unquoted(item), line: firstLine + index, form });
      items += 1;
      continue;
    }
    const indent = (pair[1] ?? '').length + (pair[2] ?? '').length;
    while (above.length > 0 && (above.at(-1)?.indent ?? 0) >= indent) above.pop();
    const key = (pair[3] ?? '').trim();
    above.push({ indent, key });
    items = 0;
    const said = (pair[4] ?? '').trim();
    const at = firstLine + index;
    if (/^[|>][-+0-9]*$/.test(said)) {
      const block = blockBelow(lines, index + 1, indent);
      fields.push({ key, path: pathHere(), text: block.text, line: at, form });
      index += block.count;
    } else if (said !== '') fields.push({ key, path: pathHere(), text: unquoted(said), line: at, form });
  }
  return fields;
}

function blockBelow(lines: readonly string[], from: number, indent: number): { text: string; count: number } {
  let to = from;
  for (; to < lines.length; to += 1) {
    const line = lines[to] ?? '';
    if (line.trim() !== '' && line.length - line.trimStart().length <= indent) break;
  }
  const text = lines.slice(from, to).map((line) => line.trim());
  return { text: text.join('\n').trim(), count: to - from };
}

/** A comment behind a value is not part of it, but `#12` is. */
function unquoted(text: string): string {
  const quoted = /^(["'])(.*)\1\s*(?:#.*)?$/.exec(text);
  if (quoted !== null) return quoted[2] ?? '';
  const comment = text.search(/\s#(?:\s|$)/);
  return (comment < 0 ? text : text.slice(0, comment)).trim();
}
