/** `baton agent handoff`: starts a succession and waits for its end. Where no server drives it, the command does. */
import type { AgentId, HandoffId } from '../../../domain/names.ts';
import { isFinal } from '../../../domain/lifecycle.ts';
import type { Outcome } from '../../../domain/outcome.ts';
import type { Principal } from '../../../domain/principal.ts';
import { SUCCESSION_REASONS, type SuccessionReason } from '../../../domain/succession.ts';
import { advanceSuccession } from '../../../engine/succession/advance.ts';
import { adoptByHand } from '../../../engine/succession/agents.ts';
import { beginSuccession, type BeginRefusal } from '../../../engine/succession/begin.ts';
import { handOverByHand } from '../../../engine/succession/by-hand.ts';
import { DriveInterrupted } from '../../../engine/succession/drive-agent.ts';
import { planFor } from '../../../engine/succession/supervise.ts';
import type { AgentRuntime } from '../../../engine/succession/agent-runtime.ts';
import type { Context } from '../../../engine/context.ts';
import { agentWording, stepsView, triggerFacts } from '../../shared/agent-views.ts';
import { agentArgument } from '../arguments.ts';
import { agentNumber, agentsOf } from '../agent-workspace.ts';
import { onInterrupt, type Interrupts } from '../interrupt.ts';
import { withWorkspace, type CommonOptions, type Flags, type Texts } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem, type Problem } from '../problem.ts';

type HandoffOptions = CommonOptions &
  Flags<'substitute' | 'manual'> &
  Texts<'reason' | 'context' | 'persona'> & {
    readonly wait?: boolean;
  };

const POLL_MS = 200;
const FACTS_MAX = 1_000;

export async function handOff(args: readonly string[], options: HandoffOptions, output: Output): Promise<number> {
  const reason = SUCCESSION_REASONS.find((each) => each === (options.reason ?? 'manual')) ?? 'manual';
  const context = options.context ?? null;
  return withWorkspace(options, {}, async (ctx, principal, app) => {
    const runtime = await agentsOf(app);
    const interrupts = onInterrupt(() => undefined);
    if (options.manual === true) {
      const persona = agentArgument(options.persona ?? '', '--persona');
      return byHand(ctx, runtime, principal, { persona, reason, context, cwd: process.cwd() }, interrupts, output);
    }
    const id = agentNumber(args[0]);
    const drive = { ctx, runtime, signal: interrupts.stop };
    const plan = options.substitute === true ? 'substitute' : await planFor(drive, id, reason);
    const begun = await beginSuccession(ctx, runtime, principal, id, { reason, context, plan });
    if (!begun.ok) throw refused(begun.refusal);
    const { handoff, documentPath } = begun.value.begun;
    if (options.wait === false) {
      output.answer({ status: 'initiated', agent_id: id, handoff, file_path: documentPath });
      return 0;
    }
    output.note(`${handoff}: agent ${id} is asked for ${documentPath}`);
    return follow(ctx, runtime, id, handoff, interrupts, output);
  });
}

function refused(refusal: BeginRefusal): Problem {
  return cliProblem(refusal.code, agentWording(refusal), triggerFacts(refusal));
}

/** Drives the succession if no other process does, and prints each step. */
async function follow(
  ctx: Context,
  runtime: AgentRuntime,
  agent: number,
  handoff: HandoffId,
  interrupts: Interrupts,
  output: Output,
): Promise<number> {
  const printed = new Set<string>();
  const over = new AbortController();
  const printing = (async () => {
    while (!over.signal.aborted) {
      await printSteps(ctx, handoff, printed, output);
      await ctx.timers.sleep(POLL_MS, over.signal);
    }
  })();
  try {
    for (;;) {
      const end = await advanceSuccession(ctx, runtime, agent, interrupts.stop);
      const whole = await ctx.store.load(handoff);
      if (whole !== null && isFinal(whole.handoff.state)) break;
      if (interrupts.stop.aborted) {
        output.note(`interrupted; a server continues the handover, or run: baton agent handoff ${agent}`);
        return interrupts.exitCode() ?? 1;
      }
      if (end !== 'elsewhere') break;
      await ctx.timers.sleep(POLL_MS, interrupts.stop);
    }
  } finally {
    over.abort();
    await printing;
  }
  await printSteps(ctx, handoff, printed, output);
  const whole = await ctx.store.load(handoff);
  const outcome = whole?.outcome === null || whole === null ? null : (JSON.parse(whole.outcome) as Outcome);
  if (outcome?.kind === 'result' && whole?.handoff.state === 'completed') {
    output.answer({ handoff, ...(outcome.result as object) });
    return 0;
  }
  const code = outcome?.kind === 'failure' ? outcome.code : (whole?.handoff.state ?? 'unknown');
  const says = outcome?.kind === 'failure' ? outcome.message : `the handoff is ${code}`;
  throw cliProblem('succession-failed', `${code}: ${says}`, { handoff, reason: code });
}

async function printSteps(ctx: Context, handoff: HandoffId, printed: Set<string>, output: Output): Promise<void> {
  const facts = await ctx.store.facts({ handoff, max: FACTS_MAX });
  for (const { step, at } of stepsView(facts.map(({ fact }) => fact))) {
    if (at === null || printed.has(step)) continue;
    printed.add(step);
    output.note(`${at}  ${step}`);
  }
  for (const { fact } of facts) {
    const key = `problem ${fact.revision}`;
    if (!fact.detail.includes('"problem"') || printed.has(key)) continue;
    printed.add(key);
    const { problem, says } = JSON.parse(fact.detail) as { readonly problem?: string; readonly says?: string };
    output.warn(`${problem ?? ''}: ${says ?? ''}`);
  }
}

async function byHand(
  ctx: Context,
  runtime: AgentRuntime,
  principal: Principal,
  asked: {
    readonly persona: AgentId;
    readonly reason: SuccessionReason;
    readonly context: string | null;
    readonly cwd: string;
  },
  interrupts: Interrupts,
  output: Output,
): Promise<number> {
  const { persona, reason, context, cwd } = asked;
  const session = await adoptByHand(ctx, runtime, persona, cwd);
  const begun = await beginSuccession(ctx, runtime, principal, session.id, { reason, context, plan: 'by-hand' });
  if (!begun.ok) throw refused(begun.refusal);
  const drive = { ctx, runtime, signal: interrupts.stop };
  let injection = '';
  let quality: unknown = null;
  try {
    const failure = await handOverByHand(drive, begun.value.session, begun.value.begun, {
      toOutgoing: (line) => {
        output.note('give this line to the agent that ends, then wait:');
        output.line(line);
      },
      toSuccessor: (line, checked) => ([injection, quality] = [line, checked]),
    });
    if (failure !== null)
      throw cliProblem('succession-failed', `${failure.code}: ${failure.says}`, { reason: failure.code });
  } catch (error) {
    if (!(error instanceof DriveInterrupted)) throw error;
    return interrupts.exitCode() ?? 1;
  }
  output.note('the document is there; give this line to the agent that follows:');
  if (output.json) output.answer({ handoff: begun.value.begun.handoff, injection_prompt: injection, quality });
  else output.line(injection);
  return 0;
}
