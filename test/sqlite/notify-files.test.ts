/** A bell is only a hint: one that nobody hears costs a poll, never the answer. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stateNumber } from '../../src/stores/stored-numbers.ts';
import { prepare } from '../../src/stores/sqlite/binding.ts';
import { notifyFilesIn } from '../../src/stores/sqlite/notify-files.ts';
import { POLL_MS } from '../../src/stores/store.ts';
import { acceptByHand, agentOf, cancelled, idOf, openingOf, WORKER } from '../contract/builders.ts';
import { put, valueOf } from '../contract/store-checks.ts';
import { tempFolder, until } from '../support/processes.ts';
import { newPath, openStore, openTables } from './stores.ts';

/** Generous: a busy machine is late with everything, and only the answer matters here. */
const PATIENCE_MS = 60_000;
const SETTLED = { kind: 'settled' } as const;

describe('bells', () => {
  it('a worker that waits in the process of the sender takes a handoff in the commit that brings it', async () => {
    const path = newPath();
    const store = openStore(path);
    const states = prepare(openTables(path), 'SELECT state FROM handoff');
    const hint = store.changed({ kind: 'offers', agent: WORKER }, AbortSignal.timeout(PATIENCE_MS));
    const taken = hint.then(async () => store.claim(WORKER, 1, acceptByHand()));
    await store.insert([{ ...openingOf({ id: 'a' }), to: WORKER }]);
    expect(states.all()).toEqual([[stateNumber('accepted')]]);
    expect(await taken).toHaveLength(1);
  });

  /** Waits for a settlement that another handle makes after `spoil`; answers how long it took to hear of it. */
  async function timeToHear(spoil: (bells: string) => void): Promise<number> {
    const path = newPath();
    const [waiter, other] = [openStore(path), openStore(path)];
    await put(other, openingOf({ id: 'a' }));
    const bells = join(dirname(path), 'bells');
    const patience = AbortSignal.timeout(PATIENCE_MS);
    let heard = waiter.changed(SETTLED, patience);
    await until('it listens', () => existsSync(join(bells, 'settled')));
    spoil(bells);
    let settledAt = 0;
    const looking = (async (): Promise<number> => {
      for (;;) {
        await heard;
        const whole = await waiter.load(idOf('a'));
        if (patience.aborted) throw new Error('nobody was told');
        if (whole?.handoff.state === 'cancelled') return performance.now() - settledAt;
        // To lose its bell is a change as well: whoever hears that looks, and then waits again.
        heard = waiter.changed(SETTLED, patience);
      }
    })();
    const [answer] = await other.change([idOf('a')], cancelled);
    settledAt = performance.now();
    valueOf(answer);
    return looking;
  }

  it('I18: ring for those who wait in another process', async () => {
    const tookMs = await timeToHear(() => undefined);
    console.log(`heard by the bell after ${tookMs.toFixed(1)} ms`);
    expect(tookMs).toBeLessThan(PATIENCE_MS);
  });

  it.each([
    ['is deleted', (bells: string) => rmSync(join(bells, 'settled'))],
    ['is deleted with its folder', (bells: string) => rmSync(bells, { recursive: true })],
    [
      'is replaced by a folder',
      (bells: string) => {
        rmSync(join(bells, 'settled'));
        mkdirSync(join(bells, 'settled'));
      },
    ],
  ])('I18: when the bell %s, the poll tells', async (_what, spoil) => {
    const tookMs = await timeToHear(spoil);
    console.log(`heard by the poll of ${POLL_MS} ms after ${tookMs.toFixed(1)} ms`);
    expect(tookMs).toBeLessThan(PATIENCE_MS);
  });

  it('are made new when they are gone, and never stop a change', async () => {
    const path = newPath();
    const store = openStore(path);
    const bells = join(dirname(path), 'bells');
    rmSync(bells, { recursive: true });
    await put(store, openingOf({ id: 'a' }));
    rmSync(bells, { recursive: true, force: true });
    writeFileSync(bells, 'a file where the folder was');
    await put(store, openingOf({ id: 'b' }));
    expect((await store.find({ by: 'filter', max: 10 })).items).toHaveLength(2);
  });

  it('I20, I21: of agents have names that stay inside their folder, and only so many stay open', () => {
    const folder = join(tempFolder(), 'bells');
    const bells = notifyFilesIn(folder);
    const agents = [
      WORKER,
      ...Array.from({ length: 600 }, (_, index) => agentOf(`agent-${index}`)),
      agentOf('settled'),
    ];
    bells.notify(agents, true);
    expect(existsSync(join(folder, '@settled'))).toBe(true);
    expect(existsSync(join(folder, 'settled'))).toBe(true);
    bells.close();
  });
});
