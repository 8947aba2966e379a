/** One attempt: the handler under its time limit, then the settling, until the store has answered. */
import { BrokenAssumption } from '../foundation/assert.ts';
import type { Json } from '../foundation/json.ts';
import type { Result } from '../foundation/result.ts';
import type { Failure, Handoff } from '../domain/handoff.ts';
import { isFinal } from '../domain/lifecycle.ts';
import type { Principal } from '../domain/principal.ts';
import { StoreGone, type Claimed } from '../stores/store.ts';
import type { Refusal } from '../domain/refusals.ts';
import type { AskedEvidence } from './evidence-desk.ts';
import { violationOf } from './schema-book.ts';
import { tellingProgress } from './telling-progress.ts';
import type { Interruption } from './interruptions.ts';
import type { EngineEvent, Surroundings } from './surroundings.ts';
import { deliver, type DeliverRefusal } from './verbs/deliver.ts';
import { fail } from './verbs/fail.ts';
import { release } from './verbs/release.ts';
import type { Attempt, Hold, WorkOptions } from './work.ts';
import { secretWarning } from './secrets/found.ts';

/** Thrown by a handler that knows the code; anything else it throws is a PROCESSING_ERROR. */
export class HandlerFailure extends Error {
  override readonly name = 'HandlerFailure';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A reason given saves the making of an error with its stack, which nobody reads. */
export const OVER = 'over';

type Ending =
  | { readonly kind: 'result'; readonly result: Json; readonly evidence: readonly AskedEvidence[] }
  | { readonly kind: 'failure'; readonly failure: Failure }
  /** The worker must stop: nobody's fault. */
  | { readonly kind: 'given-up' }
  /** The handoff is no longer ours; there is nobody to tell. */
  | { readonly kind: 'lost' };

export interface RunningAttempt {
  /** The hand is free again. */
  readonly handled: Promise<void>;
  /** The store has answered; false: the result was refused. */
  readonly settled: Promise<boolean>;
}

/** `askedMs` is when the claim was asked for, so that our own time is up before anybody else could think so. */
export function runAttempt(
  around: Surroundings,
  options: WorkOptions & { readonly principal: Principal },
  hold: Hold,
  claimed: Claimed,
  askedMs: number,
): RunningAttempt {
  const { id, attempt } = claimed.handoff;
  around.report({ kind: 'attempt-started', id, attempt });
  const ending = handle(around, options, hold, claimed, askedMs);
  const settled = ending.then((how) => settle(around, options.principal, claimed, how));
  return { handled: ending.then(() => undefined), settled };
}

async function handle(
  around: Surroundings,
  { handler, principal }: WorkOptions & { readonly principal: Principal },
  hold: Hold,
  claimed: Claimed,
  askedMs: number,
): Promise<Ending> {
  const limitMs = claimed.handoff.terms.attemptTimeoutMs;
  const untilMs = limitMs === null ? Number.POSITIVE_INFINITY : askedMs + limitMs;
  const over = lazySignal();
  const recording: Recording = { isOpen: false, leftMs: () => untilMs - around.clock.monotonicMs() };
  const answered = answerOf(around, handler, hold, claimed, over, recording, principal);
  const stoppedBy = await new Promise<Interruption | null>((resolve) => {
    const leave = hold.interruptions.attend(untilMs, resolve);
    void answered.then(() => {
      leave();
      resolve(null);
    });
  });
  const waitsForStore = recording.isOpen;
  over.abort();
  if (stoppedBy === null) return answered;
  await ended(around, answered);
  // A handler that is over has taken its command off this list.
  const left = hold.groups.filter((group) => group.handoff === claimed.handoff.id);
  for (const group of left) await around.liveness.endGroup(group);
  if (stoppedBy !== 'time-up') return { kind: stoppedBy };
  // All of its time went by while the store was waited for, and the command never began.
  if (waitsForStore) return { kind: 'given-up' };
  return { kind: 'failure', failure: { code: 'TIMEOUT', message: `no result within ${(limitMs ?? 0) / 1000} s` } };
}

/** Before a command begins, the store has to know of it. That the store could not is no failure of the command. */
interface Recording {
  isOpen: boolean;
  leftMs(): number;
}

interface LazySignal {
  readonly signal: AbortSignal;
  abort(): void;
}

/** Most handlers never ask for their signal, and one costs as much as writing a fact. */
function lazySignal(): LazySignal {
  let controller: AbortController | null = null;
  let isOver = false;
  return {
    get signal() {
      if (controller === null) {
        controller = new AbortController();
        if (isOver) controller.abort(OVER);
      }
      return controller.signal;
    },
    abort: () => {
      isOver = true;
      controller?.abort(OVER);
    },
  };
}

/** Two agents never work in one tree: a command that was told to stop is gone before its handoff is offered again. */
async function ended({ timers }: Surroundings, answered: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  await Promise.race([answered, timers.sleep(ENDING_MS, waited.signal)]);
  waited.abort(OVER);
}

/** A handler that does not listen is not waited for any longer; less than `TIMEOUT_GRACE_MS`, after which others act. */
const ENDING_MS = 1_500;

async function answerOf(
  around: Surroundings,
  handler: WorkOptions['handler'],
  hold: Hold,
  claimed: Claimed,
  over: LazySignal,
  recording: Recording,
  principal: Principal,
): Promise<Ending> {
  const { id } = claimed.handoff;
  const evidence: AskedEvidence[] = [];
  let telling: Attempt['progress'] | null = null;
  try {
    const result = await handler(claimed, {
      get signal() {
        return over.signal;
      },
      progress: (fraction, says) => {
        telling ??= tellingProgress(around, principal, claimed.handoff, over.signal);
        telling(fraction, says);
      },
      evidence: (deliverable, kind, value) => {
        evidence.push({ deliverable, kind, value });
      },
      running: async (group) => {
        hold.groups.push({ handoff: id, ...group });
        recording.isOpen = true;
        await around.store.sessions.running(hold.session, hold.groups);
        // First on record, then alive: whoever ends the session from now on finds the group and ends it too.
        if (!(await around.store.sessions.beat(hold.session))) throw new Error('the session is lost');
        if (recording.leftMs() <= 0) throw new Error('time was up before the command could begin');
        recording.isOpen = false;
      },
    });
    return { kind: 'result', result, evidence };
  } catch (error) {
    if (recording.isOpen) {
      around.report({ kind: 'fault', doing: `beginning ${id}`, error });
      return { kind: 'given-up' };
    }
    const code = error instanceof HandlerFailure ? error.code : 'PROCESSING_ERROR';
    return { kind: 'failure', failure: { code, message: messageOf(error) } };
  } finally {
    const at = hold.groups.findIndex((group) => group.handoff === id);
    if (at !== -1) hold.groups.splice(at, 1);
  }
}

/** A result must not be lost to a passing fault: it is offered to the store again until there is an answer. */
async function settle(around: Surroundings, principal: Principal, claimed: Claimed, ending: Ending): Promise<boolean> {
  const { handoff } = claimed;
  if (ending.kind === 'lost') return false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
    try {
      const answer = await tell(around, principal, claimed, ending);
      if (answer.ok) around.report(settledAs(answer.value, ending));
      else {
        const failure = unusable(answer.refusal);
        if (failure !== null) return await settle(around, principal, claimed, { kind: 'failure', failure });
        around.report({ kind: 'result-refused', id: handoff.id, refusal: answer.refusal as Refusal });
      }
      return answer.ok;
    } catch (error) {
      if (error instanceof BrokenAssumption) throw error;
      around.report({ kind: 'fault', doing: `settling ${handoff.id}`, error });
      if (error instanceof StoreGone) return false;
      await around.timers.sleep(pauseMs);
    }
  }
}

