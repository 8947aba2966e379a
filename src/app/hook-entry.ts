/**
 * `baton hook VENDOR EVENT`, as an agent's own hook calls it. The event is appended to the journal of its agent, whether or
 * not a server runs; a look for work opens the SQLite database itself. Everything that takes longer runs in a background
 * process (`baton hook --later`); a message that may hold a summary block is stored for it. No failure here may stop the
 * agent: the answer is always JSON and the exit code 0.
 */
import { messageOf } from '../foundation/error-message.ts';
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { agentFolder, hasNote, recordHook, putFile, STATUS_FILE } from '../agents/journal/journal-lines.ts';
import { spoolCall, spooledCalls, takeAnswer } from '../adapters/agent-sessions/hook-spool.ts';
import { announceFoundWork, type WakeRequest } from '../agents/journal/announce-work.ts';
import { isCheckDue, readWakeState, wakeFolder } from '../agents/journal/wake-state.ts';
import { isTurnStart, wakeMoment } from '../agents/hook-events.ts';
import { hookAgent, isBusyTurn, ownSession } from '../agents/wake-hook.ts';
import type { AgentId } from '../domain/names.ts';
import { paneText, readClaudeStatus } from '../agents/context-meter.ts';
import { eventName, lastMessageIn, text, type HookPayload } from '../formats/agent-hook.ts';
import { mayHoldBlock } from '../formats/summary-block/may-hold-block.ts';
import { jsonIn } from '../agents/json-fields.ts';
import { isJsonObject, type Json } from '../foundation/json.ts';
import type { WorkCheck } from './hook-work-check.ts';
import { findWorkspace, type Workspace } from '../workspace/workspace.ts';

interface HookPlace {
  readonly workspace: Workspace;
  readonly agent: AgentId | null;
}

/** Without an event on the command line the payload names it. */
export async function runHook(vendor: string, event: string | undefined): Promise<number> {
  try {
    const input = readFileSync(0, 'utf8');
    const payload = payloadIn(input);
    const named = event ?? text(payload, 'hook_event_name') ?? '';
    const eventType = eventName(named);
    const by = vendor.toLowerCase();
    const answer = recordEvent(by, eventType, payload);
    if (eventType === 'statusline') {
      answerWith(`${statusText(payload)}${await waitingText(by, payload)}`);
      return 0;
    }
    const check = answer === null ? await answerOf(by, named, input, payload) : null;
    answerWith(JSON.stringify(answer ?? check?.output ?? {}));
    if (check?.isLate === true) process.exit(0);
  } catch {
    answerWith('{}');
  }
  return 0;
}

/** The answer of a hook that has nothing to do with a handover. */
async function answerOf(vendor: string, event: string, input: string, payload: HookPayload): Promise<WorkCheck> {
  const said = lastMessageIn(vendor, event, payload);
  const moment = wakeMoment(vendor, event);
  if (said === null && moment === null && !isTurnStart(vendor, event)) return { output: null };
  const place = placeOf(vendor, payload);
  if (place === null) return { output: null };
  const { privateFolder } = place.workspace;
  const spooled =
    said !== null && mayHoldBlock(said) ? spoolCallOrReport(privateFolder, { vendor, event, input }) : null;
  const wake = moment === null ? null : announcementFor(vendor, place, { moment, isBusy: isBusyTurn(payload) });
  const isDue = wake !== null && isCheckDue(wakeFolder(privateFolder, wake.agent), wake.moment, Date.now());
  const check = isDue ? await checkInDatabase(place.workspace.folder, wake) : null;
  const output = check === null && wake !== null ? announceFoundWork(privateFolder, wake, Date.now()) : check?.output;
  if (
    (isDue && check === null) ||
    needsBackgroundCheck(place, moment === null) ||
    spooledCalls(privateFolder).length > 0
  )
    await startLater(vendor, place.workspace.folder);
  const answer = spooled ?? takeAnswer(privateFolder, text(payload, 'session_id') ?? '');
  return {
    output: answer === null ? (output ?? null) : { systemMessage: `baton: ${answer}`, ...output },
    ...(check?.isLate === true ? { isLate: true } : {}),
  };
}

