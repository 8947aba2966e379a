/** A whole succession in memory and in virtual time: the real engine, terminals of the scripted host, a crash anywhere. */
import { readAgentId, type AgentId, type HandoffId } from '../../src/domain/names.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import type { AgentEvent } from '../../src/domain/agent-events.ts';
import type { AgentSession } from '../../src/domain/agent-session.ts';
import { OPERATOR } from '../../src/domain/principal.ts';
import type { GitState } from '../../src/formats/succession-note/write.ts';
import { hexDigestOf } from '../../src/foundation/digest.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import type { AgentAdapter, HandoverNote, WakeNotes } from '../../src/agents/agent-host.ts';
import { scriptedHost, type ScriptedTerminal } from './scripted-host.ts';
import { NO_RULES, type Context } from '../../src/engine/context.ts';
import { advanceSuccession } from '../../src/engine/succession/advance.ts';
import { startAgent } from '../../src/engine/succession/agents.ts';
import { wakeByTyping } from '../../src/engine/succession/wake-by-typing.ts';
import { beginSuccession, type SuccessionRequest } from '../../src/engine/succession/begin.ts';
import {
  SUCCESSION_LIMITS,
  type AgentRuntime,
  type DocumentStatus,
} from '../../src/engine/succession/agent-runtime.ts';
import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import { makeSessionToken } from '../../src/workspace/identity.ts';
import { manualClock } from '../contract/manual-clock.ts';

const DEV = readAgentId('dev') as AgentId;
const SIX = ['Current work', 'Progress', 'Decisions', 'Blockers', 'Files changed', 'Next steps'];
const DOCUMENT = SIX.map((title) => `## ${title}\n\nSomething.\n`).join('\n');

function memoryNotes(): WakeNotes {
  const told = new Set<HandoffId>();
  return {
    announced: () => [...told],
    markAnnounced: (_agent, ids) => ids.filter((id) => !told.has(id) && told.add(id)),
    forget: (_agent, ids) => ids.forEach((id) => told.delete(id)),
  };
}

/** How the agents behave; changed by a test at any time. */
export interface Behavior {
  document:
    | 'write'
    | 'empty'
    | 'half'
    | 'ignore'
    | 'wrong-place'
    | 'die'
    | 'die-after'
    | 'error'
    | 'link'
    | 'no-stop'
    | 'silent'
    | 'joins'
    | 'deaf';
  /** The next successor: `dies` at once, `silent` never speaks, `stuck` never ends its first turn. */
  successor: 'well' | 'dies' | 'silent' | 'stuck' | 'deaf';
  dialog: boolean;
  canRun: boolean;
  /** The agent's own file says that it works, whatever its hooks told. */
  busy: boolean;
}

/** Thrown where the process is thought to be killed. */
export class Killed extends Error {}

export interface ScriptedWorld {
  readonly ctx: Context;
  readonly runtime: AgentRuntime;
  readonly host: ReturnType<typeof scriptedHost>;
  readonly behavior: Behavior;
  readonly clock: ReturnType<typeof manualClock>;
  readonly events: Map<number, AgentEvent[]>;
  /** Every line that reached a program, with the agent's number. */
  readonly lines: { readonly agent: number; readonly text: string; readonly dialog: boolean }[];
  readonly started: { readonly agent: number; readonly argv: readonly string[] }[];
  readonly notes: Map<number, HandoverNote | null>;
  /** What the repository looks like, at each look; nothing more: it is none. */
  readonly git: GitState[];
  /** The process dies at the call of this number to anything outside; null: never. Answers how many calls there were. */
  readonly killAt: (call: number | null, when?: 'before' | 'after') => number;
  readonly start: () => Promise<AgentSession>;
  readonly begin: (id: number, request?: Partial<SuccessionRequest>) => ReturnType<typeof beginSuccession>;
  readonly advance: (id: number) => ReturnType<typeof advanceSuccession>;
  /** One look of a server that may type. */
  readonly wake: (id: number) => Promise<void>;
  readonly say: (agent: number, event: Partial<AgentEvent> & { readonly kind: AgentEvent['kind'] }) => void;
}

