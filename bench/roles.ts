/** Starts the processes of a contestant and talks to them. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Contestant } from './contestants/contestant.ts';

export type Order =
  | { readonly do: 'lives'; readonly concurrency: number; readonly count: number }
  | { readonly do: 'send'; readonly concurrency: number; readonly count: number }
  | { readonly do: 'send evenly'; readonly everyMs: number; readonly count: number }
  | { readonly do: 'bulk'; readonly count: number; readonly batch: number }
  | { readonly do: 'drained' | 'look' | 'used' | 'stop' };

export interface Answer {
  readonly seconds?: number;
  readonly cpuMs?: number;
  readonly rss?: number;
  readonly delays?: readonly number[];
  /** Told without being asked, by workers with BATON_BENCH_TELLS=1: how many handlers have started so far. */
  readonly started?: number;
  readonly startedAt?: number;
}

export interface Role {
  readonly child: ChildProcess;
  /** As last told. */
  started(): number;
  ask(order: Order): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startRole(
  role: 'producer' | 'worker',
  contestant: Contestant,
  place: string,
  { concurrency = 1, env = {} }: { readonly concurrency?: number; readonly env?: Record<string, string> } = {},
): Promise<Role> {
  const file = fileURLToPath(new URL('./role.mjs', import.meta.url));
  const profile = process.env['BATON_BENCH_PROFILE'];
  const child = fork(file, [role, contestant.name, place, String(concurrency)], {
    // One of the peers calls its driver in a way that is deprecated, and the driver says so each time.
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
    execArgv: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}/${role}`],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let started = 0;
  let answered = (_: Answer): void => undefined;
  child.on('message', (answer: Answer) => {
    if (answer.started === undefined) answered(answer);
    else started = answer.started;
  });
  const next = (): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const gone = (code: number | null): void =>
        reject(new Error(`the ${role} of ${contestant.name} ended (${code})`));
      child.once('exit', gone);
      answered = (answer) => {
        child.off('exit', gone);
        resolve(answer);
      };
    });
  const ask = (order: Order): Promise<Answer> => {
    const answer = next();
    child.send(order);
    return answer;
  };
  await next();
  return {
    child,
    started: () => started,
    ask,
    stop: async () => {
      await ask({ do: 'stop' });
      await ended;
    },
  };
}
