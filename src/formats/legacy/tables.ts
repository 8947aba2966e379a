/** Fields of tables: two columns are keys and values; a table with one row has its keys in the head. */
import { meaningsOf } from './keys.ts';
import { plainText } from './plain-text.ts';
import type { Field } from './legacy-reading.ts';

const ROWS_MAX = 500;

export function isRow(line: string): boolean {
  const trimmed = line.trim();
  return trimmed.startsWith('|') && trimmed.indexOf('|', 1) > 0;
}

/** `index` is the first row of a table. */
export function tableFields(lines: readonly string[], index: number): readonly Field[] {
  const rows: { readonly cells: readonly string[]; readonly line: number }[] = [];
  let ruleAt = -1;
  for (let at = index; at < lines.length && at - index < ROWS_MAX && isRow(lines[at] ?? ''); at += 1) {
    const cells = cellsOf(lines[at] ?? '');
    if (cells.every((cell) => /^:?-{2,}:?$|^-$/.test(cell))) ruleAt = rows.length;
    else rows.push({ cells, line: at + 1 });
  }
  const head = ruleAt === 1 ? rows[0] : undefined;
  const body = head === undefined ? rows : rows.slice(1);
  if (head !== undefined && body.length === 1 && head.cells.filter(hasRole).length >= 2) {
    const [row] = body;
    return head.cells.map((key, column) => fieldOf(key, row?.cells[column] ?? '', row?.line ?? 0));
  }
  const pairs = body.filter(({ cells }) => cells.length === 2);
  // Some people write the first pair into the head.
  const isPair = head !== undefined && head.cells.length === 2 && hasRole(head.cells[0] ?? '');
  const first = isPair && pairs.some(({ cells }) => hasRole(cells[0] ?? '')) ? [head] : [];
  return [...first, ...pairs].map(({ cells, line }) => fieldOf(cells[0] ?? '', cells[1] ?? '', line));
}

function cellsOf(line: string): readonly string[] {
  const cells = line.trim().replaceAll('\\|', '\u0001').split('|').slice(1);
  if (line.trimEnd().endsWith('|')) cells.pop();
  return cells.map((cell) => plainText(cell.replaceAll('\u0001', '|')));
}

function hasRole(key: string): boolean {
  return meaningsOf(key).some(({ how }) => how !== 'near');
}

function fieldOf(key: string, text: string, line: number): Field {
  return { key, path: key, text, line, form: 'table' };
}
