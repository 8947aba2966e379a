/** The steps of the successor: it is started, primed, gets the line, and acknowledges. */
import { join } from 'node:path';
import { hexDigestOf } from '../../foundation/digest.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { conversationIn, hasStarted, promptWith, turnEndAfter } from '../../domain/agent-events.ts';
import { FRESH_SESSION, type AgentSession } from '../../domain/agent-session.ts';
import type { AgentId } from '../../domain/names.ts';
import { detailText } from '../../domain/succession.ts';
import { driftBetween, primingLine, primingText, type GitState } from '../../formats/succession-note/write.ts';
import type { Launch } from '../../agents/agent-host.ts';
import { eventsOf, injectionFor, paneFailure, waitFor, type Drive } from './drive-agent.ts';
import { typeForStep, type StepAnswer, type StepWork } from './outgoing.ts';
import { changeSession, endToken } from './sessions.ts';
import { successorKind, type SuccessionFailure } from './agent-runtime.ts';

/** How long a program without hooks gets to be ready for a line. */
const SETTLE_MS = 1_000;
/** Longer texts are read from a file: command lines have limits. */
const PRIMING_MAX = 60_000;
const SCREEN_MAX = 1_000;

/** Keys and names follow from the handoff, so a second try finds what the first one began. */
export async function startSuccessor(work: StepWork): Promise<StepAnswer> {
  const { ctx, runtime, session, begun } = work;
  const { persona } = session;
  if (persona === null) return err(createFailed('the agent has no persona', session.id));
  const { adapter, command } = successorKind(runtime, session);
  const successor = await ctx.store.agents.add({
    ...FRESH_SESSION,
    key: `succession:${begun.handoff}`,
    persona,
    adapter,
    command,
    cwd: session.cwd,
    place: runtime.place,
    conversation: conversationFor(begun.handoff),
    predecessor: session.id,
    state: 'starting',
    startedAt: ctx.store.nowMs(),
  });
  const started = await launchSession(work, successor, persona, nameFor(persona, begun.handoff), 'first');
  if (!started.ok) return err(createFailed(started.refusal, session.id));
  return ok({ successor: successor.id });
}

/** Starts the program of a session in its terminal and stores the pane. Refuses with the reason. */
export async function launchSession(
  { ctx, runtime }: Drive,
  session: AgentSession,
  persona: AgentId | null,
  name: string,
  how: 'first' | 'resume',
): Promise<Result<AgentSession, string>> {
  const adapter = runtime.adapterOf(session.adapter);
  const texts = persona === null ? null : await runtime.personaFiles.persona(persona);
  if (persona !== null && texts === null) return err(`persona ${persona} has no skill.md`);
  const privateFolder = await runtime.personaFiles.privateFolder(session.id);
  const documentFolder = persona === null ? privateFolder : await runtime.personaFiles.documentFolder(persona);
  const priming = persona === null || texts === null ? null : primingText(persona, texts);
  const primingPath = primingPathIn(documentFolder, session);
  const isLong = priming !== null && priming.length > PRIMING_MAX;
  const request = {
    session,
    conversation: session.conversation ?? conversationFor(session.key),
    title: name,
    priming: isLong ? primingLine('', primingPath) : priming,
    documentFolder,
    privateFolder,
    baton: runtime.baton,
  };
  const launch: Launch | null =
    how === 'resume' ? adapter.resume({ ...request, priming: null }) : adapter.launch(request);
  if (launch === null) return err(`${adapter.name} cannot go on with a conversation that has ended`);
  for (const { path, text } of launch.files) await runtime.personaFiles.write(path, text);
  if (priming !== null && (isLong || launch.primedBy === 'typing'))
    await runtime.personaFiles.write(primingPath, priming);
  const env = { ...runtime.env, ...launch.env, BATON_AGENT_ID: String(session.id) };
  const named = persona === null ? env : { ...env, BATON_AGENT: persona };
  const secretFile = await tokenFileFor({ ctx, runtime }, session, persona, name, privateFolder);
  if (!secretFile.ok) return secretFile;
  const started = await runtime.host.start({
    name,
    cwd: session.cwd,
    argv: launch.argv,
    env: named,
    ...(secretFile.value === null ? {} : { secrets: { BATON_TOKEN: secretFile.value } }),
  });
  if (!started.ok) return err(started.refusal.says);
  const pane = started.value;
  const kept = await changeSession(ctx, session.id, (newest) => ({ ...newest, pane }));
  return kept === null ? err(`agent ${session.id} is not on record`) : ok(kept);
}

