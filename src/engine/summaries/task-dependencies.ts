/**
 * Legs that wait for tasks. A task is not a handoff, and its agents change: so a leg depends on a name made from the task,
 * and is unblocked when all handoffs of that task are settled and at least one of them was completed.
 */
import { digestOf } from '../../foundation/digest.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { readHandoffId, type HandoffId } from '../../domain/names.ts';
import { change } from '../change.ts';
import type { Query } from '../../stores/store.ts';
import { summaryIn } from '../../domain/summary-in-fact.ts';
import type { Context } from '../context.ts';
import { decideUnblocked, ifStill } from '../handoffs/dependents.ts';
import { pagesOf } from '../handoffs/find.ts';
import { factsOf } from '../handoffs/read.ts';

const NAME = 'task.';
/** Characters of the project's digest in the name. */
const PROJECT_CHARS = 12;
/** Only this many of the newest handoffs of a task count. */
const HANDOFFS_MAX = 200;
const PAGE = 200;
/** Limits one pass. */
const PAGES_MAX = 25;

/** The dependency name for a task of this project; null: the task has no valid name. */
function nameOfTask(project: string, task: string): HandoffId | null {
  return readHandoffId(`${NAME}${digestOf(project).slice(0, PROJECT_CHARS)}.${task}`);
}

function taskIn(name: HandoffId): string {
  return name.slice(NAME.length + PROJECT_CHARS + 1);
}

/**
 * Which of these tasks a new leg has to wait for, and why it does not wait for the others. `settled` is settled in the same
 * transaction.
 */
export async function heldBackBy(
  ctx: Context,
  leg: { readonly project: string; readonly task: string | null; readonly settled: HandoffId | null },
  tasks: readonly string[],
) {
  const own = leg.task === null ? null : nameOfTask(leg.project, leg.task);
  const held: { readonly name: HandoffId; readonly task: string }[] = [];
  const says: string[] = [];
  for (const task of new Set(tasks)) {
    if (task === leg.task) continue;
    const name = nameOfTask(leg.project, task);
    const all = name === null ? [] : await handoffsOf(ctx, leg.project, task);
    const others = all.filter(({ id }) => id !== leg.settled);
    if (all.length === 0) says.push(`nothing was handed over for ${task} here: it holds nothing back`);
    else if (own !== null && others.some(({ terms }) => terms.dependsOn.includes(own))) {
      says.push(`${task} waits for ${leg.task ?? ''} itself: it holds nothing back`);
    } else if (name !== null && !isMet(others, all.length > others.length)) held.push({ name, task });
  }
  return { names: held.map(({ name }) => name), tasks: held.map(({ task }) => task), says };
}

/** Unblocks all legs whose tasks are done, or only those that were held back when they were opened. */
export async function unblockMetTasks(ctx: Context, which: 'all' | 'held'): Promise<number> {
  const met = new Map<string, boolean>();
  const unblocked = await unblockWaiting(ctx, { named: NAME }, met);
  return which === 'held' ? unblocked : unblocked + (await unblockWaiting(ctx, 'answer', met));
}

async function unblockWaiting(
  ctx: Context,
  on: Extract<Query, { by: 'waiting' }>['on'],
  met: Map<string, boolean>,
): Promise<number> {
  let unblocked = 0;
  for await (const page of pagesOf(ctx.store, { by: 'waiting', on, max: PAGE }, PAGES_MAX)) {
    for (const handoff of page) {
      const tasks = await tasksOf(ctx, handoff);
      if (tasks.length === 0 || !(await areMet(ctx, handoff, tasks, met))) continue;
      if ((await change(ctx, handoff, ifStill(handoff, decideTasksMet))).ok) unblocked += 1;
    }
  }
  return unblocked;
}

const decideTasksMet = decideUnblocked('tasks completed');

/** The tasks that a blocked leg waits for; empty if it waits for anything else. */
async function tasksOf(ctx: Context, handoff: Handoff): Promise<readonly string[]> {
  const { blockedOn, terms, id } = handoff;
  if (blockedOn?.reason === 'dependency') {
    return terms.dependsOn.every((name) => name.startsWith(NAME)) ? terms.dependsOn.map(taskIn) : [];
  }
  if (blockedOn?.reason !== 'question') return [];
  const last = (await factsOf(ctx, id)).at(-1);
  return (last === undefined ? null : summaryIn(last))?.dependencies ?? [];
}

async function areMet(
  ctx: Context,
  { id }: Handoff,
  tasks: readonly string[],
  known: Map<string, boolean>,
): Promise<boolean> {
  const project = await projectOf(ctx, id);
  if (project === null) return false;
  for (const task of tasks) {
    const key = JSON.stringify([project, task]);
    const met = known.get(key) ?? isMet(await handoffsOf(ctx, project, task), false);
    known.set(key, met);
    if (!met) return false;
  }
  return true;
}

function isMet(handoffs: readonly Handoff[], settledNow: boolean): boolean {
  const done = settledNow || handoffs.some(({ state }) => state === 'completed');
  return done && handoffs.every(({ state }) => isFinal(state));
}

async function handoffsOf(ctx: Context, project: string, task: string): Promise<readonly Handoff[]> {
  const { items } = await ctx.store.find({ by: 'filter', task, max: HANDOFFS_MAX });
  const own: Handoff[] = [];
  for (const handoff of items) if (isOf(project, await projectOf(ctx, handoff.id))) own.push(handoff);
  return own;
}

/** A handoff without a project belongs to every project. */
export function isOf(project: string, other: string | null): boolean {
  return other === null || other === project;
}

async function projectOf({ store }: Context, id: HandoffId): Promise<string | null> {
  const whole = await store.load(id);
  return whole === null ? null : projectIn(JSON.parse(whole.body) as Body);
}

export function projectIn({ leg }: Body): string | null {
  return leg?.project ?? null;
}
