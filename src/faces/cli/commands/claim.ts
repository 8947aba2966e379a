import { agentPrincipal } from '../../../domain/principal.ts';
import type { AgentId } from '../../../domain/names.ts';
import type { Principal } from '../../../domain/principal.ts';
import { WEEK_SECONDS } from '../../../domain/record-values.ts';
import type { Surroundings } from '../../../engine/surroundings.ts';
import { watchOwn } from '../../../engine/token-watch.ts';
import { claimByHand } from '../../../engine/verbs/claim.ts';
import { release } from '../../../engine/verbs/release.ts';
import type { Claimed } from '../../../stores/store.ts';
import { wholeView } from '../../shared/views.ts';
import { agentArgument, secondsArgument } from '../arguments.ts';
import { inHouse, mustBe, type CommonOptions } from '../invocation.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Output } from '../output.ts';
import { faceProblem } from '../problem.ts';

interface ClaimOptions extends CommonOptions {
  readonly wait?: string;
  readonly lease?: string;
}

export async function claim(args: readonly string[], options: ClaimOptions, output: Output): Promise<number> {
  const agent = agentArgument(args[0] ?? '', 'agent');
  const waitMs = options.wait === undefined ? 0 : secondsArgument(options.wait, '--wait', 0, WEEK_SECONDS);
  const leaseMs = options.lease === undefined ? undefined : secondsArgument(options.lease, '--lease', 1, WEEK_SECONDS);
  return inHouse(options, { otherwise: agentPrincipal(agent) }, async (around, principal) => {
    mustBe(principal, agent);
    const interrupts = onInterrupt(() => undefined);
    const watch = watchOwn(around, principal);
    const stop = AbortSignal.any([interrupts.stop, watch.signal]);
    const claimed = await claimWithin(around, principal, agent, { waitMs, leaseMs, stop }).finally(watch.leave);
    if (watch.signal.aborted || (claimed !== null && !(await watch.isGood()))) {
      // Taken in the moment in which the token ended.
      if (claimed !== null) await release(around, principal, claimed.handoff.id, claimed.handoff.fence);
      throw faceProblem('token-refused', 'the token has ended: nothing was taken');
    }
    if (claimed !== null) {
      const view = wholeView({ ...claimed, outcome: null });
      output.answer(view);
      if (view.until !== undefined) output.note(`held until ${view.until}`);
      output.note(`deliver with: baton deliver ${claimed.handoff.id} --fence ${claimed.handoff.fence} --as @${agent}`);
      return 0;
    }
    const interrupted = interrupts.exitCode();
    if (interrupted !== null) return interrupted;
    if (waitMs === 0) throw faceProblem('nothing-offered', `nothing is offered to @${agent} now; wait with --wait 60`);
    throw faceProblem('timed-out', `nothing was offered to @${agent} within ${waitMs / 1000} s`);
  });
}

async function claimWithin(
  around: Surroundings,
  principal: Principal,
  agent: AgentId,
  {
    waitMs,
    leaseMs,
    stop,
  }: { readonly waitMs: number; readonly leaseMs: number | undefined; readonly stop: AbortSignal },
): Promise<Claimed | null> {
  const over = new AbortController();
  const end = (): void => over.abort();
  stop.addEventListener('abort', end, { once: true });
  if (waitMs > 0) void around.timers.sleep(waitMs, over.signal).then(end);
  try {
    for (;;) {
      const hint = around.store.changed({ kind: 'offers', agent }, over.signal);
      const claimed = stop.aborted ? null : await claimByHand(around, principal, agent, leaseMs);
      if (claimed !== null || waitMs === 0 || over.signal.aborted) return claimed;
      await hint;
    }
  } finally {
    end();
  }
}