function primingPathIn(folder: string, { id }: AgentSession): string {
  return join(folder, `priming-${String(id).padStart(8, '0')}.md`);
}

/**
 * Makes the token of a session that is about to start, in a file that only its owner can read: every user of the machine
 * can see command lines. Null: this workspace has no tokens. A session with a terminal already has a token.
 */
async function tokenFileFor(
  { ctx, runtime }: Pick<Drive, 'ctx' | 'runtime'>,
  session: AgentSession,
  persona: AgentId | null,
  name: string,
  privateFolder: string,
): Promise<Result<string | null, string>> {
  if (runtime.tokens === null || persona === null) return ok(null);
  const path = join(privateFolder, 'token');
  const known = await runtime.host.find(name);
  if (!known.ok) return err(known.refusal.says);
  if (known.value !== null) return ok(path);
  await endToken(ctx, session);
  const made = runtime.tokens.make(persona, `agent ${session.id}`);
  await changeSession(ctx, session.id, (newest) => ({ ...newest, token: made.id }));
  await made.save();
  await runtime.personaFiles.write(path, made.secret);
  return ok(path);
}

/** Waits until the priming turn is over: a line that is typed earlier would become part of it. */
export async function prime(work: StepWork): Promise<StepAnswer> {
  const { runtime, begun } = work;
  const found = await successorOf(work);
  if (!found.ok) return found;
  const successor = found.value;
  if (!runtime.adapterOf(successor.adapter).hasHooks) return primeByTyping(work, successor);
  const ready = await waitForSuccessor(work, successor, runtime.limits.readyMs, async () =>
    hasStarted(await eventsOf(work, successor)),
  );
  if (!ready.ok) return ready;
  if (!ready.value) return err(await notReady(work, successor));
  const over = await waitForTurnEnd(work, successor, -1, runtime.limits.primingMs);
  if (over === 'ended') return ok({ primed: successor.id });
  const says =
    over === 'late'
      ? `agent ${successor.id} did not end its first turn within ${runtime.limits.primingMs / 1_000} s`
      : `agent ${successor.id} stopped in its first turn: ${over.says}`;
  const todo = `look at it with: baton agent show ${successor.id}; the document is kept at ${begun.documentPath}`;
  return err({ code: 'not_primed', says, todo });
}

async function primeByTyping(work: StepWork, successor: AgentSession): Promise<StepAnswer> {
  const { ctx, runtime, begun } = work;
  if (successor.pane === null) return err(createFailed('it has no terminal', work.session.id));
  await ctx.timers.sleep(SETTLE_MS, work.signal);
  const folder = await runtime.personaFiles.documentFolder(successor.persona as AgentId);
  const path = primingPathIn(folder, successor);
  const mark = `${begun.handoff}: read ${path}`;
  const line = { text: primingLine(begun.handoff, path), mark, withinMs: runtime.limits.readyMs };
  const typed = await typeForStep(work, successor, 'priming', line);
  if (!typed.ok) return err(createFailed(typed.refusal.says, work.session.id));
  if (typed.value.confirmed) {
    const place = promptWith(await eventsOf(work, successor), mark) ?? -1;
    const over = await waitForTurnEnd(work, successor, place, runtime.limits.primingMs);
    if (over !== 'ended') return err({ code: 'not_primed', says: 'its first turn did not end', todo: 'look at it' });
  } else await ctx.timers.sleep(SETTLE_MS, work.signal);
  return ok({ primed: successor.id });
}

/** Types the line that names predecessor, document and digest, and what has changed since. */
export async function inject(work: StepWork): Promise<StepAnswer> {
  const { ctx, runtime, session, begun, seen } = work;
  const successor = await successorOf(work);
  if (!successor.ok) return successor;
  const sha256 = detailText(seen, 'sha256');
  const now = await runtime.personaFiles.git(session.cwd);
  const drift = driftBetween((seen.details['git'] ?? null) as unknown as GitState | null, now);
  const text = injectionFor(session, begun, sha256, drift);
  const line = { text, mark: `sha256 ${sha256}`, withinMs: runtime.limits.readyMs };
  const typed = await typeForStep(work, successor.value, 'injection', line);
  if (!typed.ok) return typed;
  const conversation = conversationIn(await eventsOf(work, successor.value));
  await changeSession(ctx, successor.value.id, (newest) => ({
    ...newest,
    state: 'active',
    conversation: conversation ?? newest.conversation,
  }));
  return ok({ successor: successor.value.id, file_path: begun.documentPath, sha256, drift });
}

