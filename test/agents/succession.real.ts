/**
 * The real Claude Code, Codex and Gemini CLI in real tmux hand over to themselves, against a stand-in model: nobody
 * touches anything, and the successor's requests to its model hold the skill before the line with the document.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { tmuxSocket } from '../../src/adapters/agent-sessions/open-agents.ts';
import { STEPS } from '../../src/domain/succession.ts';
import { workspaceAt } from '../../src/workspace/workspace.ts';
import { runTmuxOn } from '../../src/agents/tmux/tmux-command.ts';
import { tmuxHost } from '../../src/agents/tmux/tmux-host.ts';
import { systemTimers } from '../../src/foundation/clock.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { needComponent } from '../support/components.ts';
import { ROOT } from '../support/source-files.ts';
import { BATON, start, until, type Ended, type Running } from '../support/processes.ts';
import { AGENT_CLI_FOLDER, installAgentPrograms, pathWith } from './install.ts';
import {
  codexSettings,
  standInEnvironment,
  startStandInModel,
  type Asked,
  type Reply,
  type StandInModel,
} from './stand-in-model.ts';

const tmux = await needComponent('tmux');
const SKILL = 'You are the keeper of the checkout page.';
const ENTER_AGAIN_MS = 5_000;
/** Without a model of its own choice Gemini CLI asks another one first which to take. */
const PROGRAM = { claude: [], codex: [], gemini: ['--', 'gemini', '-m', 'gemini-2.5-flash'] } as const;
const DOCUMENT = ['Current work', 'Progress', 'Decisions', 'Blockers', 'Files changed', 'Next steps']
  .map((title) => `## ${title}\n\nAll is well.\n`)
  .join('\n');

/** Writes the document with the tool that each agent has for it, and says yes to everything else. */
function answer({ api, last }: Asked): Reply {
  const path = /handoff document to (\/\S+\.md)/.exec(last)?.[1];
  if (path === undefined) return { text: 'ready' };
  if (api === 'claude') return { tool: 'Write', input: { file_path: path, content: DOCUMENT } };
  if (api === 'gemini') return { tool: 'write_file', input: { file_path: path, content: DOCUMENT } };
  const lines = DOCUMENT.split('\n').map((line) => `+${line}`);
  return {
    tool: 'apply_patch',
    input: `*** Begin Patch\n*** Add File: ${path}\n${lines.join('\n')}\n*** End Patch\n`,
  };
}

interface RealStage {
  readonly folder: string;
  readonly model: StandInModel;
  readonly run: (args: readonly string[]) => Promise<Ended>;
  readonly start: (args: readonly string[]) => Running;
  /** Waits for a fact; where it does not come, says what the terminals show. */
  readonly until: (what: string, isSo: () => boolean | Promise<boolean>) => Promise<unknown>;
}

