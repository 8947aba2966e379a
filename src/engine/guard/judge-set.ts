/** What no file shows by itself: how many are open for an agent, and whether one is there twice. */
import { digestOf } from '../../foundation/digest.ts';
import { slotsNeeded, type Direction, type Limits } from '../../domain/limits.ts';
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { readDocument } from '../../formats/document/read.ts';
import { complain, type Complaint } from './complaint.ts';
import { HANDOFFS } from './tree.ts';

export interface OpenFile {
  readonly path: string;
  readonly text: string;
  readonly isJudged: boolean;
  /** Not there before. */
  readonly isNew: boolean;
}

/** Everything in `active/` counts. Whoever adds nothing is not blamed for what is too much already. */
export function judgeLimits(
  home: string,
  open: readonly OpenFile[],
  limits: Limits,
  onlyChanges: boolean,
): readonly Complaint[] {
  const counted = open.flatMap((file) => placesOf(file, limits).map((place) => ({ ...place, file })));
  const over = new Map<string, { agent: AgentId; direction: Direction; max: number; files: OpenFile[] }>();
  for (const { agent, direction, max, file } of counted) {
    const key = `${agent} ${direction}`;
    const entry = over.get(key) ?? { agent, direction, max, files: [] };
    entry.files.push(file);
    over.set(key, entry);
  }
  return [...over.values()].flatMap(({ agent, direction, max, files }) => {
    if (files.length <= max) return [];
    const says = `LIMIT_EXCEEDED: @${agent} has ${files.length} active ${direction} handoffs (max: ${max})`;
    const todo = 'settle one first, or wait for a place with: baton create --wait-for-capacity';
    const blamed = onlyChanges
      ? files.filter(({ isNew, isJudged }) => isNew && isJudged).map(({ path }) => path)
      : null;
    return (blamed ?? [`${home}${HANDOFFS}active`]).map((path) => complain(path, 'limit', says, todo));
  });
}

function placesOf({ text }: OpenFile, limits: Limits): ReturnType<typeof slotsNeeded> {
  const from = readAgentId(wordOf(text, 'from_agent'));
  const to = readAgentId(wordOf(text, 'to_agent'));
  return from === null || to === null ? [] : slotsNeeded(limits, from, to, 'document');
}

/** Without a parser: thousands may lie there, and only this is wanted of them. */
function wordOf(text: string, key: string): string {
  const line = new RegExp(`^${key}[ \\t]*:[ \\t]*["']?([^"'\\s#]+)`, 'm').exec(text);
  return line?.[1] ?? '';
}

/** Whose time is up, whether anybody has marked it or not. Only said: nobody's commit is at fault for the time. */
export function overdueAmong(open: readonly OpenFile[], nowMs: number): readonly Complaint[] {
  return open.flatMap(({ path, text }) => {
    const status = wordOf(text, 'status');
    const due = wordOf(text, 'expires_at');
    const isRunning = status === 'Created' || status === 'Active';
    if (!isRunning || !(Date.parse(due) < nowMs)) return [];
    const says = `overdue: nobody ${status === 'Created' ? 'activated' : 'acknowledged'} it until ${due}`;
    return [complain(path, 'overdue', says, 'mark it as expired with: baton sync')];
  });
}

/** Two open handoffs that ask the same agent for the same are one too many. */
export function judgeSameContent(open: readonly OpenFile[]): readonly Complaint[] {
  const groups = new Map<string, OpenFile[]>();
  for (const file of open) {
    const key = ['from_agent', 'to_agent', 'related_task'].map((name) => wordOf(file.text, name)).join('\n');
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return [...groups.values()].flatMap((group) => {
    if (group.length === 1 || !group.some(({ isJudged }) => isJudged)) return [];
    return twice(
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

/** The first one stays; those after it, or the one that is new, are told. */
export function twice(files: readonly MarkedFile[], how: string): readonly Complaint[] {
  const seen = new Map<string, MarkedFile[]>();
  for (const file of files) seen.set(file.mark, [...(seen.get(file.mark) ?? []), file]);
  return [...seen.values()].flatMap((same) => {
    // What was there before comes first, then the order of names.
    const order = same.toSorted((a, b) => Number(a.isJudged) - Number(b.isJudged) || (a.path < b.path ? -1 : 1));
    const [first, ...others] = order;
    if (first === undefined) return [];
    return others
      .filter(({ isJudged }) => isJudged)
      .map(({ path }) => complain(path, 'duplicate', `${how} ${JSON.stringify(first.path)}`, 'keep one of them'));
  });
}

function contentMark(text: string): string {
  const { all } = readDocument(text);
  const { title, purpose, context, deliverables, verification_criteria: criteria } = all;
  return digestOf(JSON.stringify([title, purpose, context, deliverables, criteria]));
}
