/**
 * Workers and senders of ours and programs that only know files, in one queue folder, with every interleaving that the
 * seed draws. Foreign programs do what the specification's Python does: they rename first and write after, in several
 * steps, without looking again.
 */
import { present } from '../../../src/foundation/assert.ts';
import { isFinal } from '../../../src/domain/lifecycle.ts';
import type { Timers } from '../../../src/foundation/clock.ts';
import { NO_LIMITS } from '../../../src/domain/limits.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../../src/domain/names.ts';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { DEFAULT_RETRY } from '../../../src/domain/retry-policy.ts';
import { NO_RULES, type Context, type QueueMirror } from '../../../src/engine/context.ts';
import { claimByHand } from '../../../src/engine/handoffs/claim.ts';
import { deliver } from '../../../src/engine/handoffs/deliver.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import { openQueueMirror } from '../../../src/engine/queue/queue-mirror.ts';
import { checkOnce } from '../../../src/engine/stall-detection.ts';
import { sweep } from '../../../src/engine/sweep.ts';
import { openMemoryStore } from '../../../src/stores/memory/memory-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { openScheduler, type Scheduler, type Strand } from '../scheduler.ts';
import { seededRandom, type SeededRandom } from '../seeded-random.ts';
import { openTrace } from '../trace.ts';
import { openDisk, type Disk } from './disk-model.ts';

const [ME, REACT] = ['me', 'react'].map((name) => present(readAgentId(name), name)) as [AgentId, AgentId];
const WORKER = agentPrincipal(REACT);
const OURS = 4;
const THEIRS = 4;
const WORK_MAX_MS = 3_000;
const TIME_MAX_MS = 15 * 60_000;
/** Longer than every patience of ours with files that say nothing. */
const QUIET_MS = 70_000;
const CALM_LEASE_MS = 10 * 60_000;
const ROUGH_LEASE_MS = 4_000;

export interface QueueStory {
  /** What does not hold; empty is good. */
  readonly broken: readonly string[];
  readonly trace: readonly string[];
  readonly byOurs: number;
  readonly byTheirs: number;
  readonly aside: number;
}

interface Play {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly store: Store;
  readonly disk: Disk;
  /** Processes end in the middle, and leases are short. */
  readonly isRough: boolean;
  readonly leaseMs: number;
  readonly started: { readonly id: HandoffId; readonly by: string }[];
  /** Answers that were given whole, by their mark. */
  readonly answers: Map<string, HandoffId>;
  /** Answers over which a foreign program has written itself. */
  readonly overwritten: Set<string>;
  readonly faults: string[];
  /** Nobody begins anything new. */
  isOver: boolean;
  /** Every patience with files is over too. */
  isQuiet: boolean;
}

interface Actor extends Strand {
  readonly random: SeededRandom;
  turn(what: string): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** In a rough story it may be the last thing that this one did. */
  mayDie(): void;
}

export async function simulateNaiveQueue(seed: number): Promise<QueueStory> {
  const random = seededRandom(seed);
  const trace = openTrace();
  const scheduler = openScheduler(random.fork(), trace);
  const isRough = random.chance(0.5);
  const play: Play = {
    scheduler,
    random,
    store: openMemoryStore({ clock: scheduler.clock, limits: NO_LIMITS }),
    disk: openDisk(() => scheduler.clock.monotonicMs()),
    isRough,
    leaseMs: isRough ? ROUGH_LEASE_MS : CALM_LEASE_MS,
    started: [],
    answers: new Map(),
    overwritten: new Set(),
    faults: [],
    isOver: false,
    isQuiet: false,
  };
  let isEnded = false;
  const ids: HandoffId[] = [];
  const acting = [
    cast(play, 'sender', (actor) => ourSender(play, actor, ids)),
    cast(play, 'their sender', (actor) => theirSender(play, actor, ids)),
  ];
  for (let n = random.between(1, 3); n > 0; n -= 1) void cast(play, `worker ${n}`, (actor) => ourWorker(play, actor));
  for (let n = random.between(1, 3); n > 0; n -= 1)
    void cast(play, `their worker ${n}`, (actor) => theirWorker(play, actor));
  for (let n = random.between(1, 2); n > 0; n -= 1) void cast(play, `duty ${n}`, (actor) => duty(play, actor));
  void Promise.all(acting).then(async () => {
    await theEnd(play, ids);
    isEnded = true;
  });
  await scheduler.run(() => isEnded);
  const broken = await judge(play, ids);
  const byTheirs = [...play.answers.keys()].filter((mark) => mark.startsWith('their')).length;
  return {
    broken,
    trace: trace.last(400),
    byTheirs,
    byOurs: play.answers.size - byTheirs,
    aside: play.disk.quarantined.length,
  };
}

