/**
 * An agent as a worker: its command line runs once for each handoff, without a terminal. What it says last is the
 * result; session, cost and transcript are noted in the trail. When its vendor serves no more, the next one on the list
 * is asked, and when none does, the handoff is offered again later and the attempt does not count.
 */
import { parseExact } from '../../foundation/exact-json.ts';
import { randomBytes } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { isJsonObject, type Json, type JsonObject } from '../../foundation/json.ts';
import type { Vendor } from '../../domain/vendors.ts';
import type { Body } from '../../domain/body.ts';
import { answerIn } from '../../agents/headless/answer.ts';
import { openAgentRun, type RunState } from '../../agents/headless/agent-run.ts';
import { HEADLESS_AGENTS } from '../../agents/headless/agents.ts';
import type { HeadlessAgent } from '../../agents/headless/headless-agent.ts';
import { promptFor, reworkPrompt, type PromptParts } from '../../agents/headless/prompt.ts';
import { HandlerFailure, PostponedAttempt } from '../../engine/attempt.ts';
import type { Context } from '../../engine/context.ts';
import { factsOf } from '../../engine/handoffs/read.ts';
import type { Attempt, Handler } from '../../engine/work.ts';
import { openTranscript, type Transcript } from './transcript.ts';
import { openWorktree, type Worktree } from './worktree.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Claimed } from '../../stores/store.ts';
import { earlierRuns, type EarlierRuns } from './agent-run-facts.ts';
import { withoutEvidence } from '../processes/answer-evidence.ts';
import { failureText, runGated } from '../processes/gated-process.ts';

export interface AgentWork {
  readonly ctx: Context;
  readonly workspace: Workspace | null;
  /** In order of preference, each with the path of its program. */
  readonly agents: readonly { readonly vendor: Vendor; readonly program: string }[];
  readonly model: string | null;
  /** Passed on to the program as they are. */
  readonly extra: readonly string[];
  readonly folder: string;
  readonly hasWorktree: boolean;
  /** What every program that works on a handoff finds in its environment. */
  readonly environment: (claimed: Claimed) => Readonly<Record<string, string>>;
  readonly onError: (text: string) => void;
}

/** Looked at again after this long, where the vendor does not say when its limit ends. */
const LIMIT_PAUSE_MS = 15 * 60_000;
/** After the end of a limit, so that it is surely over. */
const LIMIT_MARGIN_MS = 5_000;

interface Limit {
  readonly at: number;
  readonly says: string;
}

/** One attempt and what all of its runs share. */
interface AgentAttempt {
  readonly claimed: Claimed;
  readonly attempt: Attempt;
  readonly earlier: EarlierRuns;
  readonly worktree: Worktree | null;
  /** Adds to what the trail says of the run. */
  note(more: JsonObject): void;
}

export function agentHandler(work: AgentWork): Handler {
  /** Kept from one handoff to the next: a vendor at its limit is not asked once for each of them. */
  const limits = new Map<HeadlessAgent, Limit>();
  return async (claimed, attempt) => {
    const earlier = earlierRuns(await factsOf(work.ctx, claimed.handoff.id));
    const worktree = await worktreeFor(work, claimed, earlier);
    let noted: JsonObject = {};
    const note = (more: JsonObject): void => {
      noted = { ...noted, ...more };
      attempt.note({ agent: noted });
    };
    const shared: AgentAttempt = { claimed, attempt, earlier, worktree, note };
    let result: Json;
    try {
      result = await runFirstAvailable(work, limits, shared);
    } catch (error) {
      // What was done so far stays on its branch, and the trail says on which.
      await closeWorktree(shared).catch(() => null);
      throw error;
    }
    return resultWithEvidence(shared, result, await closeWorktree(shared));
  };
}

async function runFirstAvailable(
  work: AgentWork,
  limits: Map<HeadlessAgent, Limit>,
  shared: AgentAttempt,
): Promise<Json> {
  for (const { vendor, program } of work.agents) {
    const agent = HEADLESS_AGENTS[vendor];
    if ((limits.get(agent)?.at ?? 0) > Date.now()) continue;
    const { limit, text } = await runOf(work, agent, program, shared);
    if (limit === null) return answerIn(text);
    const at = limit.resetsAt === null ? Date.now() + LIMIT_PAUSE_MS : limit.resetsAt + LIMIT_MARGIN_MS;
    limits.set(agent, { at, says: firstLine(limit.says) });
    shared.attempt.progress(null, `usage limit of ${agent.vendor}: ${firstLine(limit.says)}`);
  }
  const reached = work.agents.flatMap(({ vendor }) => {
    const limit = limits.get(HEADLESS_AGENTS[vendor]);
    return limit === undefined ? [] : [{ vendor, ...limit }];
  });
  const reason = reached.map(({ vendor, says }) => `usage limit of ${vendor}: ${says}`).join('; ');
  throw new PostponedAttempt(Math.max(0, Math.min(...reached.map(({ at }) => at)) - Date.now()), reason);
}

