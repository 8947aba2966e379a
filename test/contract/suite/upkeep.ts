/** The duty: one process per host, and a takeover only from one that is really gone. */
import { describe, expect, it } from 'vitest';
import type { ClockObservation } from '../../../src/foundation/clock.ts';
import type { Store } from '../../../src/stores/store.ts';
import { idOf, openingOf, processOf, THIS_BOOT } from '../builders.ts';
import { put, soundRecordOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

const [ONE, TWO] = [processOf({ pid: 1 }), processOf({ pid: 2 })];
const LONG_MS = 60 * 60_000;

export function describeUpkeep(open: OpenStore): void {
  describe('upkeep', () => {
    it('the first to ask gets the duty, and keeps it by asking again', async () => {
      const { store } = await open();
      expect(await store.upkeep.dutyHolder(ONE)).toBeNull();
      expect(await store.upkeep.takeDuty(ONE, null)).toBe(true);
      expect(await store.upkeep.takeDuty(ONE, null)).toBe(true);
      const holder = await store.upkeep.dutyHolder(ONE);
      expect(holder).toEqual({ process: ONE, silentForMs: expect.any(Number) as unknown });
      expect(holder?.silentForMs).toBeLessThan(LONG_MS);
    });

    it('the second to ask does not get it, nor one that only looks alike', async () => {
      const { store } = await open();
      await store.upkeep.takeDuty(ONE, null);
      const alike = [{ pid: 2 }, { startedAt: '1001' }];
      for (const parts of alike) expect(await store.upkeep.takeDuty({ ...ONE, ...parts }, null)).toBe(false);
      expect((await store.upkeep.dutyHolder(ONE))?.process).toEqual(ONE);
    });

    it('whoever judged the holder gone takes its place', async () => {
      const { store } = await open();
      await store.upkeep.takeDuty(ONE, null);
      const gone = await store.upkeep.dutyHolder(ONE);
      expect(await store.upkeep.takeDuty(TWO, gone)).toBe(true);
      expect((await store.upkeep.dutyHolder(ONE))?.process).toEqual(TWO);
      expect(await store.upkeep.takeDuty(ONE, null)).toBe(false);
    });

    it('a judgement about somebody else takes nobody’s place', async () => {
      const { store } = await open();
      await store.upkeep.takeDuty(ONE, null);
      const judged = { process: { ...ONE, startedAt: '999' }, silentForMs: 0 };
      expect(await store.upkeep.takeDuty(TWO, judged)).toBe(false);
      expect((await store.upkeep.dutyHolder(ONE))?.process).toEqual(ONE);
    });

    it('a holder that has been heard since it was judged keeps the duty', async () => {
      const { store } = await open();
      await store.upkeep.takeDuty(ONE, null);
      expect(await store.upkeep.takeDuty(TWO, { process: ONE, silentForMs: LONG_MS })).toBe(false);
      expect((await store.upkeep.dutyHolder(ONE))?.process).toEqual(ONE);
    });

    it('where nobody holds it any more, a judgement does no harm', async () => {
      const { store } = await open();
      expect(await store.upkeep.takeDuty(TWO, { process: ONE, silentForMs: LONG_MS })).toBe(true);
    });

    it('of many that take the place of the same holder, one gets it', async () => {
      const { store } = await open();
      await store.upkeep.takeDuty(ONE, null);
      const gone = await store.upkeep.dutyHolder(ONE);
      const takers = Array.from({ length: 20 }, async (_, index) =>
        store.upkeep.takeDuty(processOf({ pid: 100 + index }), gone),
      );
      expect((await Promise.all(takers)).filter(Boolean)).toHaveLength(1);
    });

    it('who leaves makes room; who has it not, leaves nothing', async () => {
      const { store } = await open();
      await store.upkeep.takeDuty(ONE, null);
      await store.upkeep.leaveDuty(TWO);
      expect((await store.upkeep.dutyHolder(ONE))?.process).toEqual(ONE);
      await store.upkeep.leaveDuty(ONE);
      expect(await store.upkeep.dutyHolder(ONE)).toBeNull();
      expect(await store.upkeep.takeDuty(TWO, null)).toBe(true);
    });

    it('every machine, boot and space of process ids has its own duty, whatever the host is called', async () => {
      const { store } = await open();
      const places = [{}, { machine: 'machine-2' }, { boot: 'boot-2' }, { pidSpace: 'space-2' }].map((parts) => ({
        ...ONE,
        ...parts,
      }));
      for (const process of places) expect(await store.upkeep.takeDuty(process, null)).toBe(true);
      for (const process of places.slice(0, 2)) {
        expect((await store.upkeep.dutyHolder(process))?.process).toEqual(process);
      }
    });

    it('every host has its own duty', async () => {
      const { store } = await open();
      const elsewhere = processOf({ host: 'host-2' });
      expect(await store.upkeep.takeDuty(ONE, null)).toBe(true);
      expect(await store.upkeep.takeDuty(elsewhere, null)).toBe(true);
      await store.upkeep.leaveDuty(elsewhere);
      expect((await store.upkeep.dutyHolder(ONE))?.process).toEqual(ONE);
      expect(await store.upkeep.dutyHolder(elsewhere)).toBeNull();
    });

    it('I19: the silence of the holder grows with time and ends with its next word', async ({ skip }) => {
      const { store, clock, controlsTime } = await open();
      // How long a silence is can only be said exactly with a clock in our hands.
      skip(!controlsTime, 'the store has its own clock');
      await store.upkeep.takeDuty(ONE, null);
      clock.advance(5000);
      clock.turn(-24 * LONG_MS);
      const judged = await store.upkeep.dutyHolder(ONE);
      expect(judged?.silentForMs).toBe(5000);
      await store.upkeep.takeDuty(ONE, null);
      clock.advance(4999);
      expect(await store.upkeep.takeDuty(TWO, judged)).toBe(false);
      expect(await store.upkeep.dutyHolder(ONE)).toEqual({ process: ONE, silentForMs: 4999 });
    });

    it('I19: a wall clock that ran beside the monotonic one was not set, whoever looks', async () => {
      const { store, reopen, clock } = await open();
      const beganMs = performance.now();
      const look = (of: Store): Promise<ClockObservation> =>
        of.upkeep.checkClock({
          boot: THIS_BOOT,
          monotonicMs: clock.monotonicMs() + Math.floor(performance.now() - beganMs),
        });
      expect(await look(store)).toEqual({ steadyMs: 0, wasSet: false });
      clock.advance(1_000);
      expect(await look(reopen === null ? store : await reopen())).toMatchObject({ wasSet: false });
    });

    it('I19: a wall clock that was set is noticed by whoever looks next, and runs undisturbed from then on', async () => {
      const { store } = await open();
      const DAY_MS = 24 * LONG_MS;
      const look = (monotonicMs: number, boot = THIS_BOOT): Promise<ClockObservation> =>
        store.upkeep.checkClock({ boot, monotonicMs });
      await look(3 * DAY_MS);
      // It ran a day further, or a day less, than the time that has passed.
      expect(await look(2 * DAY_MS)).toEqual({ steadyMs: 0, wasSet: true });
      expect(await look(3 * DAY_MS)).toEqual({ steadyMs: 0, wasSet: true });
      expect(await look(3 * DAY_MS)).toMatchObject({ wasSet: false });
      // The last look of another boot was a moment ago: there was no time for a jump.
      expect(await look(1, 'boot-2')).toMatchObject({ wasSet: false });
    });

    it('I19: after a pause nobody of another boot knows what the clock did meanwhile', async ({ skip }) => {
      const { store, clock, controlsTime } = await open();
      skip(!controlsTime, 'the store has its own clock');
      const look = (boot: string): Promise<ClockObservation> =>
        store.upkeep.checkClock({ boot, monotonicMs: clock.monotonicMs() });
      await look(THIS_BOOT);
      clock.advance(LONG_MS);
      expect(await look(THIS_BOOT)).toEqual({ steadyMs: LONG_MS, wasSet: false });
      clock.advance(1_000);
      expect(await look('boot-2')).toEqual({ steadyMs: LONG_MS + 1_000, wasSet: false });
      clock.advance(LONG_MS);
      expect(await look(THIS_BOOT)).toEqual({ steadyMs: 0, wasSet: false });
    });

    it('tending changes nothing that anybody can see', async () => {
      const { store } = await open();
      const [made] = await put(store, openingOf({ id: 'a' }));
      await store.upkeep.maintain();
      await store.upkeep.maintain();
      expect(await soundRecordOf(store, idOf('a'))).toEqual(made);
    });
  });
}