/** Senders are waited for; whoever dies is followed by another one of the same name. */
function cast(play: Play, name: string, act: (actor: Actor) => Promise<void>): Promise<void> {
  const { scheduler } = play;
  const random = play.random.fork();
  return new Promise((resolve) => {
    const begin = (): void => {
      let isDead = false;
      const strand: Strand = { name, mayRun: () => (isDead ? 'never' : 'now') };
      const actor: Actor = {
        ...strand,
        random,
        turn: (what) => scheduler.turn(strand, what),
        sleep: (ms) => scheduler.timersOf(strand).sleep(ms),
        mayDie: () => {
          if (!play.isRough || play.isOver || name.includes('sender') || isDead || !random.chance(0.02)) return;
          isDead = true;
          begin();
        },
      };
      act(actor).then(resolve, (error: unknown) => {
        play.faults.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
        resolve();
      });
    };
    begin();
  });
}

function contextOf(
  play: Play,
  actor: Actor,
  timers: Timers = play.scheduler.timersOf(actor),
): { readonly ctx: Context; readonly queue: QueueMirror } {
  const turn = async (what: string): Promise<void> => {
    actor.mayDie();
    await actor.turn(what);
  };
  const bare: Context = {
    store: yielding(play.store, turn),
    clock: play.scheduler.clock,
    timers,
    random: actor.random,
    liveness: {
      self: { boot: 'b' },
      of: () => 'alive',
      isStopped: () => false,
      endGroup: async () => undefined,
    } as never,
    heartbeat: {} as never,
    leaseMs: play.leaseMs,
    rules: NO_RULES,
    report: (event) => {
      if (event.kind === 'fault') play.faults.push(`${actor.name}: ${event.doing}: ${String(event.error)}`);
    },
  };
  const queue = openQueueMirror(bare, play.disk.folderOf(turn));
  return { ctx: { ...bare, rules: { ...NO_RULES, queue } }, queue };
}

const AT_ONCE: ReadonlySet<string | symbol> = new Set(['nowMs', 'changed', 'close']);

/** Before and after every call anybody else may have had a turn. */
function yielding(store: Store, turn: (what: string) => Promise<void>): Store {
  return new Proxy(store, {
    get: (target, name, self: unknown) => {
      const part: unknown = Reflect.get(target, name, self);
      if (typeof part !== 'function' || AT_ONCE.has(name)) return part;
      return async (...asked: unknown[]) => {
        await turn(`asks ${String(name)}`);
        const answer: unknown = await (part as (...all: unknown[]) => unknown).apply(target, asked);
        await turn(`hears ${String(name)}`);
        return answer;
      };
    },
  });
}

async function ourSender(play: Play, actor: Actor, ids: HandoffId[]): Promise<void> {
  const { ctx } = contextOf(play, actor);
  const retry = { ...DEFAULT_RETRY, delayMs: 0, retriesMax: 50 };
  for (let n = 0; n < OURS; n += 1) {
    const terms = { attemptTimeoutMs: play.leaseMs, retry };
    const sent = await send(ctx, agentPrincipal(ME), { from: ME, to: REACT, input: { n }, terms });
    if (sent.ok) ids.push(sent.value.id);
    else play.faults.push(`send: ${sent.refusal.code}`);
    await actor.sleep(actor.random.between(0, 500));
  }
}

/** Draft and rename; in a rough story in place, in two parts. */
async function theirSender(play: Play, actor: Actor, ids: HandoffId[]): Promise<void> {
  for (let n = 0; n < THEIRS; n += 1) {
    const id = `theirs-${n}` as HandoffId;
    const text = JSON.stringify({
      handoff_id: id,
      source: { agent_id: '@me' },
      target: { agent_id: '@react' },
      input: { data: { n } },
      timeout_seconds: play.leaseMs / 1000,
      retry_policy: { max_retries: 50, retry_delay_seconds: 0, backoff_multiplier: 1 },
    });
    await actor.turn(`writes pending/${id}`);
    const file = play.disk.create('pending', id);
    if (play.isRough && actor.random.chance(0.5)) {
      await actor.turn('writes a part');
      play.disk.write(file, text.slice(0, actor.random.below(text.length)));
      await actor.turn('writes the rest');
    }
    play.disk.write(file, text);
    ids.push(id);
    await actor.sleep(actor.random.between(0, 500));
  }
}

