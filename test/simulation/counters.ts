/** How often each kind of trouble really happened, so that the simulation cannot quietly test nothing. */
export const COUNTED = [
  'sent',
  'completed',
  'crashes',
  'dutyCrashes',
  'powerCuts',
  'stops',
  'hangs',
  'refusedCalls',
  'lostAnswers',
  'slowCalls',
  'clockJumps',
  'repeatedSends',
  'reusedRequests',
  'retries',
  'timeoutsByWorker',
  'timeoutsBySweep',
  'leaseLost',
  'staleFences',
  'sessionsLost',
  'recovered',
  'givenUp',
  'handLeasesLost',
  'givenBack',
  'limitRefusals',
  'ownWorkRefusals',
  'cancelled',
  'reworked',
  'unblocked',
  'expired',
  'waitsTimedOut',
  'waitsAnswered',
  'groupsEnded',
] as const;

type Counted = (typeof COUNTED)[number];
export type Counters = Record<Counted, number>;

export function noCounts(): Counters {
  return Object.fromEntries(COUNTED.map((name) => [name, 0])) as Counters;
}

export function addCounts(sum: Counters, more: Counters): void {
  for (const name of COUNTED) sum[name] += more[name];
}
