/**
 * Called by an agent's hook at the end of a turn, with JSON on standard input: what the agent said last is read like any
 * summary. A hook must never stand in its agent's way: whatever goes wrong is said in words, and the exit code is 0.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { digestOf } from '../../../foundation/digest.ts';
import { readJson } from '../../../foundation/json.ts';
import { OPERATOR } from '../../../domain/principal.ts';
import { ingestText, type BlockAnswer } from '../../../engine/handoffs/ingest-text.ts';
import { workspaceFor } from '../../../workspace/workspace.ts';
import { ingestRefusalText } from '../../shared/ingest-refusal-text.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import { heldHere } from './ingest.ts';
import type { Output } from '../output.ts';

/** The events at which an agent has said something to its end, and where its words are. */
const SPOKEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  claude: { stop: 'last_assistant_message', subagentstop: 'last_assistant_message' },
  codex: { stop: 'last_assistant_message', subagentstop: 'last_assistant_message' },
  gemini: { afteragent: 'prompt_response' },
};

export async function hook(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const [vendor = '', event = ''] = args;
  const events = SPOKEN[vendor.toLowerCase()];
  const field = events?.[event.toLowerCase().replaceAll(/[^a-z]/g, '')];
  const told = field === undefined ? null : await read(field, options).catch(wordsOf);
  // What stands on standard output is read by the agent's program, and has to be JSON whatever happened.
  output.answer(told === null || told === '' ? {} : { systemMessage: `baton: ${told}` });
  return 0;
}

/** What to say about it; null where there was nothing to read, or nobody here who would. */
async function read(field: string, options: CommonOptions): Promise<string | null> {
  const given = readJson(inputText());
  if (!given.ok) return `the hook's input is not JSON: ${given.refusal.says}`;
  const said = new Map(Object.entries((given.value.value ?? {}) as Record<string, unknown>));
  const text = textIn(said, field);
  if (text === null) return null;
  // Agents run anywhere; most of the time there is no workspace, and nothing to say about it.
  const folder = options.workspace ?? textIn(said, 'cwd') ?? process.cwd();
  if (workspaceFor(folder) === null) return null;
  const session = textIn(said, 'session_id') ?? 'unknown';
  const turn = textIn(said, 'turn_id') ?? textIn(said, 'prompt_id') ?? digestOf(text).slice(0, 16);
  return withWorkspace({ ...options, workspace: folder }, { otherwise: OPERATOR }, async (ctx, principal, app) => {
    const project = app.configuration.project ?? basename(app.workspace?.folder ?? 'default');
    const blocks = await ingestText(ctx, principal, { text, source: { session, turn }, project, ...heldHere() });
    return blocks
      .map(lineOf)
      .filter((line) => line !== '')
      .join('; ');
  });
}

function lineOf({ from, fate, ingested, refusal, says, problems, line }: BlockAnswer): string {
  const who = from === null ? `the block in line ${line}` : `@${from}`;
  if (refusal !== undefined) return `${who} refused: ${ingestRefusalText(refusal)}`;
  if (fate === 'known' || fate === 'quoted') return '';
  if (ingested !== undefined) {
    const next = ingested.opened === null ? '' : `, next is ${ingested.opened}`;
    return `${who} ${ingested.did} ${ingested.leg}${next}`;
  }
  return displayLine(
    `${who} ${fate}${says === undefined ? '' : `: ${says}`}${problems.map((each) => `; ${each.says}`).join('')}`,
  );
}

function textIn(said: ReadonlyMap<string, unknown>, name: string): string | null {
  const value = said.get(name);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The hook's own file (`hook-entry.ts`) has read the input already when it asks for the whole command. */
function inputText(): string {
  const { batonHookInput } = globalThis as { readonly batonHookInput?: unknown };
  return typeof batonHookInput === 'string' ? batonHookInput : readFileSync(0, 'utf8');
}