async function ourWorker(play: Play, actor: Actor): Promise<void> {
  const { ctx } = contextOf(play, actor);
  while (!play.isOver) {
    const claimed = await claimByHand(ctx, WORKER, REACT, play.leaseMs);
    if (claimed === null) {
      await actor.sleep(actor.random.between(1, 300));
      continue;
    }
    const { id, fence } = claimed.handoff;
    play.started.push({ id, by: actor.name });
    await actor.sleep(actor.random.between(0, WORK_MAX_MS));
    actor.mayDie();
    const mark = `ours-${play.answers.size}-${play.started.length}`;
    const done = await deliver(ctx, WORKER, { target: id, fence, result: { mark } });
    if (done.ok) play.answers.set(mark, id);
  }
}

/** As the specification's functions do it. */
async function theirWorker(play: Play, actor: Actor): Promise<void> {
  const { disk } = play;
  const step = async (what: string): Promise<void> => {
    actor.mayDie();
    await actor.turn(what);
  };
  while (!play.isOver) {
    await step('lists pending');
    const [id] = disk.list('pending').toSorted();
    if (id === undefined) {
      await actor.sleep(actor.random.between(1, 300));
      continue;
    }
    await step(`moves ${id} to in-progress`);
    if (!disk.rename(id, 'pending', 'in-progress')) continue;
    const fields = await readIn(play, step, 'in-progress', id);
    if (fields === null) continue;
    play.started.push({ id, by: actor.name });
    await overwrite(play, step, 'in-progress', id, { ...fields, status: 'in_progress', started_at: 'now' });
    await actor.sleep(actor.random.between(0, WORK_MAX_MS));
    const again = await readIn(play, step, 'in-progress', id);
    if (again === null) continue;
    const mark = `their-${play.answers.size}-${play.started.length}`;
    await step(`moves ${id} to completed`);
    noteOverwritten(play, disk.at('completed', id)?.text);
    if (!disk.rename(id, 'in-progress', 'completed')) continue;
    const answered = { ...again, status: 'completed', completed_at: 'now', output: { mark } };
    if (await overwrite(play, step, 'completed', id, answered)) play.answers.set(mark, id);
  }
}

async function readIn(
  { disk }: Play,
  step: (what: string) => Promise<void>,
  place: 'in-progress',
  id: HandoffId,
): Promise<object | null> {
  await step(`reads ${place}/${id}`);
  try {
    return JSON.parse(disk.at(place, id)?.text ?? '') as object;
  } catch {
    // The program ends with an error, and another one is started.
    return null;
  }
}

/** Opens, which empties or makes the file, and writes later, wherever the file is by then. */
async function overwrite(
  play: Play,
  step: (what: string) => Promise<void>,
  place: 'in-progress' | 'completed',
  id: HandoffId,
  fields: object,
): Promise<boolean> {
  await step(`opens ${place}/${id}`);
  noteOverwritten(play, play.disk.at(place, id)?.text);
  const file = play.disk.create(place, id);
  await step(`writes ${place}/${id}`);
  noteOverwritten(play, file.text);
  play.disk.write(file, JSON.stringify(fields, null, 2));
  return true;
}

function noteOverwritten({ overwritten }: Play, text: string | undefined): void {
  for (const [mark] of text?.matchAll(/their-\d+-\d+/g) ?? []) overwritten.add(mark);
}

async function duty(play: Play, actor: Actor): Promise<void> {
  const { ctx, queue } = contextOf(play, actor);
  let rang = true;
  queue.watch(() => {
    rang = true;
  });
  for (let round = 0; !play.isQuiet; round += 1) {
    if (rang || round % 10 === 0) {
      rang = false;
      await queue.sync(round % 30 === 0 ? 'full' : round % 10 === 0 ? 'quick' : 'changes');
    }
    if (round % 5 === 0) await sweep(ctx, await checkOnce(ctx));
    await actor.sleep(actor.random.between(1, 500));
  }
}

