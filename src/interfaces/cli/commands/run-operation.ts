/** Runs an operation as a command: options in, operation, answer out. */
import type { Handoff } from '../../../domain/handoff.ts';
import type { AgentId, HandoffId } from '../../../domain/names.ts';
import { AGENT_TERMS } from '../../../domain/retry-policy.ts';
import { agentPrincipal } from '../../../domain/principal.ts';
import type { Context } from '../../../engine/context.ts';
import { hasUsualRetries, hasUsualTimeout } from '../../../engine/handoffs/claim.ts';
import { watchOwn } from '../../../engine/token-watch.ts';
import {
  runFor,
  type Operation,
  type OperationRefusal,
  type ResultName,
  type Results,
  type RunOptions,
} from '../../../operations/operation.ts';
import { refusalText } from '../../shared/refusal-text.ts';
import { factView, handoffView, wholeView } from '../../shared/views.ts';
import type { WorkNote } from '../../shared/work-note.ts';
import { mayHaveNote, readNote } from '../../shared/work-progress.ts';
import type { Run } from '../catalogue/entry.ts';
import { mustBeOperator, withWorkspace, type CommonOptions } from '../with-workspace.ts';
import { onInterrupt } from '../interrupt.ts';
import { inputFrom, wholeIds } from '../options.ts';
import type { Output } from '../output.ts';
import { cliProblem, Problem, problemOf } from '../problem.ts';
import { printCreated } from './created.ts';
import { printInbox } from './inbox.ts';
import { printPage } from './list.ts';
import { factLine, printShown } from './show.ts';
import { printStatus } from './status.ts';
import { printChain } from './trace.ts';
import { printSettled } from './wait.ts';

type Given = Readonly<Record<string, unknown>>;

/** What the printing of an answer may use. */
export interface PrintContext {
  readonly output: Output;
  readonly input: Given;
  /** Also those that only the command line has. */
  readonly options: Given;
  readonly nowMs: number;
  /** The terms under which an AI agent works on the handoff: its own defaults where the sender named none. */
  agentTermsOf(handoff: Handoff): { readonly retriesMax: number; readonly attemptTimeoutMs: number | null };
  /** The last failure and the progress of the handoff. */
  noteOf(handoff: Handoff): Promise<WorkNote>;
  isPaused(agent: AgentId): Promise<boolean>;
}

export function commandFor(operation: Operation): Run {
  return async (args, options: CommonOptions, output) => {
    const read: Given = inputFrom(operation, args, options as Given);
    const agent = operation.defaultCaller?.(read);
    const who = agent === undefined ? {} : { defaultPrincipal: agentPrincipal(agent) };
    const explicitAs = operation.explicitAs === undefined ? {} : { explicitAs: operation.explicitAs };
    const scope = operation.writes?.(read) === true ? 'write' : operation.scope;
    const request = { ...who, ...explicitAs, scope, onlyReads: scope === 'read' } as const;
    return withWorkspace(options, request, async (ctx, principal, app) => {
      if (operation.permission === 'operator') await mustBeOperator(app, options, scope);
      const input: Given = await wholeIds(operation, read, ctx, principal);
      const interrupts = operation.canBeStopped === true ? onInterrupt(() => undefined) : null;
      const watch = watchOwn(ctx, principal);
      const signal = interrupts === null ? {} : { signal: AbortSignal.any([interrupts.stop, watch.signal]) };
      const runOptions: RunOptions = { ...signal, isTokenValid: watch.isGood };
      const answer = await runFor(operation, ctx, principal, input, runOptions).finally(watch.leave);
      if (!answer.ok) throw await withHint(ctx, answer.refusal);
      const interrupted = interrupts?.exitCode() ?? null;
      if (answer.value === null && interrupted !== null) return interrupted;
      const print = PRINTERS[operation.result] as (
        value: unknown,
        context: PrintContext,
      ) => Promise<number | undefined>;
      const context: PrintContext = {
        output,
        input,
        options,
        nowMs: ctx.store.nowMs(),
        agentTermsOf: (handoff) => ({
          retriesMax: (hasUsualRetries(ctx, handoff) ? AGENT_TERMS : handoff.terms.retry).retriesMax,
          attemptTimeoutMs: (hasUsualTimeout(ctx, handoff) ? AGENT_TERMS : handoff.terms).attemptTimeoutMs,
        }),
        noteOf: async (handoff) => (mayHaveNote(handoff) ? readNote(ctx, handoff.id) : {}),
        isPaused: (name) => ctx.store.pauses.isPaused(name),
      };
      const code = (await print(answer.value, context)) ?? 0;
      if (operation.result === 'page' || operation.result === 'shown') await noteUnsynced(ctx, input, output);
      return code;
    });
  };
}

