import type { HandoffId } from '../../../domain/names.ts';
import type { Outcome } from '../../../domain/outcome.ts';
import type { Principal } from '../../../domain/principal.ts';
import { standDuty } from '../../../engine/duty.ts';
import type { Surroundings } from '../../../engine/surroundings.ts';
import { wait as waitFor } from '../../../engine/verbs/wait.ts';
import type { Whole } from '../../../stores/store.ts';
import { PROBLEMS } from '../../shared/problems.ts';
import { wholeView } from '../../shared/views.ts';
import { idArgument, secondsArgument } from '../arguments.ts';
import { inHouse, type CommonOptions } from '../invocation.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Output } from '../output.ts';
import { faceProblem, problemOf } from '../problem.ts';

interface WaitOptions extends CommonOptions {
  readonly timeout?: string;
}

const YEAR_SECONDS = 366 * 24 * 60 * 60;

export async function wait(args: readonly string[], options: WaitOptions, output: Output): Promise<number> {
  const id = idArgument(args[0], 'id');
  const timeoutMs =
    options.timeout === undefined ? undefined : secondsArgument(options.timeout, '--timeout', 0, YEAR_SECONDS);
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  return inHouse(options, { scope: 'read' }, async (around, principal) =>
    waitAndTell(around, principal, id, limit, output),
  );
}

/** Whoever waits also stands by for the duty: there may be nobody else to notice that a worker has died. */
export async function waitAndTell(
  around: Surroundings,
  principal: Principal,
  id: HandoffId,
  { first, ...limit }: { readonly timeoutMs?: number; readonly first?: string },
  output: Output,
): Promise<number> {
  const interrupts = onInterrupt(() => undefined);
  // Whoever reads it may interrupt from here on.
  if (first !== undefined) output.note(first);
  const over = new AbortController();
  const duty = standDuty(around, over.signal);
  const waiting = waitFor(around, principal, id, { ...limit, signal: interrupts.stop });
  const waited = await waiting.finally(() => over.abort());
  await duty;
  if (waited.ok) return tell(waited.value, output);
  const interrupted = interrupts.exitCode();
  if (interrupted !== null) {
    output.note(`not waiting any longer; ${id} goes on without us: baton wait ${id}`);
    return interrupted;
  }
  if (waited.refusal.code !== 'timed-out') throw problemOf(waited.refusal);
  const seconds = (limit.timeoutMs ?? 0) / 1000;
  throw faceProblem('timed-out', `${id} was not settled within ${seconds} s; wait again with: baton wait ${id}`, {
    id,
  });
}

function tell(whole: Whole, output: Output): number {
  const { handoff, outcome } = whole;
  const done = handoff.state === 'completed';
  if (output.json) output.answer(wholeView(whole));
  const left = outcome === null ? null : (JSON.parse(outcome) as Outcome);
  if (!output.json && left?.kind === 'result') output.answer(left.result);
  const tookMs = handoff.since - handoff.createdAt;
  const says = left?.kind === 'failure' ? `: ${left.code}: ${left.message}` : '';
  output.note(`${handoff.id} ${handoff.state} after ${tookMs} ms, attempt ${handoff.attempt}${says}`);
  return done ? 0 : PROBLEMS['not-completed'].exitCode;
}
