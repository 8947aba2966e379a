/** Runs one attempt: the handler within its time limit, then the settlement, until the store has answered. */
import { defined } from '../foundation/defined.ts';
import { messageOf } from '../foundation/error-message.ts';
import { BatonError } from '../foundation/baton-error.ts';
import { BrokenAssumption } from '../foundation/assert.ts';
import type { Json, JsonObject } from '../foundation/json.ts';
import type { Result } from '../foundation/result.ts';
import type { Failure, Handoff } from '../domain/handoff.ts';
import { isFinal } from '../domain/lifecycle.ts';
import type { HandoffId } from '../domain/names.ts';
import type { Principal } from '../domain/principal.ts';
import { StoreGone, type Claimed } from '../stores/store.ts';
import type { Refusal } from '../domain/refusals.ts';
import type { EvidenceRequest } from './evidence-checker.ts';
import { violationFailure } from './schema-registry.ts';
import { throttledProgress } from './throttled-progress.ts';
import type { Interruption } from './attempt-interruptions.ts';
import type { EngineEvent, Context } from './context.ts';
import { deliver, type DeliverRefusal } from './handoffs/deliver.ts';
import { fail } from './handoffs/fail.ts';
import { withDependencyResults } from './handoffs/dependency-results.ts';
import { hasUsualRetries } from './handoffs/claim.ts';
import { release, type Later } from './handoffs/release.ts';
import type { Attempt, WorkerSession, WorkOptions } from './work.ts';
import { secretWarning } from './secrets/warnings.ts';

/** Thrown by a handler to set the failure code. Any other error becomes PROCESSING_ERROR. */
export class HandlerFailure extends BatonError {
  override readonly name = 'HandlerFailure';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Thrown by a handler that cannot work now. The handoff is offered again later, and the attempt does not count. */
export class PostponedAttempt extends Error {
  override readonly name = 'PostponedAttempt';
  readonly inMs: number;

  constructor(inMs: number, reason: string) {
    super(reason);
    this.inMs = inMs;
  }
}

/** A reason for `abort`. Without one, an error with a stack is created, which costs time. */
export const NO_LONGER_NEEDED = 'over';

type Ending =
  | {
      readonly kind: 'result';
      readonly result: Json;
      readonly evidence: readonly EvidenceRequest[];
      readonly detail?: JsonObject;
    }
  | { readonly kind: 'failure'; readonly failure: Failure; readonly detail?: JsonObject }
  /** Offered again after a delay. */
  | { readonly kind: 'postponed'; readonly later: Later }
  /** The worker must stop. The handoff is released. */
  | { readonly kind: 'given-up' }
  /** The session is lost, so nothing can be written. */
  | { readonly kind: 'lost' };

export interface RunningAttempt {
  /** The handler has ended, and its slot is free. */
  readonly handled: Promise<void>;
  /** The store has answered. False: the result was refused. */
  readonly settled: Promise<boolean>;
}

/** `askedMs` is when the claim was sent, so that our time limit ends before that of any other process. */
export function runAttempt(
  ctx: Context,
  options: WorkOptions & { readonly principal: Principal },
  workerSession: WorkerSession,
  claimed: Claimed,
  askedMs: number,
): RunningAttempt {
  const { id, attempt } = claimed.handoff;
  ctx.report({ kind: 'attempt-started', id, attempt });
  const ending = handle(ctx, options, workerSession, claimed, askedMs);
  const settled = ending.then((how) => settle(ctx, options, claimed, how));
  return { handled: ending.then(() => undefined), settled };
}

async function handle(
  ctx: Context,
  { handler, principal }: WorkOptions & { readonly principal: Principal },
  workerSession: WorkerSession,
  claimed: Claimed,
  askedMs: number,
): Promise<Ending> {
  const limitMs = limitOf(claimed.handoff);
  const untilMs = limitMs === null ? Number.POSITIVE_INFINITY : askedMs + limitMs;
  const over = new LazySignal();
  const attemptState: AttemptState = { isRegisteringCommand: false, leftMs: () => untilMs - ctx.clock.monotonicMs() };
  const handlerEnding = runHandler(ctx, handler, workerSession, claimed, over, attemptState, principal);
  const stoppedBy = await new Promise<Interruption | null>((resolve) => {
    const leave = workerSession.interruptions.watch(untilMs, resolve);
    void handlerEnding.then(() => {
      leave();
      resolve(null);
    });
  });
  const waitsForStore = attemptState.isRegisteringCommand;
  over.abort();
  if (stoppedBy === null) return handlerEnding;
  await waitForHandler(ctx, handlerEnding);
  // A handler that has ended has removed its command from this list.
  const left = workerSession.groups.filter((group) => group.handoff === claimed.handoff.id);
  for (const group of left) await ctx.liveness.endGroup(group);
  if (stoppedBy !== 'time-up') return { kind: stoppedBy };
  // The time limit passed while waiting for the store, and the command never started.
  if (waitsForStore) return { kind: 'given-up' };
  const failure = { code: 'TIMEOUT', message: `no result within ${(limitMs ?? 0) / 1000} s` };
  return { kind: 'failure', failure, ...defined({ detail: attemptState.detail }) };
}

/** The time limit of this attempt: set by the worker, or else by the terms. */
function limitOf({ custody, since, terms }: Handoff): number | null {
  return custody?.by === 'process' && custody.untilAt !== undefined ? custody.untilAt - since : terms.attemptTimeoutMs;
}

/** What is known of a running attempt. A command is registered in the store before it starts; a fault then is not its failure. */
interface AttemptState {
  isRegisteringCommand: boolean;
  /** The notes of the handler so far; an interrupted attempt keeps them. */
  detail?: JsonObject;
  leftMs(): number;
}

/**
 * Creates the signal on first use: most handlers never use it, and it costs as much as writing a fact. This and the next
 * are classes, because V8 gives each object literal with a getter a shape of its own: with both as literals an attempt took
 * 0.8 µs and 900 bytes more (Node 24).
 */
class LazySignal {
  #controller: AbortController | null = null;
  #isOver = false;

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#isOver) this.#controller.abort(NO_LONGER_NEEDED);
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#isOver = true;
    this.#controller?.abort(NO_LONGER_NEEDED);
  }
}

