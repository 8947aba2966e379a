import { join } from 'node:path';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { openHouse, type House } from '../../src/house/open-house.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import type { Body } from '../../src/domain/body.ts';
import type { AgentId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { standDuty } from '../../src/engine/duty.ts';
import { send, sendMany, type SendRequest } from '../../src/engine/verbs/send.ts';
import { wait } from '../../src/engine/verbs/wait.ts';
import { work } from '../../src/engine/work.ts';
import type { Json } from '../../src/foundation/json.ts';
import type { Result } from '../../src/foundation/result.ts';
import { openDatabase, prepare } from '../../src/stores/sqlite/binding.ts';
import { inputOf, type Input } from './contestant.ts';
import { callers, type EmbeddedContestant } from './embedded.ts';

const FROM = 'sender' as AgentId;
const TO = 'worker' as AgentId;

export const databaseIn = (place: string): string => join(place, 'baton.db');

const openBare = (place: string): Promise<House> =>
  openHouse({ database: { kind: 'sqlite', path: databaseIn(place) }, limits: NO_LIMITS });
const openWithFolder = (place: string): Promise<House> =>
  openHouse({
    database: { kind: 'sqlite', path: databaseIn(place) },
    limits: NO_LIMITS,
    queueFolder: { folder: place, privateFolder: place },
  });
const requestOf = (input: Input): SendRequest => ({ from: FROM, to: TO, input: input as unknown as Json });

function sure<Answer>(answer: Result<Answer, unknown>): Answer {
  if (!answer.ok) throw new Error(`refused: ${JSON.stringify(answer.refusal)}`);
  return answer.value;
}

export const batonSqlite = contestantOf('baton', openBare, async () => undefined);

/** With every step mirrored in files; the lives are over when all their files are in `completed/` too. */
export const batonWithFolder = contestantOf('baton, folder on', openWithFolder, async (place, id) => {
  const file = join(place, 'handoffs/completed', `${id}.json`);
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 1));
});

function contestantOf(
  name: string,
  open: (place: string) => Promise<House>,
  isMirrored: (place: string, id: string) => Promise<void>,
): EmbeddedContestant {
  return {
    name,
    prepare: async (place) => {
      emptyFolder(place);
      await (await open(place)).close();
    },
    openProducer: async (place) => {
      const { around, close } = await open(place);
      const principal = agentPrincipal(FROM);
      return {
        lives: async (concurrency, count) => {
          const ids: string[] = [];
          await callers(concurrency, count, async () => {
            const { id } = sure(await send(around, principal, requestOf(inputOf())));
            const { handoff } = sure(await wait(around, principal, id));
            if (handoff.state !== 'completed') throw new Error(`${id} is ${handoff.state}`);
            ids.push(id);
          });
          for (const id of ids) await isMirrored(place, id);
        },
        send: async (input) => void sure(await send(around, principal, requestOf(input))),
        sendMany: async (inputs) => void sure(await sendMany(around, principal, inputs.map(requestOf))),
        unfinished: async () => unfinishedIn(place),
        close,
      };
    },
    startWorker: async (place, concurrency, onStart) => {
      const { around, close } = await open(place);
      const stop = new AbortController();
      const duty = standDuty(around, stop.signal);
      const working = work(around, {
        agent: TO,
        concurrency,
        stop: stop.signal,
        handler: async ({ body }) => {
          await onStart((JSON.parse(body) as Body).input as unknown as Input);
          return null;
        },
      });
      return {
        stop: async () => {
          stop.abort();
          await Promise.all([working, duty]);
          await close();
        },
      };
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
