/**
 * Keeps the status and the owner of a task's file as its documents have it. It looks at what is there and then writes
 * what is missing, so it can be repeated; whatever a person wrote besides stays.
 */
import { readTaskId, type TaskId } from '../../domain/names.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { readTask } from '../../formats/task/read.ts';
import { editTask, writeTask } from '../../formats/task/write.ts';
import type { TaskFolder } from '../../folders/folder.ts';
import type { EffectSender } from '../effects.ts';
import type { Context, TaskKeeper } from '../context.ts';
import { speakerAmong, standingOf } from './task-status.ts';
import { TASK_EFFECT, taskEffectKey } from './task-effects.ts';

/** More documents of one task than anybody can overlook; the newest come first. */
const DOCUMENTS_MAX = 200;
const FACTS_MAX = 1_000;
/** A person may save the file while we look at it. */
const TRIES_MAX = 5;

/** `around` is the house without its keeper of tasks. */
export function openTaskKeeper(ctx: Context, folder: TaskFolder, isRequired: boolean): TaskKeeper {
  const keep = async (task: string): Promise<string | null> => {
    const id = readTaskId(task);
    if (id === null) return null;
    // A file that is on its way from one commit to another would be written over, or be in the way.
    const busy = await folder.busy();
    if (busy === null) await folder.alone(id, () => inStep(ctx, folder, id));
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
      const createdAt = instantText(ctx.store.nowMs());
      const status = owner === null ? 'Open' : 'Assigned';
      return folder.create(Number(createdAt.slice(0, 4)), (id) => writeTask({ id, title, status, owner, createdAt }));
    },
  };
}

export function taskCarrier(tasks: TaskKeeper): EffectSender {
  return {
    kind: TASK_EFFECT,
    carry: async ({ payload }) => {
      const { task } = JSON.parse(payload) as { readonly task: string };
      const busy = await tasks.keep(task);
      return busy === null ? 'done' : { says: busy };
    },
  };
}

async function inStep(ctx: Context, folder: TaskFolder, id: TaskId): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) if (await lookOnce(ctx, folder, id)) return;
  throw new Error(`tasks/${id}.md changes faster than it can be read`);
}

/** False: somebody wrote in between. */
async function lookOnce(ctx: Context, folder: TaskFolder, id: TaskId): Promise<boolean> {
  const file = await folder.read(id);
  if (file.kind === 'absent') return true;
  if (file.kind === 'unfit') return left(ctx, id, file.says);
  const read = readTask(file.text);
  if (!('form' in read)) return left(ctx, id, `${read.line}:${read.column}: ${read.says}`);
  const { items } = await ctx.store.find({ by: 'filter', task: id, max: DOCUMENTS_MAX });
  const speaker = speakerAmong(items);
  if (speaker === null) return true;
  const standing = standingOf(speaker, await lastFactOf(ctx, speaker));
  if (standing === null) return true;
  const owner = standing.owner === 'sender' ? speaker.from : speaker.to;
  const text = editTask(file.text, { status: standing.status, owner, at: instantText(speaker.since) });
  return text === file.text || folder.replace(id, text, file.text);
}

/** Only ends are told by more than their state. */
async function lastFactOf({ store }: Context, { id, state }: Handoff): Promise<Fact | null> {
  if (state !== 'rejected' && state !== 'cancelled') return null;
  return (await store.facts({ handoff: id, max: FACTS_MAX })).at(-1)?.fact ?? null;
}

function left({ report }: Context, task: TaskId, says: string): true {
  report({ kind: 'task-left', task, says });
  return true;
}

function instantText(instant: number): string {
  return new Date(instant).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
