/**
 * Called by an agent's hook, with JSON on standard input: what the agent said last is read like any summary, and the agent
 * is told of work for it. A hook must never stand in its agent's way: whatever goes wrong is said in words, and the exit code is 0.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { digestOf } from '../../../foundation/digest.ts';
import { readJson } from '../../../foundation/json.ts';
import { agentPrincipal, OPERATOR } from '../../../domain/principal.ts';
import { ingestText, type BlockAnswer } from '../../../engine/handoffs/ingest-text.ts';
import { findWorkspace, workspaceFor } from '../../../workspace/workspace.ts';
import { ingestRefusalText } from '../../shared/ingest-refusal-text.ts';
import type { WakeRequest } from '../../../adapters/agents/wake.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import { agentArgument } from '../arguments.ts';
import { heldHere } from './ingest.ts';
import type { Output } from '../output.ts';

/** The events at which an agent has said something to its end, and where its words are. */
const SPOKEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  claude: { stop: 'last_assistant_message', subagentstop: 'last_assistant_message' },
  codex: { stop: 'last_assistant_message', subagentstop: 'last_assistant_message' },
  gemini: { afteragent: 'prompt_response' },
};

/** What the hook's own file (`hook-entry.ts`) has found out before it asked for the whole command. */
interface HookFound {
  readonly input: string;
  readonly hasBlock: boolean;
  readonly wake: (Omit<WakeRequest, 'agent'> & { readonly agent: string; readonly workspace: string }) | null;
}

export async function hook(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const [vendor = '', event = ''] = args;
  const events = SPOKEN[vendor.toLowerCase()];
  const field = events?.[event.toLowerCase().replaceAll(/[^a-z]/g, '')];
  const found = hookFound();
  const isRead = field !== undefined && found?.hasBlock !== false;
  const told = isRead ? await read(field, options, found).catch(wordsOf) : null;
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
  const { postponeLook } = await import('../../../adapters/agents/wake.ts');
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
async function read(field: string, options: CommonOptions, found: HookFound | null): Promise<string | null> {
  const given = readJson(found?.input ?? readFileSync(0, 'utf8'));
  if (!given.ok) return `the hook's input is not JSON: ${given.refusal.says}`;
  const said = new Map(Object.entries((given.value.value ?? {}) as Record<string, unknown>));
  const text = textIn(said, field);
  if (text === null) return null;
  // Agents run anywhere; most of the time there is no workspace, and nothing to say about it.
  const workspace =
    options.workspace === undefined
      ? findWorkspace(textIn(said, 'cwd') ?? process.cwd())
      : workspaceFor(options.workspace);
  if (workspace === null) return null;
  const { folder } = workspace;
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

function hookFound(): HookFound | null {
  const { batonHook } = globalThis as { readonly batonHook?: HookFound };
  return batonHook ?? null;
}
