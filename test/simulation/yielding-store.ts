/**
 * A store as one strand of one process sees it: before and after every call anybody else may have had a turn, and some
 * calls go wrong. `changed` alone begins at once, because it promises to notice what happens from the call on.
 */
import { ok } from '../../src/foundation/result.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import type { Store } from '../../src/stores/store.ts';
import type { Clock } from '../../src/foundation/clock.ts';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Asked, Observer, Answers } from './observing.ts';
import type { SimulatedProcess } from './processes.ts';
import type { Scheduler, Strand } from './scheduler.ts';

export interface Passage {
  readonly inner: Store;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly observer: Observer;
  readonly ledger: Ledger;
}

export function yieldingStore(passage: Passage, process: SimulatedProcess, strand: Strand): Store {
  const { inner, scheduler, faults, observer, ledger } = passage;

  const call = async <Answer>(what: string, perform: () => Promise<Answer>): Promise<Answer> => {
    await scheduler.turn(strand, `asks ${what}`);
    await faults.before(process, strand, what);
    const answer = await perform();
    await faults.after(process, strand, what);
    await scheduler.turn(strand, `hears ${what}`);
    return answer;
  };

  const write = async <Raw>(
    asked: Omit<Asked, 'process'>,
    perform: () => Promise<Raw>,
    answersOf: (raw: Raw) => Answers,
  ): Promise<Raw> => {
    const written = await call(asked.verb, () => observer.write({ ...asked, process }, perform, answersOf));
    observer.told(written.call);
    return written.raw;
  };

  const read = async <Answer>(
    what: string,
    perform: () => Promise<Answer>,
    handoffsIn: (answer: Answer) => readonly Handoff[],
  ): Promise<Answer> => {
    const answer = await call(what, async () => {
      const found = await perform();
      observer.read(process, handoffsIn(found));
      return found;
    });
    observer.shown(process, handoffsIn(answer));
    return answer;
  };

  return {
    insert: (openings, guard) =>
      write(
        { verb: 'insert', targets: openings.map(({ id }) => id), request: guard?.request ?? null },
        () => inner.insert(openings, guard),
        (raw) => (raw.ok ? raw.value.map((handoff) => ok(handoff)) : [raw]),
      ),
    claim: (agent, max, decide) =>
      write(
        { verb: 'claim', targets: [], request: null },
        () => inner.claim(agent, max, decide),
        (raw) => raw.map(({ handoff }) => ok(handoff)),
      ),
    change: (targets, decide) =>
      write(
        { verb: 'change', targets, request: null },
        () => inner.change(targets, decide),
        (raw) => raw,
      ),
    relay: (target, decide, openings, guard) =>
      write(
        { verb: 'relay', targets: [target, ...openings.map(({ id }) => id)], request: guard?.request ?? null },
        () => inner.relay(target, decide, openings, guard),
        (raw) => (raw.ok ? [raw.value.changed, ...raw.value.inserted].map((handoff) => ok(handoff)) : [raw]),
      ),
    load: (id) =>
      read(
        'load',
        () => inner.load(id),
        (whole) => (whole === null ? [] : [whole.handoff]),
      ),
    find: (query) =>
      read(
        `find by ${query.by}`,
        () => inner.find(query),
        (page) => page.items,
      ),
    count: (wanted) => call('count', () => inner.count(wanted)),
    facts: (query) => call('facts', () => inner.facts(query)),
    async changed(topic, signal) {
      await inner.changed(topic, signal);
      await scheduler.turn(strand, `hears of ${topic.kind}`);
    },
    nowMs: () => inner.nowMs(),
    sessions: yieldingSessions(inner, call, process, ledger, scheduler.clock),
    retention: {
      removable: (...query) => call('removable', () => inner.retention.removable(...query)),
      remove: (heads, archive) => call('remove', () => inner.retention.remove(heads, archive)),
      removed: (ids) => call('removed', () => inner.retention.removed(ids)),
    },
    outbox: {
      take: (key, forMs) => call('take', () => inner.outbox.take(key, forMs)),
      due: (max) => call('due', () => inner.outbox.due(max)),
      done: (keys) => call('done', () => inner.outbox.done(keys)),
      postpone: (key, inMs, tries) => call('later', () => inner.outbox.postpone(key, inMs, tries)),
      inbox: (agent, max) => call('inbox', () => inner.outbox.inbox(agent, max)),
      drop: (key, says) => call('drop', () => inner.outbox.drop(key, says)),
      dropped: (max) => call('dropped', () => inner.outbox.dropped(max)),
      requeue: (key) => call('again', () => inner.outbox.requeue(key)),
    },
    tokens: {
      add: (token, minting) => call('add', () => inner.tokens.add(token, minting)),
      byHash: (hash) => call('byHash', () => inner.tokens.byHash(hash)),
      list: () => call('list tokens', () => inner.tokens.list()),
      revoke: (id, revoking) => call('revoke', () => inner.tokens.revoke(id, revoking)),
      byIds: (ids) => call('byIds', () => inner.tokens.byIds(ids)),
      bootstrapIsOpen: () => call('bootstrapIsOpen', () => inner.tokens.bootstrapIsOpen()),
      used: (id) => call('used', () => inner.tokens.used(id)),
      denied: (denial) => call('denied', () => inner.tokens.denied(denial)),
      log: (query) => call('log', () => inner.tokens.log(query)),
    },
    transfer: {
      copies: (after, max) => call('copies', () => inner.transfer.copies(after, max)),
      restore: (copies) => call('restore', () => inner.transfer.restore(copies)),
      recognize: (after, heads) => call('recognise', () => inner.transfer.recognize(after, heads)),
    },
    agents: {
      add: (session) => call('addAgent', () => inner.agents.add(session)),
      load: (id) => call('loadAgent', () => inner.agents.load(id)),
      list: (query) => call('listAgents', () => inner.agents.list(query)),
      replace: (session) => call('replaceAgent', () => inner.agents.replace(session)),
    },
    schedules: {
      add: (schedule) => call('addSchedule', () => inner.schedules.add(schedule)),
      load: (id) => call('loadSchedule', () => inner.schedules.load(id)),
      list: (max, after) => call('listSchedules', () => inner.schedules.list(max, after)),
      due: (max) => call('dueSchedules', () => inner.schedules.due(max)),
      advance: (schedule, next) => call('advanceSchedule', () => inner.schedules.advance(schedule, next)),
      remove: (id) => call('removeSchedule', () => inner.schedules.remove(id)),
    },
    pauses: {
      begin: (pause) => call('pause', () => inner.pauses.begin(pause)),
      end: (agent, by) => call('resume', () => inner.pauses.end(agent, by)),
      isPaused: (agent) => call('isPaused', () => inner.pauses.isPaused(agent)),
      list: (max) => call('pauses', () => inner.pauses.list(max)),
    },
    policy: {
      current: () => call('policy', () => inner.policy.current()),
      put: (policy, expected, by) => call('putPolicy', () => inner.policy.put(policy, expected, by)),
      history: (max) => call('policies', () => inner.policy.history(max)),
    },
    upkeep: {
      dutyHolder: (host) => call('dutyHolder', () => inner.upkeep.dutyHolder(host)),
      takeDuty: (self, instead) => call('takeDuty', () => inner.upkeep.takeDuty(self, instead)),
      leaveDuty: (self) => call('leaveDuty', () => inner.upkeep.leaveDuty(self)),
      checkClock: (own) => call('lookAtClock', () => inner.upkeep.checkClock(own)),
      maintain: () => call('tend', () => inner.upkeep.maintain()),
      audit: () => call('audit', () => inner.upkeep.audit()),
      feedHolders: () => inner.upkeep.feedHolders(),
    },
    close: () => inner.close(),
  };
}

