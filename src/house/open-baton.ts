/** The library's door: text becomes names, refusals become exceptions; everything else is the engine. */
import type { Json, JsonObject } from '../foundation/json.ts';
import type { Result } from '../foundation/result.ts';
import type { Body } from '../domain/body.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { HandoffId } from '../domain/names.ts';
import { agentPrincipal, OPERATOR, principalText, type Principal } from '../domain/principal.ts';
import { DEFAULT_RETRY } from '../domain/retry.ts';
import { standDuty } from '../engine/duty.ts';
import type { Handler } from '../engine/work.ts';
import { accept, renew } from '../engine/verbs/accept.ts';
import { activate } from '../engine/verbs/activate.ts';
import { block, unblock } from '../engine/verbs/block.ts';
import { claimByHand } from '../engine/verbs/claim.ts';
import { deliver } from '../engine/verbs/deliver.ts';
import { cancel, reject } from '../engine/verbs/end.ts';
import { fail } from '../engine/verbs/fail.ts';
import { list, show, trace } from '../engine/verbs/look.ts';
import { progress } from '../engine/verbs/progress.ts';
import { release } from '../engine/verbs/release.ts';
import { retry } from '../engine/verbs/retry.ts';
import { sendMany, type SendRefusal } from '../engine/verbs/send.ts';
import { sendBack, verify } from '../engine/verbs/verify.ts';
import { wait } from '../engine/verbs/wait.ts';
import { workWithToken } from '../engine/work-with-token.ts';
import { bodyView, factView, handoffView, wholeView, type HandoffView } from '../faces/shared/views.ts';
import { wordingOf } from '../faces/shared/wording.ts';
import { artifactsOf } from './baton-artifacts.ts';
import { ingestOf } from './baton-ingest.ts';
import type { Baton, OpenBatonOptions, WorkHandler, Worker, WorkerOptions } from './baton.ts';
import { BatonRefusal, BatonTimeout, HandoffNotCompleted } from './baton-errors.ts';
import { addressIn, agentIn, idIn, leaseIn, queryIn, requestIn, timeoutIn, within } from './baton-requests.ts';
import { feedOf } from './feed.ts';
import { identify, type Scope } from './identity.ts';
import { openWorkspace, type OpenWorkspace } from './open-workspace.ts';

export async function openBaton(options: OpenBatonOptions = {}): Promise<Baton> {
  const database = options.database ?? process.env['BATON_DATABASE'] ?? '';
  const house = await openWorkspace({
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    ...(database === '' ? {} : { database: addressIn(database) }),
    ...(options.onEvent === undefined ? {} : { report: options.onEvent }),
  }).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'ConfigurationProblem') throw error;
    throw new BatonRefusal('configuration', error.message);
  });
  if (house === null) {
    throw new BatonRefusal('no-workspace', 'there is no baton.yaml here; make a workspace with: baton init');
  }
  if (house.policy.says !== null) process.emitWarning(house.policy.says, 'BatonPolicyWarning');
  return batonIn(house, options);
}

const CONCURRENCY_MAX = 10_000;
const INBOX_MAX = 10_000;