function settledAs(handoff: Handoff, ending: Ending): EngineEvent {
  const { id, state, attempt, notBefore, since } = handoff;
  if (ending.kind !== 'failure') return { kind: 'attempt-settled', id, state };
  const { code, message } = ending.failure;
  const againInMs = isFinal(state) ? null : Math.max(0, notBefore - since);
  return { kind: 'attempt-settled', id, state, failed: { attempt, code, message, againInMs } };
}

const FIRST_PAUSE_MS = 100;
const PAUSE_MAX_MS = 5_000;

async function tell(
  around: Surroundings,
  principal: Principal,
  { handoff, body }: Claimed,
  ending: Exclude<Ending, { kind: 'lost' }>,
): Promise<Result<Handoff, DeliverRefusal>> {
  const { fence } = handoff;
  switch (ending.kind) {
    case 'result':
      return deliver(around, principal, {
        target: handoff,
        fence,
        result: ending.result,
        evidence: ending.evidence,
        body,
      });
    case 'failure':
      return fail(around, principal, { target: handoff, fence, failure: ending.failure });
    case 'given-up':
      return release(around, principal, handoff, fence);
  }
}

/** A result that cannot be taken as it is ends the attempt: the next one may do better. */
function unusable(refusal: DeliverRefusal): Failure | null {
  switch (refusal.code) {
    case 'not-json':
      return { code: 'PROCESSING_ERROR', message: `the result is not usable: ${refusal.problem.says}` };
    case 'schema-violated': {
      const says = refusal.violations.map(({ path, says: what }) => `${path}: ${what}`).join('; ');
      const violations = refusal.violations.map(violationOf);
      return {
        code: 'VALIDATION_FAILED',
        message: `the result does not follow ${refusal.schema}: ${says}`,
        violations,
      };
    }
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