type PassCall = <Answer>(what: string, perform: () => Promise<Answer>) => Promise<Answer>;

function yieldingSessions(
  inner: Store,
  call: PassCall,
  process: SimulatedProcess,
  ledger: Ledger,
  clock: Clock,
): Store['sessions'] {
  return {
    open: (session) =>
      call('open', async () => {
        await inner.sessions.open(session);
        ledger.sessions.set(session.id, { process, beatAtMs: clock.monotonicMs() });
      }),
    beat: (id) =>
      call('beat', async () => {
        const lives = await inner.sessions.beat(id);
        const session = ledger.sessions.get(id);
        if (lives && session !== undefined) session.beatAtMs = clock.monotonicMs();
        return lives;
      }),
    running: (id, groups) => call('running', () => inner.sessions.running(id, groups)),
    list: () => call('list', () => inner.sessions.list()),
    end: (id, silentForMs) =>
      call('end', async () => {
        const isEnded = await inner.sessions.end(id, silentForMs);
        const session = ledger.sessions.get(id);
        // Whoever ends its own session has nothing to lose any more.
        if (isEnded && session?.process === process) session.beatAtMs = Number.NEGATIVE_INFINITY;
        return isEnded;
      }),
    forget: (id) => call('forget', () => inner.sessions.forget(id)),
  };
}
