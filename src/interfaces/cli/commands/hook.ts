/**
 * Reads the last message of an agent, which its hook was given, like a summary. A hook must never block its agent: every
 * error becomes a message, and the exit code is 0. Agents call `app/hook-entry.ts`, which leaves the reading to
 * `baton hook --later`.
 */
import { messageOf } from '../../../foundation/error-message.ts';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { SpooledCall } from '../../../adapters/agent-sessions/hook-spool.ts';
import { digestOf } from '../../../foundation/digest.ts';
import { readJson } from '../../../foundation/json.ts';
import { hasBackgroundTasks, lastMessageIn, turnIn, type HookPayload } from '../../../formats/agent-hook.ts';
import { OPERATOR } from '../../../domain/principal.ts';
import { ingestText, type BlockAnswer } from '../../../engine/handoffs/ingest-text.ts';
import { findBlocks } from '../../../formats/summary-block/find.ts';
import { isActive } from '../../../formats/summary-block/found-block.ts';
import { isTranscript, lastAgentMessage } from '../../../formats/summary-block/transcript.ts';
import { findWorkspace, workspaceFor } from '../../../workspace/workspace.ts';
import { ingestRefusalText } from '../../shared/ingest-refusal-text.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { withWorkspace, type CommonOptions, type Flags } from '../with-workspace.ts';
import { heldHere } from './ingest.ts';
import type { Output } from '../output.ts';

type HookOptions = CommonOptions & Flags<'later'>;

export async function hook(args: readonly string[], options: HookOptions, output: Output): Promise<void> {
  const [vendor = '', event] = args;
  if (options.later === true) return (await import('./hook-later.ts')).hookLater(vendor, options, output);
  const call = { vendor, event: event ?? null, input: readFileSync(0, 'utf8'), transcriptBytes: null };
  const message = await readLastMessage(call, options).catch(messageOf);
  // The agent's program reads standard output and needs JSON in every case.
  output.answer(message === null || message === '' ? {} : { systemMessage: `baton: ${message}` });
}

/** One call of a hook, live or from the spool. */
export interface HookCall extends Pick<SpooledCall, 'vendor' | 'input' | 'transcriptBytes'> {
  readonly event: string | null;
}

/** The message to the agent; null: there is no workspace, or nothing to read. */
export async function readLastMessage(
  { vendor, event, input, transcriptBytes }: HookCall,
  options: CommonOptions,
): Promise<string | null> {
  const given = readJson(input);
  if (!given.ok) return `the hook's input is not JSON: ${given.refusal.says}`;
  const payload = (given.value.value ?? {}) as HookPayload;
  const said = new Map(Object.entries(payload));
  const text = lastMessageIn(vendor, event ?? textIn(said, 'hook_event_name') ?? '', payload);
  if (text === null) return null;
  // Agents run in any folder, so a missing workspace is no error.
  const workspace =
    options.workspace === undefined
      ? findWorkspace(textIn(said, 'cwd') ?? process.cwd())
      : workspaceFor(options.workspace);
  if (workspace === null) return null;
  const { folder } = workspace;
  if (hasBackgroundTasks(payload)) {
    const hasBlock = findBlocks(text).some(isActive);
    return hasBlock ? 'tasks still run in the background: the block is not read; end the last message with it' : null;
  }
  const session = textIn(said, 'session_id') ?? 'unknown';
  const turn =
    turnIn(payload) ?? geminiTurn(textIn(said, 'transcript_path'), transcriptBytes, text) ?? textIn(said, 'timestamp');
  return withWorkspace(
    { ...options, workspace: folder },
    { defaultPrincipal: OPERATOR },
    async (ctx, principal, app) => {
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
    },
  );
}

const TRANSCRIPT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Gemini CLI names no turn to its hooks, so the turn is read from its transcript. Null if that cannot be read. Only the
 * bytes that were there when the hook was called count, so that a second reading gives the same name.
 */
function geminiTurn(transcript: string | null, bytes: number | null, said: string): string | null {
  try {
    if (transcript === null || (bytes ?? statSync(transcript).size) > TRANSCRIPT_BYTES_MAX) return null;
    const all = readFileSync(transcript);
    const text = all.toString('utf8', 0, bytes ?? all.length);
    const last = isTranscript(text) ? lastAgentMessage(text) : null;
    // The transcript does not hold the message yet.
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
  const block = from === null ? who : `the block of ${who}`;
  const reasons = [
    ...(says === undefined ? [] : [says]),
    ...problems.map((each) => `${each.field} ${each.says}`.trim()),
  ];
  return displayLine(`${block} is ${fate}${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}`);
}

function textIn(said: ReadonlyMap<string, unknown>, name: string): string | null {
  const value = said.get(name);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
