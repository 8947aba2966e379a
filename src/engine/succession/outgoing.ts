/** The steps of the outgoing agent: it is instructed, its document is verified and recorded, and it is retired. */
import { basename } from 'node:path';
import type { JsonObject } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { promptWith, turnEndAfter } from '../../domain/agent-events.ts';
import type { AgentSession, SuccessionBegun } from '../../domain/agent-session.ts';
import type { SuccessionProgress } from '../../domain/succession.ts';
import { checkDocument, isWhole } from '../../formats/succession-note/check.ts';
import { instructionLine, substituteText } from '../../formats/succession-note/write.ts';
import { instructionPath } from './begin.ts';
import {
  activityOf,
  eventsOf,
  injectionFor,
  POLL_MS,
  paneFailure,
  probe,
  typeLine,
  waitFor,
  type Drive,
  type Line,
} from './drive-agent.ts';
import { notifyOperator } from './record.ts';
import { changeSession, endToken } from './sessions.ts';
import { successorKind, whyNotRunnable, type DocumentStatus, type SuccessionFailure } from './agent-runtime.ts';

export interface StepWork extends Drive {
  readonly session: AgentSession;
  readonly begun: SuccessionBegun;
  readonly seen: SuccessionProgress;
}

/** Details for the trail, or why the succession ends here. */
export type StepAnswer = Result<JsonObject, SuccessionFailure>;

/** A document with another size or time than a moment ago is still being written. */
const STABLE_MS = 2 * POLL_MS;
/** Times of files are coarser than those of the clock. */
const FILE_TIME_MS = 2_000;

/** Types the line that asks for the document. */
export async function instruct(work: StepWork): Promise<StepAnswer> {
  const { session, begun, runtime } = work;
  const text = instructionLine(handoverRequest(session, begun), instructionPath(begun));
  const line = { text, mark: begun.handoff, withinMs: runtime.limits.documentMs };
  const typed = await typeForStep(work, session, 'instruction', line);
  return typed.ok ? ok({ confirmed: typed.value.confirmed }) : typed;
}

/**
 * Types the line of a step. Before the first key a fact records that keys may have been pressed, for a process that
 * continues after a crash.
 */
export async function typeForStep(
  work: StepWork,
  session: AgentSession,
  typing: string,
  line: Pick<Line, 'text' | 'mark' | 'withinMs'>,
): ReturnType<typeof typeLine> {
  const note = (detail: JsonObject): Promise<void> =>
    notifyOperator(work.ctx, work.session, work.begun.handoff, detail);
  return typeLine(work, session, {
    ...line,
    mayBeTyped: work.seen.details['typing'] === typing,
    beforeTyping: () => note({ typing }),
    onDialog: ({ code, says, todo }) => note({ problem: code, says: `${says}; ${todo}` }),
  });
}

/** What the texts for the two agents are made from. */
export function handoverRequest({ id, persona }: AgentSession, begun: SuccessionBegun) {
  return { ...begun, agent: id, persona: persona ?? '' };
}

/** Waits for the document, by the agent's hooks and by the file itself. */
export async function verifyDocument(work: StepWork): Promise<StepAnswer> {
  const { begun, ctx, runtime } = work;
  if (begun.plan === 'substitute') return writeSubstitute(work);
  const instructedAt = work.seen.at.get('instructed') ?? begun.at;
  const leftMs = Math.max(0, instructedAt + runtime.limits.documentMs - ctx.store.nowMs());
  const watch = watchDocument(work);
  const found = await waitFor<StepAnswer>(work, leftMs, async () => judgeWait(work, await watch()));
  return found ?? err(missing(work, await runtime.personaFiles.documentStatus(begun.documentPath), 'in time'));
}

interface DocumentWatch {
  readonly sight: DocumentStatus;
  /** Non-empty, newer than the instruction, and the same for a moment. */
  readonly isStable: boolean;
  readonly quietForMs: number;
}

function watchDocument({ runtime, begun, ctx }: StepWork): () => Promise<DocumentWatch> {
  let mark = '';
  let sinceMs = ctx.clock.monotonicMs();
  return async () => {
    const sight = await runtime.personaFiles.documentStatus(begun.documentPath);
    const nowMs = ctx.clock.monotonicMs();
    const seen = sight.kind === 'file' ? sight.mark : sight.kind;
    if (seen !== mark) [mark, sinceMs] = [seen, nowMs];
    // Since the trigger, not since the step: after a crash the step may be recorded later.
    const isNew = sight.kind === 'file' && sight.size > 0 && sight.modifiedAt >= begun.at - FILE_TIME_MS;
    const quietForMs = nowMs - sinceMs;
    return { sight, isStable: isNew && quietForMs >= STABLE_MS, quietForMs };
  };
}

