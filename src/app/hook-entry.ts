/**
 * `baton hook VENDOR EVENT`, as an agent's own hook calls it. What it tells is appended to the journal of its agent,
 * whether or not a server runs; a look for work opens the SQLite database by itself. Whatever takes longer is left to a
 * process beside it (`baton hook --later`): words that may hold a summary block are written down first. Nothing that
 * goes wrong here may stand in the agent's way: the answer is JSON and the exit code is 0.
 */
import { messageOf } from '../foundation/error-message.ts';
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { agentFolder, hasNote, hearHook, putFile, STATUS_FILE } from '../agents/journal/journal-lines.ts';
import { spoolCall, spooledCalls, takeAnswer } from '../adapters/agent-sessions/hook-spool.ts';
import { announceFoundWork, type WakeRequest } from '../agents/journal/announce-work.ts';
import { isWorthLooking, readLook, wakeFolder } from '../agents/journal/wake-file.ts';
import { hookAgent, isBusyTurn, isTurnStart, ownSession, wakeMoment } from '../agents/wake-hook.ts';
import type { AgentId } from '../domain/names.ts';
import { paneText, readClaudeStatus } from '../agents/context-meter.ts';
import { eventName, spokenIn, text, type HookPayload } from '../formats/agent-hook.ts';
import { mayHoldBlock } from '../formats/summary-block/may-hold-block.ts';
import type { Json } from '../foundation/json.ts';
import type { Looked } from './hook-look.ts';
import { findWorkspace, type Workspace } from '../workspace/workspace.ts';

interface HookPlace {
  readonly workspace: Workspace;
  readonly agent: AgentId | null;
}

/** Without an event on the command line the agent's own word for it counts. */
export async function runHook(vendor: string, event: string | undefined): Promise<number> {
  try {
    const input = readFileSync(0, 'utf8');
    const payload = payloadIn(input);
    const named = event ?? text(payload, 'hook_event_name') ?? '';
    const told = eventName(named);
    const by = vendor.toLowerCase();
    const answer = hear(by, told, payload);
    if (told === 'statusline') {
      answerWith(`${statusText(payload)}${await waitingText(by, payload)}`);
      return 0;
    }
    const looked = answer === null ? await answerOf(by, named, input, payload) : null;
    answerWith(JSON.stringify(answer ?? looked?.told ?? {}));
    if (looked?.isLate === true) process.exit(0);
  } catch {
    answerWith('{}');
  }
  return 0;
}

/** What the agent's program is told beside what concerns a handover of its session. */
async function answerOf(vendor: string, event: string, input: string, payload: HookPayload): Promise<Looked> {
  const said = spokenIn(vendor, event, payload);
  const moment = wakeMoment(vendor, event);
  if (said === null && moment === null && !isTurnStart(vendor, event)) return { told: null };
  const place = placeOf(vendor, payload);
  if (place === null) return { told: null };
  const { privateFolder } = place.workspace;
  const kept = said !== null && mayHoldBlock(said) ? keepWords(privateFolder, { vendor, event, input }) : null;
  const wake = moment === null ? null : wakeFor(vendor, place, { moment, isBusy: isBusyTurn(payload) });
  const isDue = wake !== null && isWorthLooking(wakeFolder(privateFolder, wake.agent), wake.moment, Date.now());
  const looked = isDue ? await look(place.workspace.folder, wake) : null;
  const told = looked === null && wake !== null ? announceFoundWork(privateFolder, wake, Date.now()) : looked?.told;
  if ((isDue && looked === null) || isLookWanted(place, moment === null) || spooledCalls(privateFolder).length > 0)
    await startLater(vendor, place.workspace.folder);
  const answer = kept ?? takeAnswer(privateFolder, text(payload, 'session_id') ?? '');
  return {
    told: answer === null ? (told ?? null) : { systemMessage: `baton: ${answer}`, ...told },
    ...(looked?.isLate === true ? { isLate: true } : {}),
  };
}

/** Null: they are on the disk, and read beside this hook. */
function keepWords(privateFolder: string, call: Parameters<typeof spoolCall>[1]): string | null {
  try {
    spoolCall(privateFolder, call);
    return null;
  } catch (error) {
    return `what the agent said could not be kept: ${messageOf(error)}`;
  }
}

