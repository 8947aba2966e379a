/** Finds the task of an old handoff, or plans a new one. */
import type { Candidate, KnownDocument, KnownTask } from './candidate.ts';
import type { Mapped } from './map-fields.ts';

export interface PlannedTask {
  readonly id: string;
  /** The file has to be created. */
  readonly isNew: boolean;
  /** The name in the old text, or the key of its content; a second run finds the task by this. */
  readonly madeFor: string;
}

export type TaskAllocator = ReturnType<typeof allocateTasks>;

const TASK_ID = /\bBPRD-(\d{4})-(\d{4,})\b/;
/** The name of a task, not a sentence about one. */
const TASK_NAME = /^[A-Za-z0-9][\w.#/-]{1,63}$/;
/** Further down, an id is one that the text mentions, not its own. */
const HEAD_CHARACTERS = 1_500;

export function allocateTasks(tasks: readonly KnownTask[], documents: readonly KnownDocument[]) {
  const known = new Set(tasks.map(({ id }) => id));
  const madeFor = new Map(tasks.flatMap((task) => (task.madeFor === null ? [] : [[task.madeFor, task.id] as const])));
  const highest = new Map<string, number>();
  const note = (id: string): void => {
    const [, year = '', number = ''] = TASK_ID.exec(id) ?? [];
    if (year !== '') highest.set(year, Math.max(highest.get(year) ?? 0, Number(number)));
  };
  for (const { id } of tasks) note(id);
  for (const { task } of documents) note(task);
  const next = (year: string): string => {
    const number = (highest.get(year) ?? 0) + 1;
    highest.set(year, number);
    return `BPRD-${year}-${String(number).padStart(4, '0')}`;
  };
  const named = (id: string): PlannedTask => {
    const isNew = !known.has(id);
    known.add(id);
    return { id, isNew, madeFor: id };
  };
  return {
    named,
    taskFor(candidate: Candidate, { createdAt }: Mapped) {
      const said = namedTask(candidate);
      const own = said === null ? null : (TASK_ID.exec(said)?.[0] ?? null);
      if (own !== null) return named(own);
      const key = said ?? `sha256:${candidate.key}`;
      const before = madeFor.get(key);
      if (before !== undefined) return { id: before, isNew: false, madeFor: key };
      const id = next(String(new Date(createdAt).getUTCFullYear()));
      madeFor.set(key, id);
      known.add(id);
      return { id, isNew: true, madeFor: key };
    },
  };
}

function namedTask({ reading }: Candidate): string | null {
  const named = [reading.task?.text, reading.id?.text].find((text) => text !== undefined && TASK_ID.test(text));
  if (named !== undefined) return named;
  const task = reading.task?.text.trim() ?? '';
  const id = reading.id?.text.trim() ?? '';
  if (TASK_NAME.test(task) && task !== id) return task;
  return TASK_ID.exec(reading.text.slice(0, HEAD_CHARACTERS))?.[0] ?? (TASK_NAME.test(task) ? task : null);
}