async function judgeWait(work: StepWork, watch: DocumentWatch): Promise<StepAnswer | null> {
  const { runtime, session, begun, ctx } = work;
  const { sight, isStable, quietForMs } = watch;
  if (sight.kind === 'refused') {
    return err({
      code: 'document_refused',
      says: `${begun.documentPath} ${sight.says}`,
      todo: `remove it, then try again with: baton agent handoff ${session.id}`,
    });
  }
  const whole = isStable && (await isWholeDocument(work));
  const pane = session.pane === null ? null : paneFailure(await runtime.host.status(session.pane), session);
  // The agent has ended: nothing more will be written.
  if (pane !== null) {
    if (whole) return ok({ seen_by: 'file' });
    const mayBeWhole = sight.kind === 'file' && !isStable && quietForMs < 2 * STABLE_MS;
    return mayBeWhole ? null : err(pane);
  }
  const events = await eventsOf(work, session);
  const place = promptWith(events, begun.handoff);
  const end = place === null ? null : turnEndAfter(events, place);
  if (end?.kind === 'turn-ended' && isStable && (!end.background || whole)) return ok({ seen_by: 'hook' });
  if (whole && quietForMs >= runtime.limits.quietMs) return ok({ seen_by: 'file' });
  if (end === null) return null;
  if (end.kind === 'turn-failed') {
    return err({
      code: 'agent_error',
      says: `agent ${session.id} stopped with ${end.error}: ${end.says.slice(0, 500)}`,
      todo: 'after a usage limit, hand over without it: baton agent handoff --reason usage_limit',
    });
  }
  // The first end of a turn after our line may belong to the turn before, so the agent must also be idle.
  const last = events.at(-1)?.at ?? end.at;
  const isIdle = ctx.clock.nowMs() - last >= runtime.limits.idleMs && (await activityOf(work, session)) !== 'busy';
  // A process that has just begun to watch does not know yet whether the document still changes.
  const isWatched = quietForMs >= runtime.limits.idleMs;
  return isIdle && isWatched && !isStable ? err(missing(work, sight, 'although it ended its turn')) : null;
}

async function isWholeDocument({ runtime, begun }: StepWork): Promise<boolean> {
  const { text } = await runtime.personaFiles.read(begun.documentPath);
  return isWhole(checkDocument(text, () => true));
}

function missing({ runtime, session, begun }: StepWork, sight: DocumentStatus, when: string): SuccessionFailure {
  const { id, cwd } = session;
  const todo = `the agent is still there; look at it with: baton agent show ${id}; try again with: baton agent handoff ${id}`;
  if (sight.kind !== 'file') {
    const isElsewhere = runtime.personaFiles.exists(cwd, basename(begun.documentPath));
    const found = isElsewhere ? `; a file of this name lies in ${cwd}, which is the wrong place` : '';
    const says = `agent ${id} wrote no document at ${begun.documentPath} ${when}${found}`;
    return { code: 'file_not_found', says, todo };
  }
  if (sight.size === 0) return { code: 'file_empty', says: `${begun.documentPath} is empty, ${when}`, todo };
  return { code: 'document_incomplete', says: `${begun.documentPath} was not finished ${when}`, todo };
}

/** Writes the document for an agent that can no longer write. */
async function writeSubstitute({ runtime, session, begun }: StepWork): Promise<StepAnswer> {
  const git = await runtime.personaFiles.git(session.cwd);
  const transcriptTail = await runtime.adapterOf(session.adapter).transcriptTail(await probe(runtime, session));
  const text = substituteText({ ...handoverRequest(session, begun), git, transcriptTail });
  await runtime.personaFiles.write(begun.documentPath, text);
  return ok({ substitute: true });
}

/** The record of the specification, with a machine check of the document. */
export async function recordDocument({ runtime, session, begun }: StepWork): Promise<StepAnswer> {
  const { text, sha256 } = await runtime.personaFiles.read(begun.documentPath);
  const found = checkDocument(text, (path) => runtime.personaFiles.exists(session.cwd, path));
  const { score, missing: absentSections, empty, absent } = found;
  const git = await runtime.personaFiles.git(session.cwd);
  return ok({
    agent_id: session.id,
    reason: begun.reason,
    file_path: begun.documentPath,
    sha256,
    injection_prompt: injectionFor(session, begun, sha256, null),
    created_at: new Date(begun.at).toISOString(),
    quality: { score, missing: absentSections, empty, absent_files: absent.slice(0, 20) },
    git: git === null ? null : { branch: git.branch, head: git.head, dirty: git.dirty.slice(0, 100) },
  });
}

/** Runs before the agent is retired, so that it is not retired for a successor that cannot start. */
export async function checkSuccessor({ runtime, session }: StepWork): Promise<StepAnswer> {
  const next = successorKind(runtime, session);
  const unable = await whyNotRunnable(runtime, next);
  const persona = session.persona === null ? null : await runtime.personaFiles.persona(session.persona);
  if (persona === null) {
    return err({
      code: 'create_failed',
      says: `persona ${session.persona ?? ''} has no skill.md, so a successor would not know who it is`,
      todo: `write data/personas/${session.persona ?? ''}/skill.md; agent ${session.id} is still there`,
    });
  }
  if (unable === null) return ok({ adapter: next.adapter });
  return err({
    code: 'create_failed',
    says: `${unable.program} cannot be started: ${unable.says}`,
    todo: `agent ${session.id} is still there, and its document is kept; put the program right and try again`,
  });
}

/** Asks the program to end, then closes its terminal, then kills it. In each case its conversation can be resumed. */
export async function retire(work: StepWork): Promise<StepAnswer> {
  const { ctx, runtime, session } = work;
  const { pane } = session;
  if (pane !== null) {
    const isOver = async (): Promise<true | null> =>
      ['alive', 'no-host'].includes((await runtime.host.status(pane)).kind) ? null : true;
    for (const how of ['ask', 'hang-up', 'kill'] as const) {
      if ((await isOver()) !== null) break;
      await runtime.host.end(pane, how);
      if ((await waitFor(work, runtime.limits.retireMs, isOver)) !== null) break;
    }
    await runtime.host.end(pane, 'hang-up');
  }
  await runtime.journal.note(session.id, null);
  await endToken(ctx, session, { keepsLeases: true });
  await changeSession(ctx, session.id, (newest) => ({ ...newest, state: 'retired', endedAt: ctx.store.nowMs() }));
  return ok({ retired: session.id });
}