/** `strict`: whoever does something has to show a token. */
export function scriptedWorld({ strict = false }: { readonly strict?: boolean } = {}): ScriptedWorld {
  const clock = manualClock();
  const behavior: Behavior = { document: 'write', successor: 'well', dialog: false, canRun: true, busy: false };
  const events = new Map<number, AgentEvent[]>();
  const files = new Map<string, { text: string; modifiedAt: number; link?: true }>();
  const notes = new Map<number, HandoverNote | null>();
  const git: GitState[] = [];
  const lines: ScriptedWorld['lines'][number][] = [];
  const started: ScriptedWorld['started'][number][] = [];
  let calls = 0;
  let kill: { readonly call: number; readonly when: 'before' | 'after' } | null = null;

  /** One call to the outside: here a process can die. */
  const outside = <Args extends readonly unknown[], Answer>(
    act: (...args: Args) => Promise<Answer>,
  ): ((...args: Args) => Promise<Answer>) => {
    return async (...args) => {
      calls += 1;
      const dies = kill !== null && calls === kill.call;
      if (dies && kill?.when === 'before') throw new Killed();
      const answer = await act(...args);
      if (dies) throw new Killed();
      return answer;
    };
  };
  const guarded = <Thing extends object>(thing: Thing): Thing =>
    Object.fromEntries(
      Object.entries(thing).map(([name, value]) => [
        name,
        typeof value === 'function' ? outside(value as (...args: never[]) => Promise<unknown>) : (value as unknown),
      ]),
    ) as Thing;

  const say: ScriptedWorld['say'] = (agent, event) => {
    const all = events.get(agent) ?? [];
    all.push({ at: clock.nowMs(), conversation: null, ...event } as AgentEvent);
    events.set(agent, all);
  };

  const takeLine = (agent: number, terminal: ScriptedTerminal, isSuccessor: boolean, text: string): void => {
    if (text === '') return;
    lines.push({ agent, text, dialog: behavior.dialog });
    const asked = /handoff document to (\S+\.md)/.exec(text)?.[1];
    if (asked === undefined ? isSuccessor && behavior.successor === 'deaf' : behavior.document === 'deaf') return;
    // A line that joins a turn is told with the id of that turn, and both end together.
    say(agent, { kind: 'prompt', text, turn: behavior.document === 'joins' ? 'before' : 't' });
    if (asked !== undefined) write(agent, terminal, asked);
    else say(agent, { kind: 'turn-ended', turn: 't', background: false });
  };

  const write = (agent: number, terminal: ScriptedTerminal, path: string): void => {
    const put = (text: string, where = path): unknown => files.set(where, { text, modifiedAt: clock.nowMs() });
    switch (behavior.document) {
      case 'die':
        return terminal.exit(9);
      case 'error':
        return say(agent, { kind: 'turn-failed', turn: 't', error: 'rate_limit', says: 'limit' });
      case 'empty':
        put('');
        break;
      case 'half':
        put('## Current wo');
        return undefined;
      case 'wrong-place':
        put(DOCUMENT, `/w/${path.split('/').at(-1) ?? ''}`);
        break;
      case 'link':
        files.set(path, { text: DOCUMENT, modifiedAt: clock.nowMs(), link: true });
        break;
      case 'no-stop':
        put(DOCUMENT);
        return undefined;
      case 'silent':
        return undefined;
      case 'die-after':
        put(DOCUMENT);
        return terminal.exit(0);
      case 'ignore':
        break;
      case 'write':
      case 'joins':
      case 'deaf':
        put(DOCUMENT);
    }
    return say(agent, { kind: 'turn-ended', turn: 't', background: false });
  };

  const host = scriptedHost(({ argv, env }, terminal) => {
    const agent = Number(env['BATON_AGENT_ID']);
    const isSuccessor = started.length > 0 && !argv.includes('--resume');
    started.push({ agent, argv });
    if (isSuccessor && behavior.successor === 'dies') {
      terminal.print('no such model');
      return null;
    }
    if (!isSuccessor || behavior.successor !== 'silent') {
      say(agent, { kind: 'started', source: 'startup' });
      if (!argv.includes('--resume')) say(agent, { kind: 'prompt', text: argv.at(-1) ?? '', turn: 'p' });
      if (!isSuccessor || behavior.successor !== 'stuck')
        say(agent, { kind: 'turn-ended', turn: 'p', background: false });
    }
    return { line: (text) => takeLine(agent, terminal, isSuccessor, text), asked: () => true };
  });

  const adapter: AgentAdapter = {
    name: 'claude',
    hasHooks: true,
    launch: ({ priming }) => ({ argv: ['agent', priming ?? ''], env: {}, files: [], primedBy: 'command-line' }),
    resume: () => ({ argv: ['agent', '--resume'], env: {}, files: [], primedBy: 'command-line' }),
    check: () => ['agent', '--version'],
    activity: async () => (behavior.dialog ? 'dialog' : behavior.busy ? 'busy' : 'idle'),
    recorded: async () => [],
    context: async () => null,
    transcriptTail: async () => 'assistant: half way',
  };

  const locks = new Set<number>();
  const store = openMemoryStore({ clock, limits: NO_LIMITS });
  const timers = {
    sleep: async (ms: number, signal?: AbortSignal): Promise<void> => {
      if (signal?.aborted !== true) clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const ctx: Context = {
    store: {
      ...store,
      ...guarded({ change: store.change, load: store.load }),
      agents: guarded(store.agents),
      tokens: guarded(store.tokens),
    },
    clock,
    timers,
    random: systemRandom,
    liveness: { self: {} as never, of: () => 'unknown', isStopped: () => false, endGroup: async () => undefined },
    heartbeat: { start: async () => ({ stop: async () => undefined }) },
    leaseMs: 10_000,
    rules: NO_RULES,
    report: () => undefined,
  };
  const runtime: AgentRuntime = {
    host: guarded(host),
    adapterOf: () => adapter,
    journal: {
      ...guarded({
        record: async () => null,
        read: async (agent: number) => [...(events.get(agent) ?? [])],
        note: async (agent: number, note: HandoverNote | null) => void notes.set(agent, note),
        statusLine: async () => null,
      }),
      // The lock of a process that has died is nobody's.
      withLock: async (agent, drive) => {
        if (locks.has(agent)) return false;
        locks.add(agent);
        await drive().finally(() => locks.delete(agent));
        return true;
      },
    },
    personaFiles: {
      ...guarded({
        persona: async () => ({ guardrails: 'GUARD', skill: 'SKILL', experience: null }),
        documentFolder: async () => '/w/data/personas/dev/handoffs',
        privateFolder: async () => '/w/.baton/agents/1',
        write: async (path: string, text: string) => void files.set(path, { text, modifiedAt: clock.nowMs() }),
        documentStatus: async (path: string): Promise<DocumentStatus> => {
          const file = files.get(path);
          if (file === undefined) return { kind: 'absent' };
          if (file.link === true) return { kind: 'refused', says: 'is a link' };
          const { text, modifiedAt } = file;
          return { kind: 'file', size: text.length, modifiedAt, mark: `${text.length}:${modifiedAt}` };
        },
        read: async (path: string) => {
          const text = files.get(path)?.text ?? '';
          return { text, sha256: hexDigestOf(text) };
        },
        git: async () => git.shift() ?? null,
      }),
      exists: (cwd, path) => files.has(`${cwd}/${path}`),
    },
    place: 'here',
    settings: { automatic: true, fallback: [], commands: new Map() },
    limits: SUCCESSION_LIMITS,
    baton: ['baton'],
    env: {},
    wake: { notes: memoryNotes(), isTyped: false },
    tokens: strict ? { make: (persona, label) => makeSessionToken(ctx, persona, label) } : null,
    whyNotRunnable: async () => (behavior.canRun ? null : 'there is no such program'),
  };
  const signal = new AbortController().signal;
  const drive = { ctx, runtime, signal };
  return {
    ctx,
    runtime,
    host,
    behavior,
    clock,
    events,
    lines,
    started,
    notes,
    git,
    say,
    killAt: (call, when = 'before') => {
      const before = calls;
      calls = 0;
      kill = call === null ? null : { call, when };
      return before;
    },
    start: async () => {
      const answer = await startAgent(
        ctx,
        runtime,
        { persona: DEV, adapter: 'claude', command: [], cwd: '/w' },
        signal,
      );
      if (!answer.ok) throw new Error(answer.refusal.says);
      return answer.value;
    },
    begin: (id, request = {}) =>
      beginSuccession(ctx, runtime, OPERATOR, id, { reason: 'manual', context: null, ...request }),
    advance: (id) => advanceSuccession(ctx, runtime, id, signal),
    wake: async (id) => {
      const session = await store.agents.load(id);
      if (session !== null) await wakeByTyping(drive, session);
    },
  };
}