/** What a handler gets. Its functions do not use `this`, so a handler may take them out of the object. */
class RunningHandler implements Attempt {
  readonly #over: LazySignal;
  readonly progress: Attempt['progress'];
  readonly note: Attempt['note'];
  readonly evidence: Attempt['evidence'];
  readonly running: Attempt['running'];

  constructor(over: LazySignal, functions: Omit<Attempt, 'signal'>) {
    this.#over = over;
    this.progress = functions.progress;
    this.note = functions.note;
    this.evidence = functions.evidence;
    this.running = functions.running;
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }
}

/** Waits for an interrupted handler, so that its command has ended before the handoff is offered again. */
async function waitForHandler({ timers }: Context, handlerEnding: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  await Promise.race([handlerEnding, timers.sleep(HANDLER_END_MS, waited.signal)]);
  waited.abort(NO_LONGER_NEEDED);
}

/** How long to wait for an interrupted handler: less than `TIMEOUT_GRACE_MS`, after which other processes act. */
const HANDLER_END_MS = 1_500;

async function runHandler(
  ctx: Context,
  handler: WorkOptions['handler'],
  workerSession: WorkerSession,
  claimed: Claimed,
  over: LazySignal,
  attemptState: AttemptState,
  principal: Principal,
): Promise<Ending> {
  const { id } = claimed.handoff;
  const evidence: EvidenceRequest[] = [];
  let reportProgress: Attempt['progress'] | null = null;
  const hasNone = claimed.handoff.terms.dependsOn.length === 0;
  const given = hasNone ? claimed : await readOrReport(ctx, id, withDependencyResults(ctx, claimed));
  if (given === null) return { kind: 'given-up' };
  try {
    const attempt = new RunningHandler(over, {
      progress: (fraction, says) => {
        reportProgress ??= throttledProgress(ctx, principal, claimed.handoff, over.signal);
        reportProgress(fraction, says);
      },
      note: (more) => {
        attemptState.detail = { ...attemptState.detail, ...more };
      },
      evidence: (deliverable, kind, value) => {
        evidence.push({ deliverable, kind, value });
      },
      running: async (group) => {
        workerSession.groups.push({ handoff: id, ...group });
        attemptState.isRegisteringCommand = true;
        await ctx.store.sessions.running(workerSession.session, workerSession.groups);
        // Registered first, then checked: a process that ends the session from now on finds the group and ends it too.
        if (!(await ctx.store.sessions.beat(workerSession.session))) throw new Error('the session is lost');
        if (attemptState.leftMs() <= 0) throw new Error('time was up before the command could begin');
        attemptState.isRegisteringCommand = false;
      },
    });
    const result = await handler(given, attempt);
    return { kind: 'result', result, evidence, ...defined({ detail: attemptState.detail }) };
  } catch (error) {
    if (attemptState.isRegisteringCommand) {
      ctx.report({ kind: 'fault', doing: `beginning ${id}`, error });
      return { kind: 'given-up' };
    }
    if (error instanceof PostponedAttempt) {
      return {
        kind: 'postponed',
        later: { inMs: error.inMs, reason: error.message, ...defined({ detail: attemptState.detail }) },
      };
    }
    const code = error instanceof HandlerFailure ? error.code : 'PROCESSING_ERROR';
    return {
      kind: 'failure',
      failure: { code, message: messageOf(error) },
      ...defined({ detail: attemptState.detail }),
    };
  } finally {
    const at = workerSession.groups.findIndex((group) => group.handoff === id);
    if (at !== -1) workerSession.groups.splice(at, 1);
  }
}

