/**
 * The real command lines of Claude Code, Codex and Gemini, for `npm run test:agents`. They take 900 MB, so they are kept
 * in a folder outside of the project and installed once: BATON_AGENT_CLIS, or `agent-cli-cache` in the folder for
 * temporary files.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const PACKAGES = {
  claude: '@anthropic-ai/claude-code@2.1.325',
  codex: '@openai/codex@0.166.0',
  gemini: '@google/gemini-cli@0.61.0',
} as const;

export const AGENT_CLI_FOLDER = process.env['BATON_AGENT_CLIS'] ?? join(tmpdir(), 'agent-cli-cache');

const BIN = join(AGENT_CLI_FOLDER, 'node_modules', '.bin');
const INSTALL_MS = 10 * 60_000;

/** Installs what is missing; the folder with the programs. */
export function installAgentPrograms(): string {
  const missing = Object.entries(PACKAGES).flatMap(([name, spec]) => (existsSync(join(BIN, name)) ? [] : [spec]));
  if (missing.length > 0) {
    mkdirSync(AGENT_CLI_FOLDER, { recursive: true });
    const all = Object.values(PACKAGES);
    execFileSync('npm', ['install', '--prefix', AGENT_CLI_FOLDER, '--no-audit', '--no-fund', '--no-save', ...all], {
      cwd: AGENT_CLI_FOLDER,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: INSTALL_MS,
    });
  }
  return BIN;
}

/** PATH with these programs in front. */
export function pathWith(...folders: readonly string[]): string {
  return [...folders, process.env['PATH'] ?? ''].join(delimiter);
}
