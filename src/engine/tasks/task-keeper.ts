/**
 * Keeps status and owner in a task's file in sync with its documents. Reads first and writes only differences, so it can be
 * repeated. All other text of the file stays.
 */
import { readTaskId, type TaskId } from '../../domain/names.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { wantsSkill } from '../../domain/rejection.ts';
import { readTask } from '../../formats/task/read.ts';
import { TASK_FIELDS_FOR, WANTS_SKILL, type TaskFields } from '../../formats/task/vocabulary.ts';
import { editTask, writeTask } from '../../formats/task/write.ts';
import type { TaskFolder } from '../../folders/folder.ts';
import type { EffectSender } from '../effects.ts';
import type { Context, TaskKeeper } from '../context.ts';
import { instant } from '../documents/documents.ts';
import { factsOf } from '../handoffs/read.ts';
import { TASK_EFFECT, taskEffectKey } from './task-effects.ts';

/** The newest documents of a task that are read. */
const DOCUMENTS_MAX = 200;
/** A person may save the file while it is being updated. */
const TRIES_MAX = 5;

/** `ctx` has no task keeper in its rules. */
export function openTaskKeeper(ctx: Context, folder: TaskFolder, isRequired: boolean): TaskKeeper {
  const keep = async (task: string): Promise<string | null> => {
    const id = readTaskId(task);
    if (id === null) return null;
    // While git changes files, our write would be overwritten or stop git.
    const busy = await folder.busy();
    if (busy === null) await folder.withLock(id, () => updateTask(ctx, folder, id));
    return busy;
  };
  return {
    isRequired,
    keep,
    has: async (task) => {
      const id = readTaskId(task);
      return id !== null && (await folder.read(id)).kind === 'file';
    },
    reconcile: async (handoff) => {
      if (handoff.kind !== 'document' || handoff.task === null) return;
      try {
        if ((await keep(handoff.task)) !== null) return;
        // A decision has one fact or two.
        const { revision } = handoff;
        await ctx.store.outbox.done([revision, revision - 1].map((each) => taskEffectKey(handoff, each)));
      } catch (error) {
        ctx.report({ kind: 'fault', doing: `keeping the task ${handoff.task}`, error });
      }
    },
    create: async ({ title, owner }) => {
      const createdAt = instant(ctx.store.nowMs());
      const status = owner === null ? 'Open' : 'Assigned';
      return folder.create(Number(createdAt.slice(0, 4)), (id) => writeTask({ id, title, status, owner, createdAt }));
    },
  };
}

export function taskEffectSender(tasks: TaskKeeper): EffectSender {
  return {
    kind: TASK_EFFECT,
    send: async ({ payload }) => {
      const { task } = JSON.parse(payload) as { readonly task: string };
      const busy = await tasks.keep(task);
      return busy === null ? 'done' : { says: busy };
    },
  };
}

async function updateTask(ctx: Context, folder: TaskFolder, id: TaskId): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) if (await tryOnce(ctx, folder, id)) return;
  throw new Error(`tasks/${id}.md changes faster than it can be read`);
}

/** False: the file changed meanwhile. */
async function tryOnce(ctx: Context, folder: TaskFolder, id: TaskId): Promise<boolean> {
  const file = await folder.read(id);
  if (file.kind === 'absent') return true;
  if (file.kind === 'unfit') return reportLeft(ctx, id, file.says);
  const read = readTask(file.text);
  if (!('form' in read)) return reportLeft(ctx, id, `${read.line}:${read.column}: ${read.says}`);
  const { items } = await ctx.store.find({ by: 'filter', task: id, max: DOCUMENTS_MAX });
  const document = decidingDocument(items);
  if (document === null) return true;
  const fields = taskFieldsOf(document, await lastFactOf(ctx, document));
  if (fields === null) return true;
  const owner = fields.owner === 'sender' ? document.from : document.to;
  const text = editTask(file.text, { status: fields.status, owner, at: instant(document.since) });
  return text === file.text || folder.replace(id, text, file.text);
}

/** Needed only for final states whose task fields depend on more than the state. */
async function lastFactOf(ctx: Context, { id, state }: Handoff): Promise<Fact | null> {
  if (state !== 'rejected' && state !== 'cancelled') return null;
  return (await factsOf(ctx, id)).at(-1) ?? null;
}

function reportLeft({ report }: Context, task: TaskId, says: string): true {
  report({ kind: 'task-left', task, says });
  return true;
}

/**
 * The document that decides the status of the task: the newest that is open and known to its recipient, otherwise the newest
 * that is settled. A replacement decides as soon as it is on offer.
 */
function decidingDocument(handoffs: readonly Handoff[]): Handoff | null {
  const known = handoffs.filter(({ kind, state, blockedOn }) => {
    return kind === 'document' && TASK_FIELDS_FOR[state] !== null && blockedOn?.reason !== 'place';
  });
  return newestOf(known.filter(({ state }) => !isFinal(state))) ?? newestOf(known);
}

function newestOf(handoffs: readonly Handoff[]): Handoff | null {
  const [first] = handoffs.toSorted((a, b) => b.since - a.since || b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return first ?? null;
}

/** Null: the task stays as it is. `last` is the newest fact of the handoff. */
function taskFieldsOf({ state }: Handoff, last: Fact | null): TaskFields | null {
  if (state === 'rejected' && last !== null && wantsSkill(last)) return WANTS_SKILL;
  // A draft that was cancelled was never known to its recipient.
  if (state === 'cancelled' && last?.from === 'draft') return null;
  return TASK_FIELDS_FOR[state];
}
