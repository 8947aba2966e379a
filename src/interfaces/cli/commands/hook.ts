/**
 * What an agent said last, as its hook was given it, is read like any summary. A hook must never stand in its agent's way:
 * whatever goes wrong is said in words, and the exit code is 0. `app/hook-entry.ts` is what agents call; it leaves the
 * reading to `baton hook --later`.
 */
import { messageOf } from '../../../foundation/error-message.ts';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { SpooledCall } from '../../../adapters/agent-sessions/hook-spool.ts';
import { digestOf } from '../../../foundation/digest.ts';
import { readJson } from '../../../foundation/json.ts';
import { hasBackgroundTasks, spokenIn, turnIn, type HookPayload } from '../../../formats/agent-hook.ts';
import { OPERATOR } from '../../../domain/principal.ts';
import { ingestText, type BlockAnswer } from '../../../engine/handoffs/ingest-text.ts';
import { findBlocks } from '../../../formats/summary-block/find.ts';
import { acts } from '../../../formats/summary-block/found-block.ts';
import { isTranscript, lastWords } from '../../../formats/summary-block/transcript.ts';
import { findWorkspace, workspaceFor } from '../../../workspace/workspace.ts';
import { ingestRefusalText } from '../../shared/ingest-refusal-text.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import { heldHere } from './ingest.ts';
import type { Output } from '../output.ts';

interface HookOptions extends CommonOptions {
  readonly later?: true;
}

export async function hook(args: readonly string[], options: HookOptions, output: Output): Promise<number> {
  const [vendor = '', event] = args;
  if (options.later === true) return (await import('./hook-later.ts')).hookLater(vendor, options, output);
  const call = { vendor, event: event ?? null, input: readFileSync(0, 'utf8'), transcriptBytes: null };
  const told = await readWords(call, options).catch(messageOf);
  // What stands on standard output is read by the agent's program, and has to be JSON whatever happened.
  output.answer(told === null || told === '' ? {} : { systemMessage: `baton: ${told}` });
  return 0;
}

/** One call of a hook, as it was or as it was kept. */
export interface HookWords extends Pick<SpooledCall, 'vendor' | 'input' | 'transcriptBytes'> {
  readonly event: string | null;
}

/** What to say about it; null where there was nothing to read, or nobody here who would. */
export async function readWords(
  { vendor, event, input, transcriptBytes }: HookWords,
  options: CommonOptions,
): Promise<string | null> {
  const given = readJson(input);
  if (!given.ok) return `the hook's input is not JSON: ${given.refusal.says}`;
  const payload = (given.value.value ?? {}) as HookPayload;
  const said = new Map(Object.entries(payload));
  const text = spokenIn(vendor, event ?? textIn(said, 'hook_event_name') ?? '', payload);
  if (text === null) return null;
  // Agents run anywhere; most of the time there is no workspace, and nothing to say about it.
  const workspace =
    options.workspace === undefined
      ? findWorkspace(textIn(said, 'cwd') ?? process.cwd())
      : workspaceFor(options.workspace);
  if (workspace === null) return null;
  const { folder } = workspace;
  if (hasBackgroundTasks(payload)) {
    const hasBlock = findBlocks(text).some(acts);
    return hasBlock ? 'tasks still run in the background: the block is not read; end the last message with it' : null;
  }
  const session = textIn(said, 'session_id') ?? 'unknown';
  const turn =
    turnIn(payload) ?? geminiTurn(textIn(said, 'transcript_path'), transcriptBytes, text) ?? textIn(said, 'timestamp');
  return withWorkspace({ ...options, workspace: folder }, { otherwise: OPERATOR }, async (ctx, principal, app) => {
    const project = app.configuration.project ?? basename(app.workspace?.folder ?? 'default');
    const blocks = await ingestText(ctx, principal, {
      text,
      source: { session, turn: turn ?? digestOf(text).slice(0, 16) },
      project,
      ...heldHere(),
    });
    return blocks
      .map(lineOf)
      .filter((line) => line !== '')
      .join('; ');
  });
}

const TRANSCRIPT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Gemini CLI names no turn to its hooks; its transcript has the message. Null where that cannot be read. Of a transcript
 * that has grown since the hook was called, what was there by then counts: read again, it gives the same name again.
 */
function geminiTurn(transcript: string | null, bytes: number | null, said: string): string | null {
  try {
    if (transcript === null || (bytes ?? statSync(transcript).size) > TRANSCRIPT_BYTES_MAX) return null;
    const all = readFileSync(transcript);
    const text = all.toString('utf8', 0, bytes ?? all.length);
    const last = isTranscript(text) ? lastWords(text) : null;
    // What is not written down yet has no name yet.
    return last?.text.trim() === said.trim() ? last.said.entry : null;
  } catch {
    return null;
  }
}

function lineOf({ from, fate, rule, ingested, refusal, says, problems, line }: BlockAnswer): string {
  const who = from === null ? `the block in line ${line}` : `@${from}`;
  if (refusal !== undefined) return `${who} refused: ${ingestRefusalText(refusal)}`;
  if (fate === 'known' || rule === 'quoted') return '';
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