/** One run, with the session of the attempt that was sent back; a fresh one where that session is gone. */
async function runOf(work: AgentWork, agent: HeadlessAgent, program: string, shared: AgentAttempt): Promise<RunState> {
  const { earlier, claimed, note } = shared;
  const transcript = openTranscript(work.ctx, work.workspace, claimed.handoff, agent.vendor);
  const resume = earlier.before?.what === 'rework' ? (earlier.sessions.get(agent.vendor) ?? null) : null;
  let session: string | null = null;
  try {
    const first = await run(work, agent, program, shared, transcript, resume);
    const isGone = resume !== null && first.session === null && first.limit === null;
    const ran = isGone ? await run(work, agent, program, shared, transcript, null) : first;
    session = ran.session;
    if (ran.limit !== null) return ran;
    if (ran.error !== null) throw new HandlerFailure('PROCESSING_ERROR', ran.error);
    if (ran.text.trim() !== '') return ran;
    throw new HandlerFailure('PROCESSING_ERROR', `${agent.vendor} ended without an answer`);
  } finally {
    const id = await transcript.close(session);
    if (id !== null) note({ transcript: id });
  }
}

async function run(
  { model, extra, folder, workspace, environment, onError }: AgentWork,
  agent: HeadlessAgent,
  program: string,
  { claimed, attempt, earlier, worktree, note }: AgentAttempt,
  transcript: Transcript,
  resume: string | null,
): Promise<RunState> {
  const agentRun = openAgentRun(agent, (says) => attempt.progress(null, says));
  const decoder = new StringDecoder('utf8');
  const parts: PromptParts = {
    handoff: claimed.handoff,
    body: parseExact(claimed.body) as Body,
    before: earlier.before,
    branch: worktree?.branch ?? null,
    mark: randomBytes(6).toString('hex'),
  };
  const noteRun = (): void => {
    const { session, model: used, spent } = agentRun.soFar();
    note({
      vendor: agent.vendor,
      ...(session === null ? {} : { session }),
      ...(used === null ? {} : { model: used }),
      ...spent,
    });
  };
  const ended = await runGated(
    {
      command: [program, ...agent.arguments({ model, resume, extra })],
      environment: {
        ...agent.environment,
        ...environment(claimed),
        ...(workspace === null ? {} : { BATON_WORKSPACE: workspace.folder }),
      },
      folder: worktree?.folder ?? folder,
      input: resume === null ? promptFor(parts) : reworkPrompt(parts),
      onOutput: (chunk) => {
        const text = decoder.write(chunk);
        transcript.write(text);
        agentRun.output(text);
        // An attempt whose time is up still says which session it was.
        noteRun();
        return true;
      },
      onError,
    },
    attempt,
  );
  const result = agentRun.end(ended.errors);
  noteRun();
  if (ended.code === 0 || result.limit !== null || result.error !== null) return result;
  if (resume !== null && result.session === null) return result;
  throw new HandlerFailure('PROCESSING_ERROR', failureText(agent.vendor, ended));
}

async function worktreeFor(
  { hasWorktree, workspace }: AgentWork,
  { handoff }: Claimed,
  { commit }: EarlierRuns,
): Promise<Worktree | null> {
  if (!hasWorktree || workspace === null) return null;
  const { id, attempt } = handoff;
  return openWorktree(workspace, { handoff: id, attempt, base: commit });
}

type Branch = NonNullable<Awaited<ReturnType<Worktree['close']>>>;

async function closeWorktree({ worktree, claimed, note }: AgentAttempt): Promise<Branch | null> {
  if (worktree === null) return null;
  const { id, to, attempt, title } = claimed.handoff;
  const branch = await worktree.close(`${title ?? id}\n\nWork of @${to} on ${id}, attempt ${attempt}.`);
  if (branch !== null) note({ ...branch });
  return branch;
}

/**
 * The result with the evidence taken out of it. Work on a branch is shown by its commit: the files that an agent names
 * are not in the workspace.
 */
function resultWithEvidence({ claimed, attempt }: AgentAttempt, result: Json, branch: Branch | null): Json {
  const { deliverables } = claimed.handoff.terms;
  if (branch === null) return deliverables.length === 0 ? result : withoutEvidence(result, attempt.evidence);
  const shown = new Set<string>();
  const rest =
    deliverables.length === 0
      ? result
      : withoutEvidence(result, (deliverable, kind, value) => {
          if (kind === 'file' || kind === 'commit') return;
          shown.add(deliverable);
          attempt.evidence(deliverable, kind, value);
        });
  for (const name of deliverables) if (!shown.has(name)) attempt.evidence(name, 'commit', branch.commit);
  return isJsonObject(rest) ? { ...rest, ...branch } : rest;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.trim() ?? '';
}
