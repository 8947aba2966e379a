/**
 * The real Claude Code, Codex and Gemini CLI in real tmux hand over to themselves, against a stand-in model: nobody
 * touches anything, and the successor's requests to its model hold the skill before the line with the document.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { tmuxSocket } from '../../src/adapters/agents/open-agents.ts';
import { STEPS } from '../../src/domain/succession.ts';
import { workspaceAt } from '../../src/workspace/workspace.ts';
import { needComponent } from '../support/components.ts';
import { ROOT } from '../support/source-files.ts';
import { BATON, start, until, type Ended } from '../support/processes.ts';
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
  readonly screens: () => string;
}

async function realStage(): Promise<RealStage> {
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
  writeFileSync(join(folder, 'baton.yaml'), 'succession: { ready_seconds: 60 }\n');
  trust(home, folder, documents, model);
  const env = {
    ...standInEnvironment(model, home),
    PATH: pathWith(programs),
    TMPDIR: '/var/tmp',
    TERM: 'xterm-256color',
  };
  const run = (args: readonly string[]): Promise<Ended> =>
    start(process.execPath, [BATON, ...args], { cwd: folder, env }).ended;
  const onTmux = (...args: readonly string[]): string =>
    spawnSync('tmux', ['-L', tmuxSocket(workspaceAt(folder)), ...args], { encoding: 'utf8' }).stdout;
  onTestFinished(() => void onTmux('kill-server'));
  return {
    folder,
    model,
    run,
    screens: () =>
      onTmux('list-panes', '-a', '-F', '#{pane_id}')
        .split('\n')
        .filter((pane) => pane !== '')
        .map((pane) => onTmux('capture-pane', '-p', '-t', pane))
        .join('\n----\n'),
  };
}

/** Gemini CLI takes no settings from below a folder that others can write, such as the one for temporary files. */
function safeFolder(): string {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(cache, 'baton-agents-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
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

it.skipIf(tmux === null).each(['claude', 'codex', 'gemini'] as const)(
  'X4, X7, X11: %s hands over to its successor',
  async (vendor) => {
    const stage = await realStage();
    const started = await stage.run(['agent', 'start', '--persona', 'dev', '--agent', vendor, ...PROGRAM[vendor]]);
    if (started.code !== 0) throw new Error(`${started.stderr}\n${stage.screens()}`);
    await until('the first agent is primed', () => stage.model.asked.some(({ body }) => body.includes(SKILL))).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${stage.screens()}`);
      },
    );
    const ended = await stage.run(['agent', 'handoff', started.stdout.trim(), '--json']);
    if (ended.code !== 0) throw new Error(`${ended.stderr}\n${stage.screens()}`);
    const { handoff, successor } = JSON.parse(ended.stdout) as { readonly handoff: string; readonly successor: number };
    const shown = await stage.run(['agent', 'show', started.stdout.trim(), '--json']);
    const { steps } = JSON.parse(shown.stdout) as { readonly steps: readonly { step: string; at: string | null }[] };
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