/** A fault of the store is not a failure of the handler. */
async function readOrReport<Read>(ctx: Context, id: HandoffId, reading: Promise<Read>): Promise<Read | null> {
  try {
    return await reading;
  } catch (error) {
    ctx.report({ kind: 'fault', doing: `beginning ${id}`, error });
    return null;
  }
}

/** Retries until the store answers, so that a temporary fault does not lose a result. */
async function settle(
  ctx: Context,
  options: WorkOptions & { readonly principal: Principal },
  claimed: Claimed,
  ending: Ending,
): Promise<boolean> {
  const { handoff } = claimed;
  if (ending.kind === 'lost') return false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
    try {
      const answer = await writeEnding(ctx, options, claimed, ending);
      if (answer.ok) ctx.report(settledAs(answer.value, ending));
      else {
        const failure = failureFor(answer.refusal);
        if (failure !== null) return await settle(ctx, options, claimed, { ...ending, kind: 'failure', failure });
        ctx.report({ kind: 'result-refused', id: handoff.id, refusal: answer.refusal as Refusal });
      }
      return answer.ok;
    } catch (error) {
      if (error instanceof BrokenAssumption) throw error;
      ctx.report({ kind: 'fault', doing: `settling ${handoff.id}`, error });
      if (error instanceof StoreGone) return false;
      await ctx.timers.sleep(pauseMs);
    }
  }
}

function settledAs(handoff: Handoff, ending: Ending): EngineEvent {
  const { id, state, attempt, notBefore, since } = handoff;
  if (ending.kind === 'postponed') {
    const { reason, inMs } = ending.later;
    return { kind: 'attempt-settled', id, state, postponed: { reason, inMs } };
  }
  if (ending.kind !== 'failure') return { kind: 'attempt-settled', id, state };
  const { code, message } = ending.failure;
  const againInMs = isFinal(state) ? null : Math.max(0, notBefore - since);
  return { kind: 'attempt-settled', id, state, failed: { attempt, code, message, againInMs } };
}

const FIRST_PAUSE_MS = 100;
const PAUSE_MAX_MS = 5_000;

async function writeEnding(
  ctx: Context,
  { principal, terms }: WorkOptions & { readonly principal: Principal },
  { handoff, body }: Claimed,
  ending: Exclude<Ending, { kind: 'lost' }>,
): Promise<Result<Handoff, DeliverRefusal>> {
  const { fence } = handoff;
  switch (ending.kind) {
    case 'result':
      return deliver(ctx, principal, {
        target: handoff,
        fence,
        result: ending.result,
        evidence: ending.evidence,
        body,
        ...defined({ detail: ending.detail }),
      });
    case 'failure':
      return fail(ctx, principal, {
        target: handoff,
        fence,
        failure: ending.failure,
        ...(terms?.retriesMax !== undefined && hasUsualRetries(ctx, handoff) ? { retriesMax: terms.retriesMax } : {}),
        ...defined({ detail: ending.detail }),
      });
    case 'postponed':
      return release(ctx, principal, handoff, fence, ending.later);
    case 'given-up':
      return release(ctx, principal, handoff, fence);
  }
}

/** The failure for a result that cannot be accepted: the next attempt may succeed. Null: another refusal. */
function failureFor(refusal: DeliverRefusal): Failure | null {
  switch (refusal.code) {
    case 'not-json':
      return { code: 'PROCESSING_ERROR', message: `the result is not usable: ${refusal.problem.says}` };
    case 'schema-violated':
      return violationFailure('VALIDATION_FAILED', 'the result', refusal);
    case 'schema-unknown':
    case 'schema-broken':
      return { code: 'DEPENDENCY_MISSING', message: `the schema ${refusal.schema} of the result cannot be used` };
    case 'evidence-missing':
    case 'evidence-unknown':
      return { code: 'VALIDATION_FAILED', message: `${refusal.code}: ${refusal.deliverables.join(', ')}` };
    case 'evidence-false': {
      const says = refusal.checks.map((check) => `${check.deliverable}: ${check.says}`).join('; ');
      return { code: 'VALIDATION_FAILED', message: `evidence does not hold: ${says}` };
    }
    case 'secret-found':
      return { code: 'VALIDATION_FAILED', message: secretWarning(refusal, 'refused') };
    default:
      return null;
  }
}
