/** Checks the open documents together: limits per agent, and duplicates. */
import { digestOf } from '../../foundation/digest.ts';
import { groupBy } from '../../foundation/group-by.ts';
import { slotsNeeded, type Limits } from '../../domain/limits.ts';
import { readAgentId } from '../../domain/names.ts';
import { readDocument } from '../../formats/document/read.ts';
import { violation, type Violation } from './violation.ts';
import { HANDOFFS } from './tree.ts';

export interface OpenFile {
  readonly path: string;
  readonly text: string;
  readonly isJudged: boolean;
  /** The base commit does not have it. */
  readonly isNew: boolean;
}

/** Every document in `active/` counts. With `onlyChanges`, only added documents are reported. */
export function judgeLimits(
  home: string,
  open: readonly OpenFile[],
  limits: Limits,
  onlyChanges: boolean,
): readonly Violation[] {
  const used = open.flatMap((file) => {
    const from = readAgentId(wordOf(file.text, 'from_agent'));
    const to = readAgentId(wordOf(file.text, 'to_agent'));
    const slots = from === null || to === null ? [] : slotsNeeded(limits, from, to, 'document');
    return slots.map((slot) => ({ ...slot, file }));
  });
  const groups = groupBy(used, ({ agent, direction }) => `${agent} ${direction}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length <= first.max) return [];
    const { agent, direction, max } = first;
    const says = `LIMIT_EXCEEDED: @${agent} has ${group.length} active ${direction} handoffs (max: ${max})`;
    const todo = 'settle one first, or wait for a place with: baton create --wait-for-capacity';
    const added = group.flatMap(({ file }) => (file.isNew && file.isJudged ? file.path : []));
    const paths = onlyChanges ? added : [`${home}${HANDOFFS}active`];
    return paths.map((path) => violation(path, 'limit', says, todo));
  });
}

/** Reads one field without a parser, because thousands of documents may lie there. */
function wordOf(text: string, key: string): string {
  const line = new RegExp(`^${key}[ \\t]*:[ \\t]*["']?([^"'\\s#]+)`, 'm').exec(text);
  return line?.[1] ?? '';
}

/** Documents whose deadline has passed and that are not marked as expired. No commit causes that. */
export function overdueAmong(open: readonly OpenFile[], nowMs: number): readonly Violation[] {
  return open.flatMap(({ path, text }) => {
    const status = wordOf(text, 'status');
    const due = wordOf(text, 'expires_at');
    const isRunning = status === 'Created' || status === 'Active';
    if (!isRunning || !(Date.parse(due) < nowMs)) return [];
    const says = `overdue: nobody ${status === 'Created' ? 'activated' : 'acknowledged'} it until ${due}`;
    return [violation(path, 'overdue', says, 'mark it as expired with: baton sync')];
  });
}

/** Reports open handoffs that ask the same agent for the same work. */
export function judgeSameContent(open: readonly OpenFile[]): readonly Violation[] {
  const groups = groupBy(open, ({ text }) => {
    return ['from_agent', 'to_agent', 'related_task'].map((name) => wordOf(text, name)).join('\n');
  });
  return [...groups.values()].flatMap((group) => {
    if (group.length === 1 || !group.some(({ isJudged }) => isJudged)) return [];
    return duplicates(
      group.map((file) => ({ ...file, mark: contentMark(file.text) })),
      'asks for the same as',
    );
  });
}

export interface MarkedFile {
  readonly path: string;
  readonly mark: string;
  readonly isJudged: boolean;
}

/** Reports files with the same mark, except the first one. */
export function duplicates(files: readonly MarkedFile[], how: string): readonly Violation[] {
  return [...groupBy(files, ({ mark }) => mark).values()].flatMap((same) => {
    // A file that was there before comes first, then the order of names.
    const order = same.toSorted((a, b) => Number(a.isJudged) - Number(b.isJudged) || (a.path < b.path ? -1 : 1));
    const says = `${how} ${JSON.stringify(order[0]?.path)}`;
    const others = order.slice(1).filter(({ isJudged }) => isJudged);
    return others.map(({ path }) => violation(path, 'duplicate', says, 'keep one of them'));
  });
}

function contentMark(text: string): string {
  const { all } = readDocument(text);
  const { title, purpose, context, deliverables, verification_criteria: criteria } = all;
  return digestOf(JSON.stringify([title, purpose, context, deliverables, criteria]));
}