const NAMED_MAX = 3;

/** Notes documents that git has brought and the database does not have yet. */
async function noteUnsynced(ctx: Context, { id }: Given, output: Output): Promise<void> {
  const ids = await unsynced(ctx, id === undefined ? undefined : (id as HandoffId));
  if (ids.length === 0) return;
  const names = ids.slice(0, NAMED_MAX).join(', ') + (ids.length > NAMED_MAX ? ', …' : '');
  const are = ids.length === 1 ? '1 document is' : `${ids.length} documents are`;
  output.note(`${are} not taken in yet (${names}); take in what git has brought with: baton sync`);
}

/** Only a hint, so unreadable files give none. */
async function unsynced({ rules }: Context, id: HandoffId | undefined): Promise<readonly HandoffId[]> {
  return (await rules.documents?.unsynced(id).catch(() => [])) ?? [];
}

async function withHint(ctx: Context, refusal: OperationRefusal): Promise<Problem> {
  const problem = problemOf(refusal);
  if (refusal.code !== 'no-such-handoff') return problem;
  if ((await unsynced(ctx, refusal.id)).length === 0) return problem;
  const says = `${problem.message}; its document is here and not taken in yet: baton sync (with --adopt where it is archived)`;
  return new Problem(problem.code, says, problem.facts);
}

type MaybeExitCode = number | undefined | void;

/** What is printed for each kind of result; a number is the exit code. */
const PRINTERS: {
  readonly [Name in ResultName]: (
    value: Results[Name],
    context: PrintContext,
  ) => MaybeExitCode | Promise<MaybeExitCode>;
} = {
  handoff: (handoff, { output }) => {
    const { id, state, fence } = handoff;
    const view = handoffView(handoff);
    if (output.json) output.answer(view);
    else output.line(`${id} ${state}${state === 'accepted' ? ` (fence ${fence})` : ''}`);
    if (view.until !== undefined) output.note(`held until ${view.until}`);
  },
  created: (handoff, { output }) => printCreated(handoff, output),
  claimed: async (claimed, { output, input: { agent, waitMs = 0 }, isPaused }) => {
    if (claimed === null) throw await nothingClaimed(agent as AgentId, waitMs as number, isPaused);
    const { id, fence } = claimed.handoff;
    const view = wholeView({ ...claimed, outcome: null });
    output.answer(view);
    if (view.until !== undefined) output.note(`held until ${view.until}`);
    output.note(`deliver with: baton deliver ${id} --fence ${fence} --as @${String(agent)}`);
  },
  page: printPage,
  shown: printShown,
  facts: (facts, { output }) => {
    if (output.json) output.answer({ items: facts.map(factView) });
    else for (const fact of facts) output.line(factLine(fact));
  },
  chain: printChain,
  settled: (whole, { output }) => printSettled(whole, output),
  status: printStatus,
  inbox: printInbox,
  ingested: (blocks, { output }) => output.answer({ blocks }),
  workflows: async (flows, context) => (await import('./operator-results.ts')).printWorkflows(flows, context),
  report: (found, { output }) => output.answer(found),
  schedule: async (schedule, context) => (await import('./operator-results.ts')).printSchedule(schedule, context),
  schedules: async (all, context) => (await import('./operator-results.ts')).printSchedules(all, context),
  pause: async (pause, context) => (await import('./operator-results.ts')).printPause(pause, context),
  pauses: async (all, context) => (await import('./operator-results.ts')).printPauses(all, context),
  undelivered: async (all, context) => (await import('./operator-results.ts')).printUndelivered(all, context),
  resent: (key, { output }) => (output.json ? output.answer({ key }) : output.line(key)),
  artifacts: async (cards, context) => (await import('./artifact.ts')).printArtifacts(cards, context),
  artifact: async (found, context) => (await import('./artifact.ts')).printArtifact(found, context),
  registered: ({ id }, { output }) => output.line(id),
  pruned: async (pruned, context) => (await import('./operator-results.ts')).printPruned(pruned, context),
  cleaned: async (cleaned, context) => (await import('./artifact.ts')).printCleaned(cleaned, context),
};

async function nothingClaimed(agent: AgentId, waitMs: number, isPaused: PrintContext['isPaused']): Promise<Problem> {
  const code = waitMs === 0 ? 'nothing-offered' : 'timed-out';
  if (await isPaused(agent)) return cliProblem(code, refusalText({ code: 'agent-paused', agent }));
  return waitMs === 0
    ? cliProblem(code, `nothing is offered to @${agent} now; wait with --wait 60`)
    : cliProblem(code, `nothing was offered to @${agent} within ${waitMs / 1000} s`);
}