function batonIn(house: OpenWorkspace, opened: OpenBatonOptions): Baton {
  const { around } = house;
  const retryBase = around.rules.terms.queue?.retry ?? DEFAULT_RETRY;
  // A variable that is empty is one that is not set.
  const token = opened.token ?? (process.env['BATON_TOKEN'] || null);
  const workers = new Set<Worker>();
  const closing = new AbortController();
  let duty: Promise<void> | null = null;
  /** Whoever works or waits also stands by: there may be nobody else who notices that a worker has died. */
  const standBy = (): void => {
    duty ??= standDuty(around, closing.signal);
  };

  const asking = async (as: string | undefined, otherwise?: Principal, scope: Scope = 'write'): Promise<Principal> => {
    const named = as ?? opened.as;
    const known = await identify(
      around,
      house.configuration.identity,
      {
        as: named === undefined ? null : agentIn(named, 'as'),
        token,
        otherwise: otherwise ?? OPERATOR,
      },
      scope,
    );
    if (known.ok) return known.value;
    throw new BatonRefusal(known.refusal.code, known.refusal.says);
  };

  const move = async (
    id: string,
    as: string | undefined,
    verb: (principal: Principal, id: HandoffId) => Promise<Result<Handoff, SendRefusal>>,
  ): Promise<HandoffView> => handoffView(granted(await verb(await asking(as), idIn(id))));

  const startWorker = (agentText: string, handler: WorkHandler, options: WorkerOptions = {}): Worker => {
    const agent = agentIn(agentText, 'agent');
    const concurrency = within(options.concurrency ?? 1, 'concurrency', 1, CONCURRENCY_MAX);
    const stop = new AbortController();
    const abort = new AbortController();
    if (options.signal?.aborted === true) stop.abort();
    options.signal?.addEventListener('abort', () => stop.abort(), { once: true });
    standBy();
    const run = async (): Promise<{ readonly attempts: number; readonly refused: number }> => {
      const principal = await asking(undefined, agentPrincipal(agent));
      const { tokenEnd, ...ended } = await workWithToken(around, {
        agent,
        principal,
        handler: handlerOf(handler),
        concurrency,
        stop: stop.signal,
        abort: abort.signal,
      });
      if (tokenEnd !== null) throw new BatonRefusal('token-refused', `${tokenEnd}: this worker has stopped`);
      return ended;
    };
    const done = run();
    const worker: Worker = {
      done,
      stop: async ({ now = false } = {}) => {
        stop.abort();
        if (now) abort.abort();
        await done;
      },
    };
    workers.add(worker);
    // Whoever asks for `done` hears of a fault; one that nobody asks for is no reason to end the process.
    void done.catch(() => undefined).finally(() => workers.delete(worker));
    return worker;
  };

  return {
    send: async (request) => {
      const asked = requestIn(request, retryBase);
      const sent = granted(await sendMany(around, await asking(undefined, agentPrincipal(asked.from)), [asked]));
      return handoffView(sent[0] as Handoff);
    },
    sendMany: async (requests) => {
      const asked = requests.map((request) => requestIn(request, retryBase));
      const [first] = asked;
      if (first === undefined) return [];
      const principal = await asking(undefined, agentPrincipal(first.from));
      return granted(await sendMany(around, principal, asked)).map(handoffView);
    },
    work: startWorker,
    wait: async (id, limit = {}) => {
      standBy();
      const waited = await wait(around, await asking(undefined, undefined, 'read'), idIn(id), limit);
      if (!waited.ok && waited.refusal.code === 'timed-out') {
        throw new BatonTimeout(`${id} was not settled within ${Math.round(waited.refusal.afterMs)} ms`);
      }
      const view = wholeView(granted(waited as Result<never, never>));
      if (view.state !== 'completed') throw new HandoffNotCompleted(view);
      return view;
    },
    claim: async (agentText, { leaseMs } = {}) => {
      const agent = agentIn(agentText, 'agent');
      const { leaseMs: lease } = leaseIn(leaseMs);
      const claimed = await claimByHand(around, await asking(undefined, agentPrincipal(agent)), agent, lease);
      return claimed === null ? null : wholeView({ ...claimed, outcome: null });
    },

    activate: (id, { as } = {}) => move(id, as, (principal, known) => activate(around, principal, known)),
    accept: (id, { as, notes, leaseMs } = {}) =>
      move(id, as, (principal, known) =>
        accept(around, principal, known, { ...(notes === undefined ? {} : { notes }), ...leaseIn(leaseMs) }),
      ),
    reject: (id, { as, ...why }) => move(id, as, (principal, known) => reject(around, principal, known, why)),
    release: (id, { as, fence = null } = {}) =>
      move(id, as, (principal, known) => release(around, principal, known, fence)),
    renew: (id, { as, fence = null, leaseMs } = {}) =>
      move(id, as, (principal, known) => renew(around, principal, known, fence, leaseIn(leaseMs).leaseMs)),
    progress: (id, { as, fence = null, fraction = null, says = null }) =>
      move(id, as, (principal, known) => progress(around, principal, known, fence, { fraction, says })),
    deliver: (id, { as, fence = null, result = null, evidence = [] } = {}) =>
      move(id, as, (principal, target) => deliver(around, principal, { target, fence, result, evidence })),
    fail: (id, { as, fence = null, code, message }) =>
      move(id, as, (principal, target) => fail(around, principal, { target, fence, failure: { code, message } })),
    block: (id, { as, fence = null, question }) =>
      move(id, as, (principal, known) => block(around, principal, known, fence, question)),
    unblock: (id, { as, answer = null } = {}) =>
      move(id, as, (principal, known) => unblock(around, principal, known, answer)),
    verify: (id, { as, notes, criteria = [] } = {}) =>
      move(id, as, (principal, known) =>
        verify(around, principal, {
          id: known,
          criteria: criteria.map((criterion) => ({ criterion, says: '' })),
          ...(notes === undefined ? {} : { notes }),
        }),
      ),
    rework: (id, { as, reason }) => move(id, as, (principal, known) => sendBack(around, principal, known, reason)),
    cancel: (id, { as, reason = null } = {}) =>
      move(id, as, (principal, known) => cancel(around, principal, known, reason)),
    retry: (id, { as, input, timeoutMs, requestId } = {}) =>
      move(id, as, (principal, known) =>
        retry(around, principal, {
          id: known,
          ...(input === undefined ? {} : { input }),
          ...(timeoutMs === undefined ? {} : { attemptTimeoutMs: timeoutIn(timeoutMs) }),
          ...(requestId === undefined ? {} : { requestId }),
        }),
      ),

    load: async (id) => {
      const found = await show(around, await asking(undefined, undefined, 'read'), idIn(id));
      if (!found.ok && found.refusal.code === 'no-such-handoff') return null;
      return wholeView(granted(found));
    },
    find: async (filter = {}) => {
      const { items, next } = await list(around, await asking(undefined, undefined, 'read'), queryIn(filter));
      return { items: items.map(handoffView), next };
    },
    trace: async (id) =>
      granted(await trace(around, await asking(undefined, undefined, 'read'), idIn(id))).map(handoffView),
    facts: async (id) => {
      const found = await show(around, await asking(undefined, undefined, 'read'), idIn(id));
      return granted(found).facts.map(factView);
    },
    feed: (options = {}) => feedOf(around, () => asking(undefined, undefined, 'read'), options),
    inbox: async (agentText, { clear = false, max = 100 } = {}) => {
      const agent = agentIn(agentText, 'agent');
      const principal = await asking(undefined, agentPrincipal(agent), clear ? 'write' : 'read');
      if (principal.kind !== 'operator' && principalText(principal) !== `@${agent}`) {
        throw new BatonRefusal('not-yours', `this is the inbox of @${agent}`);
      }
      const entries = await around.store.outbox.inbox(agent, within(max, 'max', 1, INBOX_MAX));
      if (clear) await around.store.outbox.done(entries.map(({ key }) => key));
      return entries.map(({ payload }) => JSON.parse(payload) as JsonObject);
    },
    ...ingestOf(house, (as) => asking(as)),
    ...artifactsOf(around, (scope) => asking(undefined, undefined, scope)),

    close: async () => {
      await Promise.allSettled([...workers].map((worker) => worker.stop()));
      closing.abort();
      await duty;
      await house.close();
    },
  };
}

function handlerOf(handler: WorkHandler): Handler {
  return async ({ handoff, body }, attempt): Promise<Json> =>
    handler(
      { ...handoffView(handoff), ...bodyView(JSON.parse(body) as Body) },
      {
        // Made when it is asked for: most handlers never do, and one costs as much as writing a fact.
        get signal() {
          return attempt.signal;
        },
        progress: attempt.progress,
        evidence: attempt.evidence,
      },
    );
}

function granted<Value>(answer: Result<Value, SendRefusal>): Value {
  if (answer.ok) return answer.value;
  const { refusal } = answer;
  if (refusal.code === 'not-json') throw new BatonRefusal('not-json', refusal.problem.says, { ...refusal.problem });
  const { code, ...details } = refusal;
  throw new BatonRefusal(code, wordingOf(refusal), details);
}
