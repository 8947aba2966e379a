import { nextClockMark, type Clock, type ClockMark } from '../../foundation/clock.ts';
import { isSameProcess, placeOf } from '../../foundation/process-identity.ts';
import type { DutyHolder, ProcessIdentity, Upkeep } from '../store.ts';
import { audit } from './audit.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Tables } from './tables.ts';

interface Duty {
  readonly process: ProcessIdentity;
  readonly beatAtMs: number;
}

export function openUpkeep(tables: Tables, clock: Clock): Upkeep {
  const duties = new Map<string, Duty>();
  let mark: ClockMark | null = null;
  const silence = (duty: Duty): number => clock.monotonicMs() - duty.beatAtMs;
  return {
    async dutyHolder(process) {
      const duty = duties.get(placeOf(process));
      return duty === undefined ? null : { process: duty.process, silentForMs: silence(duty) };
    },
    async takeDuty(process, instead) {
      const duty = duties.get(placeOf(process));
      const isFree =
        duty === undefined ||
        isSameProcess(duty.process, process) ||
        isStillSilent(duty.process, silence(duty), instead);
      if (isFree) duties.set(placeOf(process), { process: frozenCopy(process), beatAtMs: clock.monotonicMs() });
      return isFree;
    },
    async leaveDuty(process) {
      const duty = duties.get(placeOf(process));
      if (duty !== undefined && isSameProcess(duty.process, process)) duties.delete(placeOf(process));
    },
    async checkClock(own) {
      const next = nextClockMark(mark, { ...own, wallMs: clock.nowMs() });
      mark = next.mark;
      return next.observation;
    },
    async maintain() {},
    audit: async () => audit(tables),
    feedHolders: () => Promise.resolve([]),
  };
}

/** False: the holder has sent a heartbeat since it was found gone. */
function isStillSilent(holder: ProcessIdentity, silentForMs: number, judged: DutyHolder | null): boolean {
  return judged !== null && isSameProcess(holder, judged.process) && silentForMs >= judged.silentForMs;
}