async function realStage(succession = 'ready_seconds: 60'): Promise<RealStage> {
  const programs = installAgentPrograms();
  const model = await startStandInModel(answer);
  onTestFinished(() => model.close());
  const folder = safeFolder();
  const home = join(AGENT_CLI_FOLDER, 'homes', `${process.pid}-${Math.random().toString(36).slice(2)}`);
  const persona = join(folder, 'data/personas/dev');
  const documents = join(persona, 'handoffs');
  for (const name of ['.claude', '.codex', '.gemini']) mkdirSync(join(home, name), { recursive: true });
  mkdirSync(documents, { recursive: true });
  writeFileSync(join(persona, 'skill.md'), SKILL);
  writeFileSync(join(folder, 'baton.yaml'), `succession: { ${succession} }\n`);
  trust(home, folder, documents, model);
  const env = {
    ...standInEnvironment(model, home),
    PATH: pathWith(programs),
    TMPDIR: '/var/tmp',
    TERM: 'xterm-256color',
  };
  const startBaton = (args: readonly string[]): Running =>
    start(process.execPath, [BATON, ...args], { cwd: folder, env });
  const onTmux = (...args: readonly string[]): string =>
    spawnSync('tmux', ['-L', tmuxSocket(workspaceAt(folder)), ...args], { encoding: 'utf8' }).stdout;
  onTestFinished(() => void onTmux('kill-server'));
  const screens = (): string =>
    onTmux('list-panes', '-a', '-F', '#{pane_id}')
      .split('\n')
      .filter((pane) => pane !== '')
      .map((pane) => onTmux('capture-pane', '-p', '-t', pane))
      .join('\n----\n');
  return {
    folder,
    model,
    start: startBaton,
    run: async (args) => {
      const ended = await startBaton(args).ended;
      if (ended.code !== 0) throw new Error(`${args.join(' ')}: ${ended.stderr}\n${screens()}`);
      return ended;
    },
    until: (what, isSo) =>
      until(what, isSo).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${screens()}`);
      }),
  };
}

/**
 * Gemini CLI takes no settings from below a folder that others can write, such as the one for temporary files, and the
 * project may have been cloned there.
 */
function safeFolder(): string {
  const caches = [join(ROOT, 'node_modules', '.cache'), join(homedir(), '.cache')];
  const cache = caches.find(isOnlyOurs);
  if (cache === undefined) throw new Error(`others can write to what is above ${caches.join(' and ')}`);
  mkdirSync(cache, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(cache, 'baton-agents-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Whether nobody else may write into the folder, or into one above it. What is not there yet is made by us. */
function isOnlyOurs(folder: string): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o022) === 0 && (dirname(folder) === folder || isOnlyOurs(dirname(folder)));
}

/** What a person approves in a dialog is written here: a test is its own user. */
function trust(home: string, folder: string, documents: string, model: StandInModel): void {
  const json = (path: string, value: object): void => writeFileSync(join(home, path), JSON.stringify(value));
  json('.claude/.claude.json', {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['stand-in-key-for-tests'.slice(-20)] },
    projects: { [folder]: { hasTrustDialogAccepted: true } },
  });
  writeFileSync(
    join(home, '.codex/config.toml'),
    `approval_policy = "on-request"\nsandbox_mode = "workspace-write"\n${codexSettings(model)}\n[projects.${JSON.stringify(folder)}]\ntrust_level = "trusted"\n`,
  );
  json('.gemini/settings.json', { security: { auth: { selectedType: 'gemini-api-key' } } });
  json('.gemini/trustedFolders.json', { [folder]: 'TRUST_FOLDER', [documents]: 'TRUST_FOLDER' });
}

/** Starts an agent of the persona and waits until its first turn is over; its number. */
async function startPrimed({ run, until: wait, model }: RealStage, vendor: keyof typeof PROGRAM): Promise<number> {
  const started = await run(['agent', 'start', '--persona', 'dev', '--agent', vendor, ...PROGRAM[vendor]]);
  await wait('the first agent is primed', () => model.asked.some(({ body }) => body.includes(SKILL)));
  return Number(started.stdout.trim());
}

interface Shown {
  readonly state: string;
  readonly adapter: string;
  readonly previous_agent_id: number | null;
  readonly pane: { readonly session: string } | null;
  readonly steps: readonly { readonly step: string; readonly at: string | null }[];
  readonly last_handoff: { readonly error: string | null; readonly message: string | null } | null;
}

async function shown({ run }: RealStage, id: number): Promise<Shown> {
  return JSON.parse((await run(['agent', 'show', String(id), '--json'])).stdout) as Shown;
}

it.skipIf(tmux === null).each(['claude', 'codex', 'gemini'] as const)(
  'X4, X7, X11: %s hands over to its successor',
  async (vendor) => {
    const stage = await realStage();
    const id = await startPrimed(stage, vendor);
    const ended = await stage.run(['agent', 'handoff', String(id), '--json']);
    const { handoff, successor } = JSON.parse(ended.stdout) as { readonly handoff: string; readonly successor: number };
    const { steps } = await shown(stage, id);
    expect(steps.filter(({ at }) => at !== null).map(({ step }) => step)).toEqual([...STEPS]);
    // The successor's first request has the skill and not yet the document; its next one has both.
    const injected = stage.model.asked.findIndex(({ last }) => last.includes(handoff) && last.includes('sha256'));
    const after = stage.model.asked.slice(injected);
    expect(after[0]?.body).toContain(SKILL);
    const primings = stage.model.asked.filter(({ last }) => last.includes(SKILL));
    expect(primings).toHaveLength(2);
    expect(primings[1]?.body).not.toContain(handoff);
    expect(successor).toBe(2);
  },
);

/** As a person does: the line first, then Enter, and again where a program that was still busy has lost it. */
async function typeInto({ folder, model, until: wait }: RealStage, session: string, line: string): Promise<void> {
  const run = runTmuxOn(tmuxSocket(workspaceAt(folder)), '/dev/null');
  const host = tmuxHost(run, { timers: systemTimers, random: systemRandom });
  const found = await host.find(session);
  if (!found.ok || found.value === null) throw new Error(`there is no pane ${session}`);
  const pane = found.value;
  await host.paste(pane, line);
  await wait('the line has reached the model', async () => {
    await host.press(pane, 'enter');
    await until('the model is asked', () => model.asked.some(({ last }) => last.includes(line)), ENTER_AGAIN_MS).catch(
      () => undefined,
    );
    return model.asked.some(({ last }) => last.includes(line));
  });
}

/** How each vendor's service says that nothing is left. */
const EXHAUSTED = {
  claude: {
    status: 429,
    headers: { 'x-should-retry': 'false' },
    error: {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' },
    },
  },
  codex: {
    status: 429,
    error: { error: { type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'plus' } },
  },
  gemini: {
    status: 429,
    error: {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota, please check your plan and billing details.',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier', quotaValue: '50' }],
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Reply>;

it.skipIf(tmux === null).each([
  ['claude', 'codex'],
  ['codex', 'claude'],
  ['gemini', 'codex'],
] as const)('X6, X10: at the usage limit of %s, %s goes on as the same persona, untouched', async (vendor, other) => {
  const stage = await realStage(`ready_seconds: 60, automatic: on, fallback: [${other}]`);
  const id = await startPrimed(stage, vendor);
  stage.start(['serve', '--port', '0']);
  stage.model.answer((asked) => (asked.api === vendor ? EXHAUSTED[vendor] : answer(asked)));
  const { pane } = await shown(stage, id);
  // A person asks for something, and the agent's service refuses to answer.
  await typeInto(stage, pane?.session ?? '', 'now paint the button green');
  await stage.until('the handover is over', async () => (await shown(stage, id)).last_handoff !== null);
  const outgoing = await shown(stage, id);
  expect([outgoing.state, outgoing.last_handoff]).toEqual(['retired', expect.objectContaining({ error: null })]);
  const next = await shown(stage, id + 1);
  expect([next.state, next.adapter, next.previous_agent_id]).toEqual(['active', other, id]);
  // It was primed, then pointed to a document that says who wrote it and what was said last.
  const [priming, injection] = stage.model.asked.filter(({ api }) => api === other);
  expect(priming?.last).toContain(SKILL);
  expect(injection?.last).toContain('Baton wrote a substitute');
  const path = /Read (\S+\.md)/.exec(injection?.last ?? '')?.[1] ?? '';
  expect(readFileSync(path, 'utf8')).toContain('now paint the button green');
});
