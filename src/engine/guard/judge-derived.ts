/** Judges the files beside the documents: the index, which is made from them, and the tasks. */
import { skimDocument, writeIndex } from '../../formats/document/index-text.ts';
import { complain, type Complaint } from './complaint.ts';
import { filesInside, HANDOFFS, textOfMark, type GuardedTree } from './tree.ts';

const TASKS = 'tasks/';
/** The marks that git writes at the beginning of a line. */
const CONFLICT = /^(?:<{7} .*|={7}|>{7} .*)\r?$/m;

export function indexPath(home: string): string {
  return `${home}${HANDOFFS}_index.yaml`;
}

export function isTaskFile(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => path.startsWith(`${home}${TASKS}`)) && path.endsWith('.md');
}

/** Empty: there is no unresolved conflict of git in the text. */
export function judgeConflict(path: string, text: string): readonly Complaint[] {
  if (!/^<{7} /m.test(text) || !/^>{7} /m.test(text)) return [];
  const found = CONFLICT.exec(text);
  if (found === null) return [];
  const line = text.slice(0, found.index).split('\n').length;
  const says = 'the marks of a conflict of git that nobody has resolved';
  return [complain(path, 'conflict', says, 'resolve it, and take the marks out', { line, column: 1 })];
}

export function judgeTasks({ files, homes, texts, isJudged }: GuardedTree): readonly Complaint[] {
  return [...files].flatMap(([path, { mark }]) =>
    isTaskFile(path, homes) && isJudged(path) ? judgeConflict(path, textOfMark(texts, mark) ?? '') : [],
  );
}

/**
 * An index that git tracks has to fit its documents: a merge of two indexes line by line is right only by chance. The list
 * of completed documents is not compared, because older branches show other ones.
 */
export function judgeIndex({ files, homes, texts }: GuardedTree, home: string): readonly Complaint[] {
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