/** Null: the call is stored, and the background process handles it. */
function spoolCallOrReport(privateFolder: string, call: Parameters<typeof spoolCall>[1]): string | null {
  try {
    spoolCall(privateFolder, call);
    return null;
  } catch (error) {
    return `what the agent said could not be kept: ${messageOf(error)}`;
  }
}

/**
 * Null: no work is announced now. An agent that runs for one handoff has its work, and an agent that hands over must not be
 * disturbed.
 */
function announcementFor(
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

/** Whether a background process is to look into the database while the turn runs; the end of the turn announces the result. */
function needsBackgroundCheck({ workspace, agent }: HookPlace, isTurnBeginning: boolean): boolean {
  if (!isTurnBeginning || agent === null || isForOneHandoff()) return false;
  const lastCheck = readWakeState(wakeFolder(workspace.privateFolder, agent));
  return lastCheck !== null && lastCheck.bell === null && lastCheck.againAt !== null && Date.now() >= lastCheck.againAt;
}

/** The workspace and the name of the agent. */
function placeOf(vendor: string, payload: HookPayload): HookPlace | null {
  const named = process.env['BATON_WORKSPACE'] ?? '';
  const workspace = findWorkspace(named === '' ? (text(payload, 'cwd') ?? process.cwd()) : named);
  return workspace === null ? null : { workspace, agent: hookAgent(vendor, workspace.folder) };
}

/** Null: the background process has to check. The code that reads a database is loaded only here. */
async function checkInDatabase(workspace: string, request: WakeRequest): Promise<WorkCheck | null> {
  return (await import('./hook-work-check.ts')).checkForWorkHere(workspace, request);
}

/** Starts the background process in a process group of its own, so that the agent neither waits for it nor ends it. */
async function startLater(vendor: string, workspace: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const program = process.argv[1];
  if (program === undefined) return;
  const args = [program, 'hook', '--later', vendor, '--workspace', workspace];
  const child = spawn(process.execPath, args, { cwd: workspace, detached: true, stdio: 'ignore' });
  // There may be too many processes; the next hook tries again.
  child.on('error', () => undefined);
  child.unref();
}

/** Only agents that Baton has started have a journal; Baton sets these variables at their start. */
function recordEvent(vendor: string, event: string, payload: HookPayload): object | null {
  const workspace = process.env['BATON_WORKSPACE'] ?? '';
  const session = ownSession();
  if (workspace === '' || session === null) return null;
  const folder = agentFolder(join(workspace, '.baton'), session);
  if (event !== 'statusline') return recordHook(folder, { vendor, event, payload }, Date.now());
  putFile(folder, STATUS_FILE, JSON.stringify(payload));
  return null;
}

function statusText(payload: HookPayload): string {
  const read = readClaudeStatus(payload as unknown as Json);
  return read === null ? '[ctx: ?]' : paneText(read);
}

/** How many handoffs wait for the agent, for the status line. For a database server the last look counts. */
async function waitingText(vendor: string, payload: HookPayload): Promise<string> {
  try {
    const { workspace, agent } = placeOf(vendor, payload) ?? { agent: null };
    if (agent === null || workspace === undefined || isForOneHandoff()) return '';
    const folder = wakeFolder(workspace.privateFolder, agent);
    const known = readWakeState(folder)?.waiting ?? 0;
    const waiting = isCheckDue(folder, 'session-start', Date.now())
      ? ((await (await import('./hook-work-check.ts')).countHere(workspace.folder, agent)) ?? known)
      : known;
    return waiting === 0 ? '' : ` ${waiting} ${waiting === 1 ? 'handoff waits' : 'handoffs wait'}`;
  } catch {
    return '';
  }
}

/** Opening standard output as a stream takes 3 ms, so it is used only for what cannot be written at once. */
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
  const value = jsonIn(input);
  return isJsonObject(value) ? value : {};
}
