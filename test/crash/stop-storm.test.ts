/**
 * A worker is stopped at random moments while three other processes work on the same SQLite database. Some of the
 * moments are in the middle of a commit, with the write lock held.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { statOf } from '../../src/foundation/process-identity.ts';
import { isFinal } from '../../src/domain/lifecycle.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { jsonLines, makeWorkspace, openFor, sqlite } from '../cli/workspaces.ts';
import { until, untilSays, type Running } from '../support/processes.ts';
import { goOn, holdsLock, stop } from '../support/stopping.ts';
import { usePrograms } from './built-programs.ts';
import { chanceOf } from './seeds.ts';
import { complaintsAbout, everythingIn } from './soundness.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const STOPS = campaignSize('BATON_STORM_STOPS');
const SEED = Number(process.env['BATON_STORM_SEED'] ?? Date.now() % 1_000_000);
const LEASE_MS = 2_000;
/** Every so many stops the worker is killed instead of continued. */
const KILL_SHARE = 0.2;
const APART_MS = 60;
/** Room for the slowest machine; the campaign by hand needs more. */
const PER_STOP_MS = 10_000;
/** How much of what each process said last is shown when the test fails. */
const TAIL = 600;

const programs = usePrograms([new URL('./programs/stop-storm.ts', import.meta.url)]);

interface Said {
  readonly sent?: string;
  readonly completed?: string;
  readonly waiting?: string;
  readonly unexplained?: number;
  readonly tookMs?: number;
  readonly lost?: string;
  readonly fault?: string;
}

describe.skipIf(process.platform !== 'linux')('a worker that is stopped at random moments', () => {
  it(
    'I3, I7, I14: keeps nobody waiting for 2 s without a reason, and all is completed once',
    { timeout: 300_000 + STOPS * PER_STOP_MS },
    async () => {
      const chance = chanceOf(SEED);
      const workspace = await makeWorkspace(sqlite);
      const { address } = workspace;
      const begin = async (roles: readonly ('send' | 'work')[], pauseMs = 20): Promise<Running> => {
        const order = { database: address, leaseMs: LEASE_MS, roles, pauseMs };
        const started = programs.start('stop-storm', order, { input: 'open' });
        await untilSays(started, 'ready');
        return started;
      };
      const sender = await begin(['send']);
      const others = [sender, await begin(['work']), await begin(['work'])];
      const everybody = [...others];
      // It writes nearly all the time, so that many a stop finds it in the middle of a commit.
      const beginVictim = (): Promise<Running> => begin(['send', 'work'], 1);
      let victim = await beginVictim();
      everybody.push(victim);
      let withLock = 0;
      let kills = 0;
      let advised = 0;
      for (let round = 0; round < STOPS; round += 1) {
        // The moment itself is what is drawn: there is nothing to wait for.
        await pause(chance.unit() * APART_MS);
        await stop(victim);
        if (holdsLock(victim.pid, address)) withLock += 1;
        const before = sentBy(sender);
        const advice = `kill -CONT ${victim.pid}`;
        // Each says it once per wait, and the wait may have begun with an earlier stop.
        const isAdvised = (): boolean => others.some((each) => lastLineOf(each.stdout()).includes(advice));
        const isServed = (): boolean => sentBy(sender) > before + 1 || isAdvised();
        await until('the sender gets on, or somebody says what to do', isServed).catch((error: unknown) => {
          throw new Error(standOf([...others, victim]), { cause: error });
        });
        // It has no session yet: nobody else may continue it.
        if (isAdvised()) advised += 1;
        if (chance.unit() >= KILL_SHARE) {
          await goOn(victim);
          continue;
        }
        victim.signal('SIGKILL');
        await victim.ended;
        kills += 1;
        victim = await beginVictim();
        everybody.push(victim);
      }
      for (const each of [sender, victim]) each.endInput();
      for (const each of [sender, victim]) expect(await each.ended).toMatchObject({ code: 0, stderr: '' });
      const ctx = await openFor(address);
      await until('all is completed', async () =>
        [...(await everythingIn(ctx.store)).handoffs.values()].every(({ state }) => isFinal(state)),
      );
      for (const worker of others) worker.endInput();
      for (const worker of others) expect(await worker.ended).toMatchObject({ code: 0, stderr: '' });

      const said = everybody.flatMap((each) => saidIn(each.stdout()));
      const sent = said.flatMap((line) => line.sent ?? []) as HandoffId[];
      const { handoffs, trails } = await everythingIn(ctx.store);
      const waits = others.flatMap((each) => saidIn(each.stdout())).flatMap((line) => line.tookMs ?? []);
      console.log(
        `seed ${SEED}: ${STOPS} stops, ${withLock} with the write lock, ${kills} kills, ${advised} times advised; ` +
          `${sent.length} handoffs; ` +
          `${said.filter((line) => line.waiting?.includes('continued until') === true).length} times continued; ` +
          `${waits.length} waits over 0.5 s, the longest ${Math.max(0, ...waits)} ms; ` +
          `${said.filter((line) => line.lost !== undefined).length} sessions lost`,
      );
      expect(said.flatMap((line) => line.fault ?? [])).toEqual([]);
      expect(others.flatMap((each) => saidIn(each.stdout())).flatMap((line) => line.unexplained ?? [])).toEqual([]);
      // Only the worker that was stopped may lose its session.
      expect(others.flatMap((each) => saidIn(each.stdout())).flatMap((line) => line.lost ?? [])).toEqual([]);
      // One that was killed may have sent what it could not say any more.
      expect(sent.filter((id) => !handoffs.has(id))).toEqual([]);
      expect([...handoffs.values()].filter(({ state }) => state !== 'completed')).toEqual([]);
      for (const trail of trails.values()) {
        expect(trail.filter(({ deed }) => deed === 'deliver')).toHaveLength(1);
      }
      expect(await complaintsAbout(ctx.store, address)).toEqual([]);
    },
  );
});

function lastLineOf(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

/** For whoever has to find out what went wrong. */
function standOf(running: readonly Running[]): string {
  const lines = running.map((each) => {
    const state = statOf(each.pid)?.state ?? 'gone';
    return `${each.pid} ${state}: ${each.stdout().slice(-TAIL)} ${each.stderr().slice(-TAIL)}`;
  });
  return ['nobody gets on', ...lines].join('\n');
}

function sentBy(sender: Running): number {
  return sender.stdout().split('"sent"').length - 1;
}

/** The last line of somebody who was killed may be half a line. */
function saidIn(stdout: string): readonly Said[] {
  return jsonLines(stdout.slice(0, stdout.lastIndexOf('\n') + 1)) as readonly Said[];
}
