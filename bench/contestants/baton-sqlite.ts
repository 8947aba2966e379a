/** Baton through its public library. */
import { join } from 'node:path';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { openBaton, type Baton, type SendOptions, type Json } from '../../src/index.ts';
import { openDatabase, prepare } from '../../src/stores/sqlite/binding.ts';
import { callers, inputOf, type Contestant, type Input } from './contestant.ts';

export const databaseIn = (place: string): string => join(place, 'baton.db');

const requestOf = (input: Input): SendOptions => ({ from: '@sender', to: '@worker', input: input as unknown as Json });

export const batonSqlite = contestantOf({
  name: 'baton',
  prepare: () => undefined,
  open: (place) => openBaton({ database: databaseIn(place) }),
  isMirrored: async () => undefined,
});

/** The same workspace as the next one, without its folder. */
export const batonWithoutFolder = contestantOf({
  name: 'baton, folder off',
  prepare: (place) => writeFileSync(join(place, 'baton.yaml'), 'folders: { queue: off }\n'),
  open: (place) => openBaton({ workspace: place, database: databaseIn(place) }),
  isMirrored: async () => undefined,
});

/** With every step mirrored in files; the lives are over when all their files are in `completed/` too. */
export const batonWithFolder = contestantOf({
  name: 'baton, folder on',
  prepare: (place) => writeFileSync(join(place, 'baton.yaml'), 'folders: { queue: on }\n'),
  open: (place) => openBaton({ workspace: place, database: databaseIn(place) }),
  isMirrored: async (place, id) => {
    const file = join(place, 'handoffs/completed', `${id}.json`);
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 1));
  },
});

interface Way {
  readonly name: string;
  prepare(place: string): void;
  open(place: string): Promise<Baton>;
  isMirrored(place: string, id: string): Promise<void>;
}

function contestantOf({ name, prepare: make, open, isMirrored }: Way): Contestant {
  return {
    name,
    keepsFinished: true,
    prepare: async (place) => {
      emptyFolder(place);
      make(place);
      await (await open(place)).close();
    },
    openProducer: async (place) => {
      const baton = await open(place);
      return {
        lives: async (concurrency, count) => {
          const ids: string[] = [];
          await callers(concurrency, count, async () => {
            const { id } = await baton.send(requestOf(inputOf()));
            // Throws unless it was completed.
            await baton.wait(id);
            ids.push(id);
          });
          for (const id of ids) await isMirrored(place, id);
        },
        send: async (input) => void (await baton.send(requestOf(input))),
        sendMany: async (inputs) => void (await baton.sendMany(inputs.map(requestOf))),
        unfinished: async () => unfinishedIn(place),
        close: () => baton.close(),
      };
    },
    startWorker: async (place, concurrency, onStart) => {
      const baton = await open(place);
      baton.work(
        '@worker',
        async ({ input }) => {
          await onStart(input as unknown as Input);
          return null;
        },
        { concurrency },
      );
      return { stop: () => baton.close() };
    },
  };
}

export function emptyFolder(place: string): void {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
}

/** By the agents' counters, which cost the same however much is finished. */
export function unfinishedIn(place: string): number {
  const database = openDatabase(databaseIn(place), { sync: 'normal' });
  try {
    return (prepare(database, 'SELECT total(out_all) FROM agent').get()?.[0] ?? 0) as number;
  } finally {
    database.close();
  }
}
