/** Starts the processes of a contestant and talks to them. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { EmbeddedContestant } from './contestants/embedded.ts';

export type Order =
  | { readonly do: 'lives'; readonly concurrency: number; readonly count: number }
  | { readonly do: 'bulk'; readonly count: number; readonly batch: number }
  | { readonly do: 'send' | 'drained' | 'look' | 'stop' };

export interface Answer {
  readonly seconds?: number;
  readonly cpuMs?: number;
  readonly rss?: number;
  readonly delays?: readonly number[];
  readonly startedAt?: number;
}

export interface Role {
  readonly child: ChildProcess;
  ask(order: Order): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startRole(
  role: 'producer' | 'worker',
  contestant: EmbeddedContestant,
  place: string,
  { concurrency = 1, env = {} }: { readonly concurrency?: number; readonly env?: Record<string, string> } = {},
): Promise<Role> {
  const file = fileURLToPath(new URL('./embedded-role.mjs', import.meta.url));
  const profile = process.env['BATON_BENCH_PROFILE'];
  const child = fork(file, [role, contestant.name, place, String(concurrency)], {
    env: { ...process.env, ...env },
    execArgv: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}/${role}`],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const next = (): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const gone = (code: number | null): void =>
        reject(new Error(`the ${role} of ${contestant.name} ended (${code})`));
      child.once('exit', gone);
      child.once('message', (answer: Answer) => {
        child.off('exit', gone);
        resolve(answer);
      });
    });
  const ask = (order: Order): Promise<Answer> => {
    const answer = next();
    child.send(order);
    return answer;
  };
  await next();
  return {
    child,
    ask,
    stop: async () => {
      await ask({ do: 'stop' });
      await ended;
    },
  };
}
