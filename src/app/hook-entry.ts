/**
 * `baton hook VENDOR EVENT`, as an agent's own hook calls it. What it tells is appended to the journal of its agent,
 * whether or not a server runs; a look for work opens the database by itself, and only a text that holds a summary block
 * loads the whole command. Nothing that goes wrong here may stand in the agent's way: the answer is JSON and the exit code is 0.
 */
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { WakeMoment } from '../agents/agent-host.ts';
import { agentFolder, hasNote, hearHook, putFile, STATUS_FILE } from '../agents/journal/journal-lines.ts';
import { isWorthLooking, readLook, wakeFolder } from '../agents/journal/wake-file.ts';
import { hookAgent, isBusyTurn, wakeMoment } from '../agents/wake-hook.ts';
import type { AgentId } from '../domain/names.ts';
import { paneText, readClaudeStatus } from '../agents/context-meter.ts';
import { eventName, spokenIn, type HookPayload } from '../formats/agent-hook.ts';
import { mayHoldBlock } from '../formats/summary-block/may-hold-block.ts';
import type { Json } from '../foundation/json.ts';
import type { Looked } from './hook-look.ts';
import { findWorkspace, type Workspace } from '../workspace/workspace.ts';

/**
 * `runAll` loads the whole command, which reads the input that is kept here. Without an event on the command line the
 * agent's own word for it counts.
 */
export async function runHook(
  vendor: string,
  event: string | undefined,
  runAll: (event: string) => Promise<number>,
): Promise<number> {
  try {
    const input = readFileSync(0, 'utf8');
    const payload = payloadIn(input);
    const own = payload['hook_event_name'];
    const named = event ?? (typeof own === 'string' ? own : '');
    const told = eventName(named);
    const answer = hear(vendor, told, payload);
    if (told === 'statusline') {
      answerWith(`${statusText(payload)}${await waitingText(vendor.toLowerCase(), payload)}`);
      return 0;
    }
    const said = spokenIn(vendor, told, payload);
    const hasBlock = said !== null && mayHoldBlock(said) && (await import('./hook-block.ts')).holdsBlock(said);
    const wake = answer === null ? wakeFor(vendor.toLowerCase(), told, payload) : null;
    const looked: Looked | null = wake === null || hasBlock ? { told: null } : await look(wake);
    if (answer === null && (hasBlock || looked === null)) {
      Object.assign(globalThis, { batonHook: { input, hasBlock, wake } });
      return await runAll(named);
    }
    answerWith(JSON.stringify(answer ?? looked?.told ?? {}));
    if (looked?.isLate === true) process.exit(0);
  } catch {
    answerWith('{}');
  }
  return 0;
}

/**
 * Whether this may be the moment to tell the agent of work for it; null: it is not, or nothing has changed since the last
 * look. An agent that runs for one handoff has its work, and one that hands over is not disturbed.
 */
function wakeFor(vendor: string, event: string, payload: HookPayload): WakeCall | null {
  const moment = wakeMoment(vendor, event);
  if (moment === null || (process.env['BATON_HANDOFF_ID'] ?? '') !== '') return null;
  const place = placeOf(vendor, payload);
  if (place === null) return null;
  const { workspace, agent } = place;
  const session = ownSession();
  if (session !== null && hasNote(agentFolder(workspace.privateFolder, session))) return null;
  if (!isWorthLooking(wakeFolder(workspace.privateFolder, agent), moment, Date.now())) return null;
  return { workspace: workspace.folder, vendor, agent, moment, isBusy: isBusyTurn(payload), session };
}

/** In which workspace the agent works, and as whom. */
function placeOf(
  vendor: string,
  payload: HookPayload,
): { readonly workspace: Workspace; readonly agent: AgentId } | null {
  const named = process.env['BATON_WORKSPACE'] ?? '';
  const cwd = payload['cwd'];
  const workspace = findWorkspace(named === '' ? (typeof cwd === 'string' ? cwd : process.cwd()) : named);
  const agent = workspace === null ? null : hookAgent(vendor, workspace.folder);
  return workspace === null || agent === null ? null : { workspace, agent };
}

/** Null: this is for the whole command. What looks into a database is loaded when there is something to look for. */
async function look({ workspace, ...request }: WakeCall): Promise<Looked | null> {
  return (await import('./hook-look.ts')).lookHere(workspace, request);
}

interface WakeCall {
  readonly workspace: string;
  readonly vendor: string;
  readonly agent: AgentId;
  readonly moment: WakeMoment;
  readonly isBusy: boolean;
  readonly session: number | null;
}

/** The number that Baton gave to the session in which this hook runs. */
function ownSession(): number | null {
  const agent = process.env['BATON_AGENT_ID'] ?? '';
  return /^[1-9][0-9]{0,14}$/.test(agent) ? Number(agent) : null;
}

/** Only agents that Baton has started have a journal: these variables come with their start. */
function hear(vendor: string, event: string, payload: HookPayload): object | null {
  const workspace = process.env['BATON_WORKSPACE'] ?? '';
  const session = ownSession();
  if (workspace === '' || session === null) return null;
  const folder = agentFolder(join(workspace, '.baton'), session);
  if (event !== 'statusline') return hearHook(folder, { vendor: vendor.toLowerCase(), event, payload }, Date.now());
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
    const place = placeOf(vendor, payload);
    if (place === null || (process.env['BATON_HANDOFF_ID'] ?? '') !== '') return '';
    const { workspace, agent } = place;
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
function answerWith(text: string): void {
  const line = Buffer.from(`${text}\n`);
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
