/** One seed, one story: the real engine over the memory store, in a world that goes wrong and then is kind. */
import { decideBy } from '../../src/engine/change.ts';
import type { Fact } from '../../src/domain/facts.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import type { Limits } from '../../src/domain/limits.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import type { Store } from '../../src/stores/store.ts';
import type { Clock, Timers } from '../../src/foundation/clock.ts';
import { handRole } from './actors/manual-worker.ts';
import { judgeRole } from './actors/judge.ts';
import { latecomerRole } from './actors/latecomer.ts';
import { senderRole } from './actors/sender.ts';
import { dutyRole, workerRole } from './actors/worker.ts';
import { noCounts, type Counters } from './counters.ts';
import { BY_HAND, drawErrands, drawLimits, JUDGE, SENDERS, WORKED } from './requests.ts';
import { drawRates, openFaults } from './faults.ts';
import { openInspector, type Complaint, type InvariantName } from './inspector.ts';
import { contentOf, exported, imported, memoryStore } from '../transfer/sample.ts';
import type { Broken, Remains } from './invariants.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { openObserver } from './observing.ts';
import { openScheduler } from './scheduler.ts';
import { seededRandom, type SeededRandom } from './seeded-random.ts';
import { openTrace, type Trace } from './trace.ts';
import { bringTomorrow, cutPower, inspectTheDead, keepRunning, MACHINE, setClocks, type World } from './world.ts';

export interface Story {
  readonly seed: number;
  readonly complaints: readonly Complaint[];
  readonly counters: Counters;
  readonly trace: Trace;
}

/** The code broken on purpose, in one of the places that the engine trusts. */
export interface Mutant {
  readonly breaks: InvariantName;
  readonly store?: (store: Store, random: SeededRandom, clock: Clock) => Store;
  readonly limits?: Limits;
  readonly decideBy?: typeof decideBy;
  readonly misjudge?: World['misjudge'];
}

/** Short, so that a story has many of them. */
const LEASE_MS = 1_500;
const STORM_MS = 15_000;
const CALM_MS = 60_000;

export async function simulate(seed: number, mutant: Mutant | null = null): Promise<Story> {
  const random = seededRandom(seed);
  const trace = openTrace();
  const scheduler = openScheduler(random.fork(), trace);
  const counters = noCounts();
  const limits = drawLimits(random);
  const inspector = openInspector(openLedger(limits, LEASE_MS), mutant === null ? undefined : [mutant.breaks]);
  const { ledger } = inspector;
  const store = openStore(mutant, limits, scheduler.clock, scheduler.timersOf(MACHINE), random.fork());
  const rates = drawRates(random);
  const faults = openFaults({ random: random.fork(), rates, scheduler, counters, leaseMs: LEASE_MS });
  const observer = openObserver(store, inspector, scheduler.clock, trace);
  const world: World = {
    random,
    trace,
    scheduler,
    counters,
    inspector,
    faults,
    passage: { inner: store, scheduler, faults, observer, ledger },
    leaseMs: LEASE_MS,
    livenessKnown: random.chance(0.6),
    decideBy: mutant?.decideBy ?? decideBy,
    misjudge: mutant?.misjudge ?? ((truth) => truth),
    processes: [],
    groups: new Set(),
    isCalm: false,
  };
  const errands = SENDERS.flatMap((sender) => {
    const theirs = drawErrands(random, sender, random.between(4, 8));
    keepRunning(world, senderRole(world, sender, theirs));
    return theirs;
  });
  populate(world);
  void inspectTheDead(world);
  void setClocks(world, random.between(0, 3), STORM_MS);
  if (random.chance(0.1)) void cutPower(world, STORM_MS);
  void endTheStorm(world);

  const endMs = scheduler.clock.monotonicMs() + STORM_MS + CALM_MS;
  const isDone = (): boolean => ledger.open === 0 && errands.every((errand) => errand.id !== null && errand.isOver);
  await scheduler.run(() => inspector.complaints.length > 0 || scheduler.clock.monotonicMs() > endMs || isDone());
  const unanswered = errands.filter((errand) => !errand.isOver).map(({ id, key }) => id ?? (key as HandoffId));
  if (inspector.complaints.length === 0) inspector.atTheEnd(await remainsOf(store, ledger), unanswered);
  if (mutant === null) inspector.complain('I1', await lostInTransfer(store));
  countFacts(ledger, counters);
  return { seed, complaints: inspector.complaints, counters, trace };
}

function openStore(mutant: Mutant | null, limits: Limits, clock: Clock, timers: Timers, random: SeededRandom): Store {
  const store = openMemoryStore({ clock, timers, limits: mutant?.limits ?? limits });
  return mutant?.store === undefined ? store : mutant.store(store, random, clock);
}

function populate(world: World): void {
  const { random } = world;
  for (const agent of WORKED) {
    const count = random.between(1, 2);
    for (let nth = 0; nth < count; nth += 1) keepRunning(world, workerRole(world, agent, random.chance(0.5)));
  }
  keepRunning(world, dutyRole());
  if (random.chance(0.5)) keepRunning(world, dutyRole());
  keepRunning(world, handRole(world, BY_HAND));
  keepRunning(world, judgeRole(world, JUDGE));
  keepRunning(world, latecomerRole(world));
}

async function endTheStorm(world: World): Promise<void> {
  await world.scheduler.timersOf(MACHINE).sleep(STORM_MS);
  world.isCalm = true;
  world.faults.cease();
  await bringTomorrow(world);
}

/** Whatever the engine has brought about survives an export, an import elsewhere and another export. */
async function lostInTransfer(store: Store): Promise<Broken> {
  const first = await exported(store);
  const other = memoryStore();
  const answer = await imported(other, first.text);
  if (!answer.ok) return `an import refuses what was exported: ${JSON.stringify(answer.refusal)}`;
  const second = await exported(other);
  const isSame =
    first.damaged === 0 && JSON.stringify(contentOf(second.text)) === JSON.stringify(contentOf(first.text));
  return isSame ? null : `${first.count} were exported, ${second.count} came out again`;
}

/** All processes are forgotten; only what the store holds is left, as after a power cut. */
async function remainsOf(store: Store, ledger: Ledger): Promise<Remains> {
  const records = new Map<HandoffId, Handoff>();
  const trails = new Map<HandoffId, readonly Fact[]>();
  const known = new Set([...ledger.records.keys(), ...ledger.acknowledged.map(({ id }) => id)]);
  for (const id of known) {
    const whole = await store.load(id);
    if (whole !== null) records.set(id, whole.handoff);
    const read = await store.facts({ handoff: id, max: 10_000 });
    trails.set(
      id,
      read.map(({ fact }) => fact),
    );
  }
  return { records, trails };
}

function countFacts(ledger: Ledger, counters: Counters): void {
  for (const { deed, by, from, to, detail } of [...ledger.trails.values()].flat()) {
    const isTimeout = detail.includes('"TIMEOUT"');
    if (to === 'completed') counters.completed += 1;
    if (to === 'cancelled') counters.cancelled += 1;
    if (deed === 'retry') counters.retries += 1;
    if (deed === 'fail') counters.givenUp += 1;
    if (deed === 'unblock') counters.unblocked += 1;
    if (deed === 'expire') counters.expired += 1;
    if (deed === 'reoffer') counters.reworked += 1;
    if (deed === 'release' && by !== 'system') counters.givenBack += 1;
    if (deed === 'release' && detail.includes('time is up')) counters.handLeasesLost += 1;
    if (isTimeout && from === 'accepted') counters[by === 'system' ? 'timeoutsBySweep' : 'timeoutsByWorker'] += 1;
  }
}
