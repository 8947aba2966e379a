/** `baton agent start|list|show|stop`. */
import { resolve } from 'node:path';
import { ADAPTERS, type AgentSession } from '../../../domain/agent-session.ts';
import { displayText } from '../../../foundation/display-text.ts';
import { endSession } from '../../../engine/succession/advance.ts';
import { startAgent } from '../../../engine/succession/agents.ts';
import { agentSessionView, stepsView } from '../../shared/agent-views.ts';
import { agentArgument, commandArgument } from '../arguments.ts';
import { agentNumber, agentsOf, mustBeAllowedToDrive, noSuchAgent } from '../agent-workspace.ts';
import { onInterrupt } from '../interrupt.ts';
import { withWorkspace, type CommonOptions, type Flags, type Texts } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import { ageOf, printTable } from '../table.ts';

const LIST_MAX = 200;
const FACTS_MAX = 1_000;

type StartOptions = CommonOptions & Texts<'persona' | 'agent' | 'cwd'>;

export async function startOne(args: readonly string[], options: StartOptions, output: Output): Promise<void> {
  const adapter = ADAPTERS.find((name) => name === (options.agent ?? 'claude')) ?? 'claude';
  const persona = options.persona === undefined ? null : agentArgument(options.persona, '--persona');
  if (adapter === 'command' && args.length === 0) {
    throw cliProblem('usage', 'agent start --agent command: say which program, after --');
  }
  const [program] = args;
  if (program !== undefined) commandArgument(program);
  return withWorkspace(options, {}, async (ctx, principal, app) => {
    mustBeAllowedToDrive(principal, { id: 0, persona });
    const runtime = await agentsOf(app);
    const interrupts = onInterrupt(() => undefined);
    const request = { persona, adapter, command: args, cwd: resolve(options.cwd ?? '.') };
    const started = await startAgent(ctx, runtime, request, interrupts.stop);
    if (!started.ok) throw cliProblem(started.refusal.code, `the agent was not started: ${started.refusal.says}`);
    if (output.json) output.answer(agentSessionView(started.value));
    else output.line(String(started.value.id));
    output.note(await attachHint(app.workspace?.folder ?? '.', started.value));
  });
}

type ListOptions = CommonOptions & Flags<'all'>;

export async function listAgents(_args: readonly string[], options: ListOptions, output: Output): Promise<void> {
  return withWorkspace(options, { scope: 'read', onlyReads: true }, async ({ store }) => {
    const sessions = await store.agents.list({ max: LIST_MAX, ...(options.all === true ? {} : { open: true }) });
    const rows = sessions.map((session) => rowOf(session, store.nowMs()));
    const empty = 'no agent runs; start one with: baton agent start --persona NAME';
    printTable(output, { items: sessions.map(agentSessionView) }, [HEAD, ...rows], empty);
  });
}

const HEAD = ['id', 'persona', 'agent', 'state', 'context', 'handing over', 'for', 'in'];

function rowOf(session: AgentSession, nowMs: number): readonly string[] {
  const { id, persona, adapter, state, context, succession, lastSuccession, startedAt, cwd } = session;
  const error = lastSuccession?.error?.code ?? null;
  return [
    String(id),
    persona ?? '-',
    adapter,
    state,
    context === null ? '-' : `${Math.round(context.percent)}%`,
    succession === null ? (error === null ? '-' : `failed: ${error}`) : succession.reason,
    ageOf(nowMs - startedAt),
    cwd,
  ];
}

export async function showAgent(args: readonly string[], options: CommonOptions, output: Output): Promise<void> {
  const id = agentNumber(args[0]);
  return withWorkspace(options, { scope: 'read' }, async ({ store }, _principal, app) => {
    const session = await store.agents.load(id);
    if (session === null) throw noSuchAgent(id);
    const handoff = session.succession?.handoff ?? session.lastSuccession?.handoff ?? null;
    const facts = handoff === null ? [] : await store.facts({ handoff, max: FACTS_MAX });
    const steps = handoff === null ? [] : stepsView(facts.map(({ fact }) => fact));
    const runtime = session.pane === null ? null : await agentsOf(app);
    const screen = session.pane === null || runtime === null ? '' : await runtime.host.screen(session.pane);
    if (output.json) return output.answer({ ...agentSessionView(session), steps, screen });
    output.line(displayText(JSON.stringify(agentSessionView(session), null, 2)));
    for (const { step, at } of steps) output.line(`${at ?? '-'.padEnd(24)}  ${step}`);
    if (screen !== '') output.line(`\n${displayText(screen)}`);
    output.note(await attachHint(app.workspace?.folder ?? '.', session));
  });
}

export async function stopAgent(args: readonly string[], options: CommonOptions, output: Output): Promise<void> {
  const id = agentNumber(args[0]);
  return withWorkspace(options, {}, async (ctx, principal, app) => {
    const session = await ctx.store.agents.load(id);
    if (session === null) throw noSuchAgent(id);
    mustBeAllowedToDrive(principal, session);
    const ended = await endSession(ctx, await agentsOf(app), id);
    if (output.json) output.answer(agentSessionView(ended ?? session));
    else output.note(`agent ${id} is ${ended?.state ?? session.state}`);
  });
}

async function attachHint(folder: string, { pane, id }: AgentSession): Promise<string> {
  if (pane === null) return `agent ${id} has no terminal`;
  const { tmuxSocket } = await import('../../../adapters/agent-sessions/open-agents.ts');
  const { workspaceAt } = await import('../../../workspace/workspace.ts');
  return `look at it with: tmux -L ${tmuxSocket(workspaceAt(folder))} attach -t ${pane.session}`;
}
