/** Checks the other files: the index, which is derived from the documents, and the tasks. */
import { skimDocument, writeIndex } from '../../formats/document/index-text.ts';
import { violation, type Violation } from './violation.ts';
import { filesInside, HANDOFFS, textOfMark, type GuardedTree } from './tree.ts';

const TASKS = 'tasks/';
/** Git's conflict markers. */
const CONFLICT = /^(?:<{7} .*|={7}|>{7} .*)\r?$/m;

export function indexPath(home: string): string {
  return `${home}${HANDOFFS}_index.yaml`;
}

export function isTaskFile(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => path.startsWith(`${home}${TASKS}`)) && path.endsWith('.md');
}

/** Finds unresolved conflict markers. */
export function judgeConflict(path: string, text: string): readonly Violation[] {
  if (!/^<{7} /m.test(text) || !/^>{7} /m.test(text)) return [];
  const found = CONFLICT.exec(text);
  if (found === null) return [];
  const line = text.slice(0, found.index).split('\n').length;
  const says = 'the marks of a conflict of git that nobody has resolved';
  return [violation(path, 'conflict', says, 'resolve it, and take the marks out', { line, column: 1 })];
}

export function judgeTasks({ files, workspaceFolders: homes, texts, isJudged }: GuardedTree): readonly Violation[] {
  return [...files].flatMap(([path, { mark }]) =>
    isTaskFile(path, homes) && isJudged(path) ? judgeConflict(path, textOfMark(texts, mark) ?? '') : [],
  );
}

/**
 * A tracked index has to match its documents: a line-by-line merge of two indexes is rarely correct. The list of completed
 * documents is not compared, because older branches have other ones.
 */
export function judgeIndex({ files, workspaceFolders: homes, texts }: GuardedTree, home: string): readonly Violation[] {
  const path = indexPath(home);
  const text = textOfMark(texts, files.get(path)?.mark);
  if (text === null) return [];
  const active = filesInside(files.keys(), homes).flatMap((file) => {
    if (file.kind !== 'active' || file.home !== home || file.id === null) return [];
    return skimDocument(textOfMark(texts, files.get(file.path)?.mark) ?? '') ?? [];
  });
  const isRight = derivedPart(text) === derivedPart(writeIndex(active, []));
  const keys = text.match(/^(?:last_updated|active_handoffs|counts_by_agent|recently_completed):/gm) ?? [];
  if (isRight && new Set(keys).size === keys.length) return [];
  const todo = 'make it anew with baton index, or take it out of git: git rm --cached (each clone makes its own)';
  return [violation(path, 'index', 'the index is not the one of these documents', todo)];
}

function derivedPart(text: string): string {
  const from = text.search(/^active_handoffs:/m);
  const to = text.search(/^recently_completed:/m);
  return text
    .slice(Math.max(0, from), to === -1 ? text.length : to)
    .replaceAll('\r\n', '\n')
    .trim();
}
