/** Asks the invariants at the right moments and keeps what they complain about. */
import type { Handoff } from '../../src/domain/handoff.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import * as invariants from './invariants.ts';
import type { Broken, Remains } from './invariants.ts';
import type { Call, Ledger, Waited } from './ledger.ts';
import type { SimulatedProcess } from './processes.ts';

export const INVARIANTS = [
  'I1',
  'I2',
  'I3',
  'I4',
  'I5',
  'I6',
  'I7',
  'I8',
  'I12',
  'I13',
  'I14',
  'I15',
  'I17',
  'I18',
  'I19',
  'one tree',
  'everything ends',
  'nothing throws',
] as const;
export type InvariantName = (typeof INVARIANTS)[number];

export interface Complaint {
  readonly invariant: InvariantName;
  readonly says: string;
}

export interface Inspector {
  readonly ledger: Ledger;
  readonly complaints: readonly Complaint[];
  complain(invariant: InvariantName, says: Broken): void;
  afterCall(call: Call): void;
  afterEntry(call: Call): void;
  afterTold(call: Call): void;
  afterRead(process: SimulatedProcess, shown: readonly Handoff[]): void;
  onStart(process: SimulatedProcess, handoff: Handoff): void;
  onCommand(handoff: Handoff, livingGroup: number | null): void;
  onWaited(waited: Waited): void;
  onLook(nowMs: number, watchedSinceMs: number, patienceMs: number): void;
  atTheEnd(remains: Remains, unanswered: readonly HandoffId[]): void;
}

type OfCall = readonly [InvariantName, (call: Call, ledger: Ledger) => Broken];

const OF_EACH_CALL: readonly OfCall[] = [
  ['I1', invariants.i1RevisionsAreDense],
  ['I2', invariants.i2FinalIsLast],
  ['I4', invariants.i4RefusedChangedNothing],
  ['I5', invariants.i5OneRequestOneEffect],
  ['I6', invariants.i6FencesGrow],
  ['I12', invariants.i12LegalAndEntitled],
  ['I13', invariants.i13AttemptsWithinBounds],
  ['I14', invariants.i14LivingKeepTheirs],
  ['I19', invariants.i19ClocksTakeNothing],
];

/** With `only`, everything else may break without a word: a store that is broken on purpose often breaks more than one. */
export function openInspector(ledger: Ledger, only: readonly InvariantName[] = INVARIANTS): Inspector {
  const complaints: Complaint[] = [];
  const complain = (invariant: InvariantName, says: Broken): void => {
    if (says !== null && only.includes(invariant)) complaints.push({ invariant, says });
  };
  const ask = (invariant: InvariantName, question: () => Broken): void => {
    if (only.includes(invariant)) complain(invariant, question());
  };
  const afterRead = (process: SimulatedProcess, shown: readonly Handoff[]): void =>
    ask('I17', () => invariants.i17NeverBackwards(process, shown, ledger));
  return {
    ledger,
    complaints,
    complain,
    afterCall(call) {
      for (const [invariant, holds] of OF_EACH_CALL) ask(invariant, () => holds(call, ledger));
      afterRead(
        call.process,
        call.answers.flatMap((answer) => (answer.ok ? [answer.value] : [])),
      );
    },
    afterEntry: (call) => ask('I15', () => invariants.i15LimitsHold(call, ledger)),
    afterTold: (call) => ask('I7', () => invariants.i7CompletedOnce(call, ledger)),
    afterRead,
    onStart: (process, handoff) => ask('I8', () => invariants.i8AcceptedBeforeStarted(process, handoff, ledger)),
    onCommand: (handoff, livingGroup) => ask('one tree', () => invariants.oneTree(handoff, livingGroup)),
    onWaited: (waited) => ask('I18', () => invariants.i18WaitersReturn(waited, ledger)),
    onLook: (nowMs, watchedSinceMs, patienceMs) =>
      ask('I14', () => invariants.i14DeadLoseTheirs(ledger, nowMs, watchedSinceMs, patienceMs)),
    atTheEnd(remains, unanswered) {
      ask('I1', () => invariants.i1TrailsAddUp(remains));
      ask('I3', () => invariants.i3AcknowledgedIsThere(remains, ledger));
      ask('everything ends', () => invariants.everythingEnds(ledger, unanswered));
    },
  };
}
