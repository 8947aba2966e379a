/** A workspace with a persona and the scripted agent in real tmux, and looks at what happened in it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Fact } from '../../src/domain/facts.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { progressOf, type Step } from '../../src/domain/succession.ts';
import { agentSessionView } from '../../src/interfaces/shared/agent-views.ts';
import { tmuxSocket } from '../../src/adapters/agent-sessions/open-agents.ts';
import { workspaceAt } from '../../src/workspace/workspace.ts';
import { makeWorkspace, sqlite, type TestDatabase, type Workspace } from '../cli/workspaces.ts';
import { ROOT } from '../support/source-files.ts';
import { tempFolder, until, type Ended, type StartOptions } from '../support/processes.ts';

const SCRIPTED_AGENT = join(ROOT, 'test/succession/fixtures/scripted-agent.mjs');

export interface Stage extends Workspace {
  /** How the agents behave from their next turn on. */
  readonly behave: (script: Behaviour) => void;
  readonly log: () => readonly Logged[];
  /** Starts an agent of the persona and answers its number. */
  readonly startAgent: (more?: readonly string[]) => Promise<number>;
  readonly agent: (id: number) => Promise<AgentView>;
  readonly agents: () => Promise<readonly AgentView[]>;
  readonly tmux: (...args: readonly string[]) => string;
  /** Types a line as a person at the terminal does. */
  readonly type: (id: number, line: string) => Promise<void>;
  readonly env: Readonly<Record<string, string>>;
}

/** What `fixtures/scripted-agent.mjs` can be told; without: it does everything as it should, at once. */
interface Behaviour {
  /** It writes no document when it is asked for one. */
  readonly on?: 'ignore';
  /** It never ends its turn. */
  readonly noStop?: true;
  /** How long it thinks before it writes the document. */
  readonly thinkMs?: number;
  /** How long a turn of long work takes. */
  readonly busyMs?: number;
  /** The first Enter does not reach it. */
  readonly losesEnter?: true;
  /** How full its context is, in percent. */
  readonly context?: number;
}

interface Logged {
  readonly kind: string;
  readonly pid: number;
  readonly conversation: string;
  readonly how?: string;
  readonly line?: string;
  readonly place?: string;
  readonly resumed?: boolean;
  readonly answered?: string;
  readonly token?: string | null;
}

interface AgentView {
  readonly id: number;
  readonly persona: string | null;
  readonly adapter: string;
  readonly state: string;
  readonly pane: { readonly session: string; readonly pane: string; readonly pid: number } | null;
  readonly previous_agent_id: number | null;
  readonly conversation: string | null;
  readonly context: { readonly percent: number; readonly tier: string | null } | null;
  readonly handoff: { readonly id: HandoffId; readonly file_path: string } | null;
  readonly last_handoff: {
    readonly id: HandoffId;
    readonly error: string | null;
    readonly message: string | null;
  } | null;
}

/** Times in which a machine under load still does what it has to, and a failure does not take minutes. */
export const SHORT_TIMES = [
  'succession:',
  '  document_seconds: 20',
  '  idle_seconds: 1',
  '  quiet_seconds: 2',
  '  dialog_seconds: 1',
  '  ready_seconds: 20',
  '  priming_seconds: 60',
  '  acknowledge_seconds: 60',
].join('\n');

export const GUARDRAILS = 'Never push to main.';
export const SKILL = 'You build checkout pages and test them.';

/** `variables`: for every command that is run here. */
export async function makeStage(
  configuration = SHORT_TIMES,
  database: TestDatabase = sqlite,
  variables: Record<string, string> = {},
): Promise<Stage> {
  const workspace = await makeWorkspace(database, `${configuration}\n`);
  const folder = tempFolder();
  const persona = join(workspace.folder, 'data', 'personas', 'dev');
  mkdirSync(persona, { recursive: true });
  writeFileSync(join(persona, 'skill.md'), SKILL);
  writeFileSync(join(persona, 'guardrails.md'), GUARDRAILS);
  const env = Object.assign(variables, { SCRIPTED_AGENT: folder, CLAUDE_CONFIG_DIR: folder });
  const socket = tmuxSocket(workspaceAt(workspace.folder));
  const tmux = (...args: readonly string[]): string => {
    const ran = spawnSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' });
    return `${ran.stdout}${ran.stderr}`;
  };
  onTestFinished(() => void tmux('kill-server'));
  const run = (args: readonly string[], options: StartOptions = {}): Promise<Ended> =>
    workspace.run(args, { ...options, env: { ...env, ...options.env } });
  let opened: ReturnType<Workspace['open']> | null = null;
  /** Once for the whole test: what is looked at often must not cost much. */
  const open: Workspace['open'] = () => (opened ??= workspace.open());
  const agents = async (): Promise<readonly AgentView[]> => {
    const { store } = await open();
    return (await store.agents.list({ max: 100 })).map((each) => agentSessionView(each) as unknown as AgentView);
  };
  const stage: Stage = {
    ...workspace,
    open,
    run,
    start: (args, options = {}) => workspace.start(args, { ...options, env: { ...env, ...options.env } }),
    env,
    tmux,
    agents,
    agent: async (id) => {
      const found = (await agents()).find((each) => each.id === id);
      if (found === undefined) throw new Error(`there is no agent ${id}`);
      return found;
    },
    behave: (script) => writeFileSync(join(folder, 'script.json'), JSON.stringify(script)),
    log: () => {
      const path = join(folder, 'log.jsonl');
      const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Logged);
    },
    startAgent: async (more = ['--persona', 'dev']) => {
      const before = stage.log().length;
      const started = await run(['agent', 'start', ...more, '--', process.execPath, SCRIPTED_AGENT]);
      if (started.code !== 0) throw new Error(`agent start ended with ${started.code}: ${started.stderr}`);
      const id = Number(started.stdout.trim());
      if (more.includes('--persona')) {
        await until('the agent is primed', () => stage.log().length > before && idleAgent(stage, id));
      }
      return id;
    },
    type: async (id, line) => {
      const { pane } = await stage.agent(id);
      tmux('send-keys', '-t', pane?.pane ?? '', '-l', line);
      tmux('send-keys', '-t', pane?.pane ?? '', 'Enter');
    },
  };
  return stage;
}

/** By what its hooks told: its priming turn has ended. */
async function idleAgent({ folder }: Stage, id: number): Promise<boolean> {
  const path = join(folder, '.baton', 'agents', String(id), 'events.jsonl');
  return existsSync(path) && readFileSync(path, 'utf8').includes('"turn-ended"');
}

/** The lines that were typed or given to an agent, in order. */
export function promptsOf(stage: Stage, conversation: string | null): readonly string[] {
  return stage
    .log()
    .filter((each) => each.kind === 'prompt' && each.conversation === conversation)
    .map(({ line }) => line ?? '');
}

export async function stepsOf(stage: Stage, handoff: HandoffId): Promise<readonly Step[]> {
  return [...progressOf(await factsOf(stage, handoff)).done];
}

export async function factsOf(stage: Stage, handoff: HandoffId): Promise<readonly Fact[]> {
  const { store } = await stage.open();
  return (await store.facts({ handoff, max: 1_000 })).map(({ fact }) => fact);
}
