import { describe, expect, it } from 'vitest';
import type { HandoffId } from '../../src/domain/names.ts';
import { databases, jsonLines, makeWorkspace, type Workspace } from '../cli/workspaces.ts';
import { until, type Running } from '../support/processes.ts';
import { usePrograms } from './built-programs.ts';
import { chanceOf, seedOfThisRun, type Chance } from './seeds.ts';
import { complaintsAbout, everythingIn, type Everything } from './soundness.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const SECONDS = campaignSize('BATON_STORM_SECONDS');
const KILL_EVERY_MS = 100;
const DRAIN_MS = 180_000;
const SEED = seedOfThisRun();

const programs = usePrograms([
  new URL('./programs/storm-sender.ts', import.meta.url),
  new URL('./programs/storm-worker.ts', import.meta.url),
]);

interface Said {
  readonly sent?: HandoffId;
  readonly completed?: HandoffId;
  readonly refused?: string;
  readonly fault?: string;
}

describe.each(databases)('kill -9 at random on $name', (database) => {
  it(
    'I1, I2, I3, I6: nothing acknowledged is lost, and everything is completed exactly once',
    async () => {
      const workspace = await makeWorkspace(database);
      const ctx = await workspace.open();
      const starters = startersFor(workspace);
      const { everybody, kills } = await storm(starters, chanceOf(SEED));
      for (const each of everybody) each.signal('SIGKILL');
      await Promise.all(everybody.map((each) => each.ended));

      const said = everybody.flatMap((each) => saidIn(each.stdout()));
      const sent = said.flatMap((line) => line.sent ?? []);
      const completed = said.flatMap((line) => line.completed ?? []);
      const open = async (): Promise<number> => {
        const { items } = await ctx.store.find({ by: 'filter', states: ['offered', 'accepted'], max: 1 });
        return items.length;
      };
      const after = await everythingIn(ctx.store);
      expect(completed.filter((id) => after.handoffs.get(id)?.state !== 'completed')).toEqual([]);

      const rest = [programs.start('storm-worker', { database: workspace.address })];
      await until('what was left is done', async () => (await open()) === 0, DRAIN_MS);
      for (const each of rest) each.signal('SIGKILL');
      await Promise.all(rest.map((each) => each.ended));

      const everything = await everythingIn(ctx.store);
      console.log(storyOf(everything, sent.length, kills));
      expect(sent.length).toBeGreaterThan(0);
      expect(said.flatMap((line) => line.fault ?? [])).toEqual([]);
      expect(new Set(completed).size).toBe(completed.length);
      expect(sent.filter((id) => everything.handoffs.get(id)?.state !== 'completed')).toEqual([]);
      const states = [...everything.handoffs.values()].filter((handoff) => handoff.state !== 'completed');
      expect(states).toEqual([]);
      expect(await complaintsAbout(ctx.store, workspace.address)).toEqual([]);
    },
    SECONDS * 1000 + DRAIN_MS * 2,
  );

  function startersFor({ address, start }: Workspace): readonly (() => Running)[] {
    const send = (): Running => programs.start('storm-sender', { database: address });
    const work = (): Running => programs.start('storm-worker', { database: address });
    const command = (): Running => start(['work', '@relay', '--concurrency', '2', '--', 'cat']);
    return [send, send, work, work, work, command];
  }
});

/** Whoever is killed is replaced at once. */
async function storm(
  starters: readonly (() => Running)[],
  chance: Chance,
): Promise<{ everybody: readonly Running[]; kills: number }> {
  const present = starters.map((begin) => begin());
  const everybody = [...present];
  await until('somebody has sent', () => present.some((each) => each.stdout().includes('sent')));
  const endMs = performance.now() + SECONDS * 1000;
  let kills = 0;
  for (let nextMs = performance.now(); nextMs < endMs; nextMs += KILL_EVERY_MS * (0.5 + chance.unit())) {
    const atMs = nextMs;
    await until('it is time', () => performance.now() >= atMs);
    const index = chance.below(present.length);
    present[index]?.signal('SIGKILL');
    const next = starters[index]?.();
    if (next === undefined) throw new Error('each has its starter');
    present[index] = next;
    everybody.push(next);
    kills += 1;
  }
  return { everybody, kills };
}

/** The last line of somebody who was killed may be half a line. */
function saidIn(stdout: string): readonly Said[] {
  return jsonLines(stdout.slice(0, stdout.lastIndexOf('\n') + 1)) as readonly Said[];
}

function storyOf({ handoffs, trails }: Everything, sent: number, kills: number): string {
  const facts = [...trails.values()].flat();
  const released = facts.filter((fact) => fact.deed === 'release').length;
  const words = [
    `seed ${SEED}: ${kills} kills in ${SECONDS} s; ${sent} acknowledged, ${handoffs.size} there,`,
    `${facts.length} facts, ${released} taken back from the dead`,
  ];
  return words.join(' ');
}
