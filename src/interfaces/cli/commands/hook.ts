/**
 * Called by an agent's hook, with JSON on standard input: what the agent said last is read like any summary, and the agent
 * is told of work for it. A hook must never stand in its agent's way: whatever goes wrong is said in words, and the exit code is 0.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { digestOf } from '../../../foundation/digest.ts';
import { readJson } from '../../../foundation/json.ts';
import { hasBackgroundTasks, spokenIn, turnIn, type HookPayload } from '../../../formats/agent-hook.ts';
import { agentPrincipal, OPERATOR } from '../../../domain/principal.ts';
import { ingestText, type BlockAnswer } from '../../../engine/handoffs/ingest-text.ts';
import { findBlocks } from '../../../formats/summary-block/find.ts';
import { acts } from '../../../formats/summary-block/found-block.ts';
import { isTranscript, lastWords } from '../../../formats/summary-block/transcript.ts';
import { findWorkspace, workspaceFor } from '../../../workspace/workspace.ts';
import { ingestRefusalText } from '../../shared/ingest-refusal-text.ts';
import type { WakeRequest } from '../../../adapters/agents/wake-look.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import { agentArgument } from '../arguments.ts';
import { heldHere } from './ingest.ts';
import type { Output } from '../output.ts';

/** What the hook's own file (`hook-entry.ts`) has found out before it asked for the whole command. */
interface HookFound {
  readonly input: string;
  readonly hasBlock: boolean;
  readonly wake: (Omit<WakeRequest, 'agent'> & { readonly agent: string; readonly workspace: string }) | null;
}

export async function hook(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const [vendor = '', event] = args;
  const found = hookFound();
  const told = found?.hasBlock === false ? null : await read(vendor, event, options, found).catch(wordsOf);
  const wake = found?.wake ?? null;
  const answer = wake === null ? null : await wakeInTime(wake, options);
  // What stands on standard output is read by the agent's program, and has to be JSON whatever happened.
  const isLate = answer === 'too late';
  output.answer({
    ...(told === null || told === '' ? {} : { systemMessage: `baton: ${told}` }),
    ...(isLate ? {} : answer),
  });
  // A database that does not answer would keep this process, and with it the agent.
  if (isLate) process.exit(0);
  return 0;
}

/** A person waits for the agent, and the agent for its hook. */
const WAKE_LOOK_MAX_MS = 10_000;

/** Whoever cannot be told now is told at a later turn, or when a session starts. */
async function wakeInTime(
  wake: NonNullable<HookFound['wake']>,
  options: CommonOptions,
): Promise<object | 'too late' | null> {
  const { postponeLook } = await import('../../../adapters/agents/wake-look.ts');
  const later = (): null => {
    postponeLook(wake.workspace, agentArgument(wake.agent, 'agent'));
    return null;
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'too late'>((resolve) => {
    timer = setTimeout(() => {
      later();
      resolve('too late');
    }, WAKE_LOOK_MAX_MS);
  });
  const answer = await Promise.race([wakeFor(wake, options).catch(later), late]);
  clearTimeout(timer);
  return answer;
}

async function wakeFor(wake: NonNullable<HookFound['wake']>, options: CommonOptions): Promise<object | null> {
  const agent = agentArgument(wake.agent, 'agent');
  const asking = { otherwise: agentPrincipal(agent), scope: 'read', onlyReads: true } as const;
  return withWorkspace({ ...options, workspace: wake.workspace }, asking, async (_ctx, _principal, app) => {
    const { wakeByHook } = await import('../../../adapters/agents/wake.ts');
    return app.workspace === null ? null : wakeByHook(app, app.workspace, { ...wake, agent });
  });
}

/** What to say about it; null where there was nothing to read, or nobody here who would. */
async function read(
  vendor: string,
  event: string | undefined,
  options: CommonOptions,
  found: HookFound | null,
): Promise<string | null> {
  const given = readJson(found?.input ?? readFileSync(0, 'utf8'));
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
  const turn = turnIn(payload) ?? geminiTurn(textIn(said, 'transcript_path'), text) ?? textIn(said, 'timestamp');
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

/** Gemini CLI names no turn to its hooks; its transcript has the message. Null where that cannot be read. */
function geminiTurn(transcript: string | null, said: string): string | null {
  try {
    if (transcript === null || statSync(transcript).size > TRANSCRIPT_BYTES_MAX) return null;
    const text = readFileSync(transcript, 'utf8');
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

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function hookFound(): HookFound | null {
  const { batonHook } = globalThis as { readonly batonHook?: HookFound };
  return batonHook ?? null;
}
