import { expect, it } from 'vitest';
import { systemTimers } from '../../src/foundation/clock.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { lockWaitOf } from '../../src/stores/sqlite/binding.ts';
import { lockMonitor } from '../../src/stores/sqlite/lock-monitor.ts';
import { sharedCommit, type SharedCommit } from '../../src/stores/sqlite/shared-commit.ts';
import { newPath, openTables } from './stores.ts';

const CALLERS = Array.from({ length: 10 }, (_each, index) => index);

/** `commitsOf` says how many commits these works needed, until nothing is left to do. */
function counted(): { readonly shared: SharedCommit; commitsOf(works: () => Promise<unknown>): Promise<number> } {
  const path = newPath();
  const database = openTables(path);
  const monitor = lockMonitor({ path, isOurs: () => false, report: () => undefined });
  let commits = 0;
  const nothing = (): void => undefined;
  const committed = (): void => {
    commits += 1;
  };
  const hooks = { begun: nothing, flush: nothing, committed, rolledBack: nothing };
  const ctx = { timers: systemTimers, random: systemRandom, path, monitor };
  const shared = sharedCommit(database, ctx, lockWaitOf(database), hooks);
  const commitsOf = async (works: () => Promise<unknown>): Promise<number> => {
    const before = commits;
    await works();
    await shared.idle();
    return commits - before;
  };
  return { shared, commitsOf };
}

const work = () => () => 'done';

it('callers that are woken by one event share a commit, also after a caller that was alone', async () => {
  const { shared, commitsOf } = counted();
  const alone = (): Promise<unknown> => shared.run(work);
  const afterSomePromises = async (promises: number): Promise<void> => {
    for (let left = promises; left > 0; left -= 1) await Promise.resolve();
    await shared.run(work);
  };
  const together = (): Promise<unknown> => Promise.all(CALLERS.map(afterSomePromises));
  expect(await commitsOf(alone)).toBe(1);
  expect(await commitsOf(alone)).toBe(1);
  expect(await commitsOf(together)).toBe(1);
  expect(await commitsOf(together)).toBe(1);
});

it('callers of one round of the event loop share a commit, and after a caller that was alone all but the first', async () => {
  const { shared, commitsOf } = counted();
  const inOneRound = (): Promise<unknown> =>
    Promise.all(CALLERS.map(() => new Promise((resolve) => setImmediate(() => resolve(shared.run(work))))));
  expect(await commitsOf(inOneRound)).toBe(1);
  expect(await commitsOf(() => shared.run(work))).toBe(1);
  expect(await commitsOf(inOneRound)).toBe(2);
  expect(await commitsOf(inOneRound)).toBe(1);
});
