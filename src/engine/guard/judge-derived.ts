/** Files beside the documents: the index, which is made from them, and the tasks. */
import { skimDocument, writeIndex } from '../../formats/document/index-text.ts';
import { idInFileName } from '../../formats/document/names.ts';
import { complain, type Complaint } from './complaint.ts';
import { HANDOFFS, lyingOf, type GuardedTree } from './tree.ts';

const TASKS = 'tasks/';
/** At the beginning of a line, as git writes them. */
const CONFLICT = /^(?:<{7} .*|={7}|>{7} .*)\r?$/m;

export function indexPath(home: string): string {
  return `${home}${HANDOFFS}_index.yaml`;
}

export function isTaskFile(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => path.startsWith(`${home}${TASKS}`)) && path.endsWith('.md');
}

/** The line on which a conflict begins; null: there is none. */
export function conflictIn(text: string): number | null {
  if (!/^<{7} /m.test(text) || !/^>{7} /m.test(text)) return null;
  const found = CONFLICT.exec(text);
  return found === null ? null : text.slice(0, found.index).split('\n').length;
}

export function judgeTasks(tree: GuardedTree): readonly Complaint[] {
  return [...tree.files].flatMap(([path, { mark }]) => {
    if (!isTaskFile(path, tree.homes) || !tree.isJudged(path)) return [];
    const text = tree.texts.get(mark);
    const line = text === undefined || 'unfit' in text ? null : conflictIn(text.text);
    return line === null ? [] : [complainOfConflict(path, line)];
  });
}

export function complainOfConflict(path: string, line: number): Complaint {
  const todo = 'resolve it, and take the marks out';
  return complain(path, 'conflict', 'the marks of a conflict of git that nobody has resolved', todo, {
    line,
    column: 1,
  });
}

/**
 * An index that git follows has to be the one of its documents: a merge of two indexes line by line is right by chance
 * only. What was completed last is not compared, because older branches show other ones.
 */
export function judgeIndex(tree: GuardedTree, home: string): readonly Complaint[] {
  const path = indexPath(home);
  const text = tree.texts.get(tree.files.get(path)?.mark ?? '');
  if (text === undefined || 'unfit' in text) return [];
  const active = [...tree.files].flatMap(([each, { mark }]) => {
    const lying = lyingOf(each, tree.homes);
    if (lying.kind !== 'active' || lying.home !== home || idInFileName(lying.name) === null) return [];
    const found = tree.texts.get(mark);
    return found === undefined || 'unfit' in found ? [] : (skimDocument(found.text) ?? []);
  });
  const isRight = derivedPart(text.text) === derivedPart(writeIndex(active, []));
  const keys = text.text.match(/^(?:last_updated|active_handoffs|counts_by_agent|recently_completed):/gm) ?? [];
  if (isRight && new Set(keys).size === keys.length) return [];
  const todo = 'make it anew with baton index, or take it out of git: git rm --cached (each clone makes its own)';
  return [complain(path, 'index', 'the index is not the one of these documents', todo)];
}

function derivedPart(text: string): string {
  const from = text.search(/^active_handoffs:/m);
  const to = text.search(/^recently_completed:/m);
  return text
    .slice(Math.max(0, from), to === -1 ? text.length : to)
    .replaceAll('\r\n', '\n')
    .trim();
}
