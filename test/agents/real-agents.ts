/**
 * A project in which the real Claude Code, Codex and Gemini are installed, set up with Baton and trusted by their user, all
 * talking to one stand-in model. What a person approves in a dialog is written into their settings here: a test is its
 * own user.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BATON, start, tempFolder, type Ended } from '../support/processes.ts';
import { AGENT_CLI_FOLDER, installAgentPrograms, pathWith } from './install.ts';
import {
  codexSettings,
  standInEnvironment,
  startStandInModel,
  type Asked,
  type Reply,
  type StandInModel,
} from './stand-in-model.ts';

export interface AgentProject {
  readonly folder: string;
  readonly model: StandInModel;
  /** Runs a line as a user would type it. */
  sh(line: string): Promise<Ended>;
  close(): Promise<void>;
}

/** Lets Gemini use Baton's tools without asking, as its own documentation says. */
const GEMINI_POLICY = '[[rule]]\nmcpName = "baton"\ntoolName = "*"\ndecision = "allow"\npriority = 200\n';

export async function agentProject(answer: (asked: Asked) => Reply): Promise<AgentProject> {
  const programs = installAgentPrograms();
  const model = await startStandInModel(answer);
  const [folder, home, bin] = [tempFolder(), agentHome(), tempFolder()];
  writeFileSync(join(bin, 'baton'), `#!/bin/sh\nexec "${process.execPath}" "${BATON}" "$@"\n`);
  chmodSync(join(bin, 'baton'), 0o755);
  trustEverything(home, folder, model);
  execFileSync('git', ['init', '--quiet', folder]);
  const env = { ...standInEnvironment(model, home), PATH: pathWith(bin, programs), TMPDIR: '/var/tmp' };
  return {
    folder,
    model,
    sh: (line) => start('/bin/sh', ['-c', line], { cwd: folder, env }).ended,
    close: () => model.close(),
  };
}

/** Codex runs nothing from a home below the folder for temporary files. */
function agentHome(): string {
  const home = join(AGENT_CLI_FOLDER, 'homes', `${process.pid}-${Math.random().toString(36).slice(2)}`);
  for (const name of ['.claude', '.codex', '.gemini']) mkdirSync(join(home, name), { recursive: true });
  return home;
}

function trustEverything(home: string, folder: string, model: StandInModel): void {
  const claude = { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['baton'] };
  const json = (path: string, value: object): void => writeFileSync(join(home, path), JSON.stringify(value));
  json('.claude/.claude.json', {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['stand-in-key-for-tests'.slice(-20)] },
    projects: { [folder]: claude },
  });
  writeFileSync(
    join(home, '.codex/config.toml'),
    `${codexSettings(model)}\n[projects.${JSON.stringify(folder)}]\ntrust_level = "trusted"\n`,
  );
  json('.gemini/settings.json', { security: { auth: { selectedType: 'gemini-api-key' } } });
  json('.gemini/trustedFolders.json', { [folder]: 'TRUST_FOLDER' });
  writeFileSync(join(home, '.gemini/baton-policy.toml'), GEMINI_POLICY);
}
