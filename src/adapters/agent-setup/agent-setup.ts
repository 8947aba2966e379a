/** `baton setup` without its output: planning, making and checking the changes. */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { diffOf } from '../../agents/setup/diff.ts';
import { isChanged, planSetup as plan, type PlannedFile } from '../../agents/setup/plan.ts';
import { SettingsProblem } from '../../agents/setup/settings-text.ts';
import { trustOf, type TrustFinding } from '../../agents/setup/trust.ts';
import { approvalsOf, type Place } from '../../agents/setup/vendor-files.ts';
import { VENDORS, type Vendor } from '../../domain/vendors.ts';
import { writeAtomically } from '../../foundation/atomic-file.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { findProgram } from '../../foundation/find-program.ts';

export interface SetupRequest {
  readonly agents: readonly { readonly vendor: Vendor; readonly agent: string }[];
  /** The project's folder; null: for all projects of this user. */
  readonly project: string | null;
  readonly how: 'install' | 'remove';
}

export interface SetupPlan {
  /** The folder from which paths are shown. */
  readonly folder: string;
  readonly files: readonly PlannedFile[];
  readonly changes: readonly PlannedFile[];
  /** What only the user can approve, when it is done. */
  readonly approve: readonly string[];
  /** What the user has in the place of something of ours, and what to add by hand. */
  readonly leftAlone: readonly string[];
}

/** Refused with a reason where a file cannot be edited; nothing is written. */
export function planSetup({ agents, project, how }: SetupRequest): Result<SetupPlan, string> {
  const place = placeOf(project);
  try {
    const files = plan(agents, place, how);
    const approve = how === 'remove' ? [] : agents.flatMap(({ vendor }) => approvalsOf(vendor, place.scope));
    const leftAlone = how === 'remove' ? [] : files.flatMap(({ leftAlone }) => leftAlone ?? []);
    return ok({ folder: place.folder, files, changes: files.filter(isChanged), approve, leftAlone });
  } catch (error) {
    if (error instanceof SettingsProblem) return err(error.message);
    throw error;
  }
}

export function diffOfChange({ before, after }: PlannedFile, name: string): readonly string[] {
  return diffOf(before, after, name);
}

export function applyChange({ path, after }: PlannedFile): void {
  if (after === null) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeAtomically(path, after);
}

/** Those whose program is on the PATH. */
export function installedVendors(): readonly Vendor[] {
  return VENDORS.filter((vendor) => findProgram(vendor) !== null);
}

function placeOf(project: string | null): Place {
  return {
    scope: project === null ? 'user' : 'project',
    folder: project ?? homedir(),
    claudeFolder: project === null ? variable('CLAUDE_CONFIG_DIR') : null,
    codexFolder: project === null ? variable('CODEX_HOME') : null,
    claudeUserSettings: join(variable('CLAUDE_CONFIG_DIR') ?? join(homedir(), '.claude'), 'settings.json'),
  };
}

function variable(name: string): string | null {
  const value = process.env[name] ?? '';
  return value === '' ? null : value;
}

export interface SetupState {
  /** What `baton --version` answers; null: it is not on the PATH. */
  readonly baton: string | null;
  /** Why the MCP server does not answer; null: it does. */
  readonly serverFlaw: string | null;
  readonly agents: readonly AgentState[];
}

export interface AgentState {
  readonly vendor: Vendor;
  readonly program: string;
  /** Null: the program does not answer. */
  readonly version: string | null;
  readonly installed: readonly { readonly what: string; readonly path: string; readonly is: boolean }[];
  readonly trust: readonly TrustFinding[];
  readonly leftAlone: readonly string[];
}

/** `where` is the folder in which the agents are started. */
export async function checkSetup(
  { agents, project }: SetupRequest,
  files: readonly PlannedFile[],
  where: string,
): Promise<SetupState> {
  const asked = {
    ...placeOf(project),
    home: homedir(),
    project: where,
    claudeFolder: variable('CLAUDE_CONFIG_DIR'),
    codexFolder: variable('CODEX_HOME'),
  };
  const baton = await versionOf('baton');
  const states = agents.map(async ({ vendor }): Promise<AgentState> => {
    const own = files.filter((file) => file.vendor === vendor);
    const program = findProgram(vendor);
    return {
      vendor,
      program: program ?? vendor,
      version: program === null ? null : await versionOf(program),
      installed: own.map((file) => ({ what: file.what, path: file.path, is: !isChanged(file) })),
      trust: trustOf(vendor, asked),
      leftAlone: own.flatMap(({ leftAlone }) => leftAlone ?? []),
    };
  });
  const serverFlaw = baton === null ? 'baton is not on the PATH' : await serverProblemIn(where);
  return { baton, serverFlaw, agents: await Promise.all(states) };
}

const ANSWER_MS = 20_000;

/** The first line of the version; null where the program does not answer. */
function versionOf(program: string): Promise<string | null> {
  return new Promise((done) => {
    execFile(program, ['--version'], { timeout: ANSWER_MS }, (error, stdout) => {
      done(error === null ? firstLine(stdout) : null);
    });
  });
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.trim() ?? '';
}

const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'baton-setup', version: '1' } },
});

/** Starts the server as an agent would, and asks it who it is. Null: it answers. */
function serverProblemIn(folder: string): Promise<string | null> {
  return new Promise((done) => {
    const options = { cwd: folder, timeout: ANSWER_MS };
    const child = execFile('baton', ['mcp', '--as', '@setup-check'], options, (error, stdout, stderr) => {
      const said = firstLine(stderr);
      done(stdout.includes('"serverInfo"') ? null : said === '' ? (error?.message ?? 'no answer') : said);
    });
    // The pipe stays open until the answer is there: a server ends when it is closed.
    child.stdout?.once('data', () => child.stdin?.end());
    child.stdin?.on('error', () => undefined);
    child.stdin?.write(`${HELLO}\n`);
  });
}
