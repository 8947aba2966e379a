import type { Clock } from '../../foundation/clock.ts';
import type { DutyHolder, ProcessIdentity, Upkeep } from '../store.ts';
import { audit } from './audit.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Shelf } from './shelf.ts';

interface Duty {
  readonly process: ProcessIdentity;
  readonly beatAtMs: number;
}

export function openUpkeep(shelf: Shelf, clock: Clock): Upkeep {
  const duties = new Map<string, Duty>();
  const silence = (duty: Duty): number => clock.monotonicMs() - duty.beatAtMs;
  return {
    async dutyHolder(host) {
      const duty = duties.get(host);
      return duty === undefined ? null : { process: duty.process, silentForMs: silence(duty) };
    },
    async takeDuty(process, instead) {
      const duty = duties.get(process.host);
      const isFree =
        duty === undefined || isSame(duty.process, process) || isStillGone(duty.process, silence(duty), instead);
      if (isFree) duties.set(process.host, { process: frozenCopy(process), beatAtMs: clock.monotonicMs() });
      return isFree;
    },
    async leaveDuty(process) {
      const duty = duties.get(process.host);
      if (duty !== undefined && isSame(duty.process, process)) duties.delete(process.host);
    },
    async tend() {},
    async audit() {
      return audit(shelf);
    },
    feedHolders: () => Promise.resolve([]),
  };
}

/** A holder that has been heard since it was judged is less silent than the judgement says. */
function isStillGone(holder: ProcessIdentity, silentForMs: number, judged: DutyHolder | null): boolean {
  return judged !== null && isSame(holder, judged.process) && silentForMs >= judged.silentForMs;
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return (
    one.host === other.host &&
    one.boot === other.boot &&
    one.pidSpace === other.pidSpace &&
    one.pid === other.pid &&
    one.startedAt === other.startedAt
  );
}