/** Waits for the end of the turn that the line began. */
export async function acknowledge(work: StepWork): Promise<StepAnswer> {
  const { runtime, seen } = work;
  const successor = await successorOf(work);
  if (!successor.ok) return successor;
  const mark = `sha256 ${detailText(seen, 'sha256')}`;
  const place = promptWith(await eventsOf(work, successor.value), mark);
  // Without hooks an answer cannot be detected.
  if (place === null) return ok({ acknowledged: false });
  const over = await waitForTurnEnd(work, successor.value, place, runtime.limits.acknowledgeMs);
  if (over === 'ended') return ok({ acknowledged: true });
  return err({
    code: 'not_acknowledged',
    says: over === 'late' ? `agent ${successor.value.id} did not answer` : over.says,
    todo: `look at it with: baton agent show ${successor.value.id}; it has the line that points to the document`,
  });
}

async function successorOf({ ctx, session, seen }: StepWork): Promise<Result<AgentSession, SuccessionFailure>> {
  const id = Number(seen.details['successor']);
  const successor = Number.isInteger(id) ? await ctx.store.agents.load(id) : null;
  return successor === null ? err(createFailed('it is not on record', session.id)) : ok(successor);
}

/** Polls until `poll` is true; ends early when the successor's terminal ends. */
async function waitForSuccessor(
  work: StepWork,
  successor: AgentSession,
  forMs: number,
  poll: () => Promise<boolean>,
): Promise<Result<boolean, SuccessionFailure>> {
  const found = await waitFor<Result<boolean, SuccessionFailure>>(work, forMs, async () => {
    if (await poll()) return ok(true);
    const { pane } = successor;
    const broken = pane === null ? null : paneFailure(await work.runtime.host.status(pane), successor);
    if (broken === null || pane === null) return null;
    const screen = (await work.runtime.host.screen(pane)).trim().slice(-SCREEN_MAX);
    return err(createFailed(`${broken.says}${screen === '' ? '' : `: ${screen}`}`, work.session.id));
  });
  return found ?? ok(false);
}

async function waitForTurnEnd(
  work: StepWork,
  successor: AgentSession,
  place: number,
  forMs: number,
): Promise<'ended' | 'late' | { readonly says: string }> {
  let failed: string | null = null;
  const found = await waitForSuccessor(work, successor, forMs, async () => {
    const end = turnEndAfter(await eventsOf(work, successor), place);
    if (end?.kind === 'turn-failed') failed = `${end.error}: ${end.says.slice(0, 500)}`;
    return end !== null;
  });
  if (!found.ok) return { says: found.refusal.says };
  if (failed !== null) return { says: failed };
  return found.value ? 'ended' : 'late';
}

async function notReady({ runtime, session }: StepWork, successor: AgentSession): Promise<SuccessionFailure> {
  const screen = successor.pane === null ? '' : await runtime.host.screen(successor.pane);
  const shown =
    screen.trim() === '' ? 'its terminal is empty' : `its terminal shows: ${screen.trim().slice(-SCREEN_MAX)}`;
  return createFailed(
    `agent ${successor.id} started and none of its hooks spoke within ${runtime.limits.readyMs / 1_000} s; ` +
      `it may ask whether this folder is trusted or who you are; ${shown}`,
    session.id,
  );
}

function createFailed(says: string, predecessor: number): SuccessionFailure {
  return {
    code: 'create_failed',
    says: `the successor of agent ${predecessor} could not be started: ${says}`,
    todo: `the document is kept; put it right, then try again with: baton agent handoff ${predecessor}`,
  };
}

/** Short, and the same for every try. */
export function nameFor(persona: string, seed: string): string {
  return `baton-${persona.replaceAll(/[^a-z0-9-]/g, '-')}-${hexOf(seed).slice(0, 8)}`;
}

/** A UUID that follows from a text. */
export function conversationFor(seed: string): string {
  const hex = hexOf(seed);
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}

function hexOf(seed: string): string {
  return hexDigestOf(`baton agent ${seed}`);
}
