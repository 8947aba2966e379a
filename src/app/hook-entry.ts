/**
 * `baton hook VENDOR EVENT`, as an agent's own hook calls it. What it tells is appended to the journal of its agent,
 * whether or not a server runs; only a text that may hold a summary block loads the whole command. Nothing that goes
 * wrong here may stand in the agent's way: the answer is JSON and the exit code is 0.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentFolder, hearHook, putFile, STATUS_FILE } from '../agents/journal/journal-lines.ts';
import { paneText, readClaudeStatus } from '../agents/context-meter.ts';
import { eventName, type HookPayload } from '../agents/hook-events.ts';
import type { Json } from '../foundation/json.ts';

/** Where each vendor puts what its agent said last. */
const SPOKEN: Readonly<Record<string, string>> = {
  'claude stop': 'last_assistant_message',
  'claude subagentstop': 'last_assistant_message',
  'codex stop': 'last_assistant_message',
  'codex subagentstop': 'last_assistant_message',
  'gemini afteragent': 'prompt_response',
};

/** `runAll` loads the whole command, which reads the input that is kept here. */
export async function runHook(vendor: string, event: string, runAll: () => Promise<number>): Promise<number> {
  try {
    const input = readFileSync(0, 'utf8');
    const payload = payloadIn(input);
    const told = eventName(event);
    const answer = hear(vendor, told, payload);
    if (told === 'statusline') {
      process.stdout.write(`${statusText(payload)}\n`);
      return 0;
    }
    const said = payload[SPOKEN[`${vendor.toLowerCase()} ${told}`] ?? ''];
    if (answer === null && typeof said === 'string' && mayHoldBlock(said)) {
      Object.assign(globalThis, { batonHookInput: input });
      return await runAll();
    }
    process.stdout.write(`${JSON.stringify(answer ?? {})}\n`);
  } catch {
    process.stdout.write('{}\n');
  }
  return 0;
}

/** Only agents that Baton has started have a journal: these variables come with their start. */
function hear(vendor: string, event: string, payload: HookPayload): object | null {
  const workspace = process.env['BATON_WORKSPACE'] ?? '';
  const agent = process.env['BATON_AGENT_ID'] ?? '';
  if (workspace === '' || !/^[1-9][0-9]{0,14}$/.test(agent)) return null;
  const folder = agentFolder(join(workspace, '.baton'), Number(agent));
  if (event !== 'statusline') return hearHook(folder, { vendor: vendor.toLowerCase(), event, payload }, Date.now());
  putFile(folder, STATUS_FILE, JSON.stringify(payload));
  return null;
}

function statusText(payload: HookPayload): string {
  const read = readClaudeStatus(payload as unknown as Json);
  return read === null ? '[ctx: ?]' : paneText(read);
}

/** A block has this key, and the plain form this line; whoever reads them decides. */
function mayHoldBlock(text: string): boolean {
  return /handoff/i.test(text) || /next agent/i.test(text);
}

function payloadIn(input: string): HookPayload {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as HookPayload) : {};
  } catch {
    return {};
  }
}