/**
 * Whether this may be the moment to tell the agent of work for it. An agent that runs for one handoff has its work, and
 * one that hands over is not disturbed.
 */
function wakeFor(
  vendor: string,
  { workspace, agent }: HookPlace,
  at: Pick<WakeRequest, 'moment' | 'isBusy'>,
): WakeRequest | null {
  if (agent === null || isForOneHandoff()) return null;
  const session = ownSession();
  if (session !== null && hasNote(agentFolder(workspace.privateFolder, session))) return null;
  return { vendor, agent, session, ...at };
}

function isForOneHandoff(): boolean {
  return (process.env['BATON_HANDOFF_ID'] ?? '') !== '';
}

/** A turn begins: what the database has by now is found beside it, and told at its end. */
function isLookWanted({ workspace, agent }: HookPlace, isTurnBeginning: boolean): boolean {
  if (!isTurnBeginning || agent === null || isForOneHandoff()) return false;
  const look = readLook(wakeFolder(workspace.privateFolder, agent));
  return look !== null && look.bell === null && look.againAt !== null && Date.now() >= look.againAt;
}

/** In which workspace the agent works, and as whom. */
function placeOf(vendor: string, payload: HookPayload): HookPlace | null {
  const named = process.env['BATON_WORKSPACE'] ?? '';
  const workspace = findWorkspace(named === '' ? (text(payload, 'cwd') ?? process.cwd()) : named);
  return workspace === null ? null : { workspace, agent: hookAgent(vendor, workspace.folder) };
}

/** Null: it is looked beside this hook. What looks into a database is loaded when there is something to look for. */
async function look(workspace: string, request: WakeRequest): Promise<Looked | null> {
  return (await import('./hook-look.ts')).lookHere(workspace, request);
}

/** The agent does not wait for it, and does not end it: it is no part of the agent's own group of processes. */
async function startLater(vendor: string, workspace: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const program = process.argv[1];
  if (program === undefined) return;
  const args = [program, 'hook', '--later', vendor, '--workspace', workspace];
  const child = spawn(process.execPath, args, { cwd: workspace, detached: true, stdio: 'ignore' });
  // Too many processes: the next hook tries again.
  child.on('error', () => undefined);
  child.unref();
}

/** Only agents that Baton has started have a journal: these variables come with their start. */
function hear(vendor: string, event: string, payload: HookPayload): object | null {
  const workspace = process.env['BATON_WORKSPACE'] ?? '';
  const session = ownSession();
  if (workspace === '' || session === null) return null;
  const folder = agentFolder(join(workspace, '.baton'), session);
  if (event !== 'statusline') return hearHook(folder, { vendor, event, payload }, Date.now());
  putFile(folder, STATUS_FILE, JSON.stringify(payload));
  return null;
}

function statusText(payload: HookPayload): string {
  const read = readClaudeStatus(payload as unknown as Json);
  return read === null ? '[ctx: ?]' : paneText(read);
}

/** What is on offer to the agent, for the status line; of a database that is not here, what the last look has found. */
async function waitingText(vendor: string, payload: HookPayload): Promise<string> {
  try {
    const { workspace, agent } = placeOf(vendor, payload) ?? { agent: null };
    if (agent === null || workspace === undefined || isForOneHandoff()) return '';
    const folder = wakeFolder(workspace.privateFolder, agent);
    const known = readLook(folder)?.waiting ?? 0;
    const waiting = isWorthLooking(folder, 'session-start', Date.now())
      ? ((await (await import('./hook-look.ts')).countHere(workspace.folder, agent)) ?? known)
      : known;
    return waiting === 0 ? '' : ` ${waiting} ${waiting === 1 ? 'handoff waits' : 'handoffs wait'}`;
  } catch {
    return '';
  }
}

/** Standard output as a stream takes 3 ms to make; what cannot be written at once is for the stream. */
function answerWith(said: string): void {
  const line = Buffer.from(`${said}\n`);
  let written = 0;
  try {
    while (written < line.length) written += writeSync(1, line, written);
  } catch {
    process.stdout.write(line.subarray(written));
  }
}

function payloadIn(input: string): HookPayload {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as HookPayload) : {};
  } catch {
    return {};
  }
}