async function unfinished({ store, disk, isRough }: Play, ids: readonly HandoffId[]): Promise<readonly HandoffId[]> {
  const { items } = await store.find({ by: 'ids', ids: [...ids] });
  const states = new Map(items.map(({ id, state }) => [id, state]));
  // Foreign programs can spoil a request before ours have read it: then it is aside with the reason, or emptied at its end.
  const isSpoilt = (id: HandoffId): boolean =>
    isRough &&
    !states.has(id) &&
    (disk.at('completed', id)?.text === '' || disk.quarantined.some(({ name }) => name.endsWith(`/${id}.json`)));
  return ids.filter((id) => !isFinal(states.get(id) ?? 'offered') && !isSpoilt(id));
}

/** Comes back when all are finished, and whoever was at work and whatever was waited for too. */
async function theEnd(play: Play, ids: readonly HandoffId[]): Promise<void> {
  const { scheduler } = play;
  const strand: Strand = { name: 'the judge', mayRun: () => 'now' };
  const untilMs = scheduler.clock.monotonicMs() + TIME_MAX_MS;
  while ((await unfinished(play, ids)).length > 0 && scheduler.clock.monotonicMs() < untilMs) {
    await scheduler.timersOf(strand).sleep(1_000);
  }
  play.isOver = true;
  await scheduler.timersOf(strand).sleep(WORK_MAX_MS + QUIET_MS);
  play.isQuiet = true;
  await scheduler.timersOf(strand).sleep(QUIET_MS);
}

async function judge(play: Play, ids: readonly HandoffId[]): Promise<readonly string[]> {
  const { store, disk, faults } = play;
  const alone: Actor = {
    name: 'the judge',
    mayRun: () => 'now',
    random: play.random.fork(),
    turn: async () => undefined,
    sleep: async () => undefined,
    mayDie: () => undefined,
  };
  const { queue } = contextOf(play, alone, { sleep: async () => undefined });
  await queue.sync('thorough');
  // What theirs finished among themselves while no duty of ours was alive to hear of it is taken in by asking.
  await queue.adoptFinished();
  const broken = [...faults, ...(await unfinished(play, ids)).map((id) => `${id} is not finished`)];
  const results = new Map<HandoffId, string | null>();
  for (const id of ids)
    results.set(id, await store.load(id).then((whole) => (whole === null ? null : (whole.outcome ?? ''))));
  for (const [mark, id] of play.answers) {
    const counts = results.get(id)?.includes(`"${mark}"`) === true;
    const isAside = disk.quarantined.some(({ text }) => text.includes(`"${mark}"`));
    if (!counts && !isAside && !play.overwritten.has(mark)) broken.push(`the answer ${mark} of ${id} is lost`);
  }
  const known = ids.filter((id) => results.get(id) !== null);
  // Whoever was killed between emptying the only copy and writing it has lost the request, and doctor names each of them.
  const emptied = ids.filter((id) => results.get(id) === null && disk.at('completed', id)?.text === '');
  const doctor = (await queue.examine(new AbortController().signal)).filter(({ verdict }) => verdict !== 'ok');
  const unreadable = doctor.find(({ says }) => says.startsWith('unreadable'));
  for (const id of emptied) {
    if (unreadable?.says.includes(`completed/${id}.json`) !== true) broken.push(`doctor does not name ${id}`);
  }
  const isExpected = (each: object): boolean => each === unreadable && emptied.length > 0;
  broken.push(...doctor.filter((each) => !isExpected(each)).map(({ name, says }) => `doctor: ${name}: ${says}`));
  for (const id of known) {
    const places = [...disk.files.keys()].filter((name) => name.endsWith(`/${id}`));
    if (places.length !== 1 || !/^(?:completed|failed)/.test(places[0] ?? ''))
      broken.push(`${id} lies in ${places.join()}`);
    if (play.isRough) continue;
    const started = play.started.filter((each) => each.id === id).map(({ by }) => by);
    if (started.length !== 1) broken.push(`${id} was begun by ${started.join(' and ') || 'nobody'}`);
  }
  if (!play.isRough) broken.push(...disk.quarantined.map(({ name, reason }) => `${name} is aside: ${reason}`));
  return broken;
}
