import { assuranceOf } from '../../../domain/assurance.ts';
import type { HandoffId } from '../../../domain/names.ts';
import type { Outcome } from '../../../domain/outcome.ts';
import type { Principal } from '../../../domain/principal.ts';
import { explainRemoved } from '../../../engine/retention/explain-removed.ts';
import { runDuty } from '../../../engine/duty.ts';
import type { Context } from '../../../engine/context.ts';
import type { StoredHandoff } from '../../../stores/store.ts';
import { wait as operation } from '../../../operations/wait.ts';
import { PROBLEMS } from '../../shared/problems.ts';
import { wholeView } from '../../shared/views.ts';
import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import { onInterrupt } from '../interrupt.ts';
import { inputFrom, wholeIds } from '../options.ts';
import type { Output } from '../output.ts';
import { problemOf } from '../problem.ts';

export async function wait(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const { id, ...limit } = inputFrom(operation, args, options as Readonly<Record<string, unknown>>);
  return withWorkspace(options, { scope: 'read' }, async (ctx, principal) =>
    waitAndPrint(ctx, principal, (await wholeIds(operation, { id }, ctx, principal)).id, limit, output),
  );
}

/** The waiting process stands by for the duty: there may be no other process that notices a dead worker. */
export async function waitAndPrint(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  { first, ...limit }: { readonly timeoutMs?: number; readonly first?: string },
  output: Output,
): Promise<number> {
  const interrupts = onInterrupt(() => undefined);
  // The interrupt handler is installed by now.
  if (first !== undefined) output.note(first);
  const over = new AbortController();
  const duty = runDuty(ctx, over.signal);
  const waiting = operation.run(ctx, principal, { id, ...limit }, { signal: interrupts.stop });
  const waited = await waiting.finally(() => over.abort());
  await duty;
  if (waited.ok) return printSettled(waited.value, output);
  const interrupted = interrupts.exitCode();
  if (interrupted !== null) {
    output.note(`stopped waiting; ${id} continues. Wait again with: baton wait ${id}`);
    return interrupted;
  }
  throw problemOf(await explainRemoved(ctx, principal, waited.refusal));
}

export function printSettled(whole: StoredHandoff, output: Output): number {
  const { handoff, outcome } = whole;
  const done = handoff.state === 'completed';
  if (output.json) output.answer(wholeView(whole));
  const left = outcome === null ? null : (JSON.parse(outcome) as Outcome);
  if (!output.json && left?.kind === 'result') output.answer(left.result);
  const tookMs = handoff.since - handoff.createdAt;
  const says = left?.kind === 'failure' ? `: ${left.code}: ${left.message}` : '';
  const assurance = assuranceOf(handoff);
  const proven = assurance === null ? '' : ` (${assurance})`;
  output.note(`${handoff.id} ${handoff.state}${proven} after ${tookMs} ms, attempt ${handoff.attempt}${says}`);
  return done ? 0 : PROBLEMS['not-completed'].exitCode;
}
