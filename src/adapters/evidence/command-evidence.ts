/** A command as evidence: it passes when it is shown, and it passes again when somebody verifies. */
import type { Evidence, NamedFile } from '../../domain/evidence.ts';
import type { CommandPolicy, EvidenceFor } from '../../engine/evidence-checker.ts';
import { hashOf } from './file-evidence.ts';
import { isolatedShell, plainShell } from './isolated-shell.ts';
import { held, isKeepable, quoted, seen, untrue, type Finding } from './finding.ts';
import { runBounded, type Ran } from './run-bounded.ts';

export interface CommandRules {
  readonly folder: string;
  /**
   * The doer chooses the command, so the workspace has to allow it first, or provide a sandbox.
   */
  readonly commands: CommandPolicy;
  readonly commandTimeoutMs: number;
  /** Where identity is strict, no command runs that could read the tokens of others. */
  readonly isStrict: boolean;
  /** Opened only when a command is to be run in a sandbox. */
  openSandbox(): Promise<SandboxForCommands>;
}

export interface SandboxForCommands {
  /** Whether a container runtime is installed. */
  readonly isInstalled: boolean;
  run(
    command: string,
    options: { readonly folder: string; readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Ran | string>;
}

type CommandEvidence = Extract<Evidence, { kind: 'command' }>;

const COMMAND_MAX = 4_000;
const HOW_TO_ALLOW =
  'this workspace runs no commands; let them run in a sandbox with `evidence: { commands: sandbox }` in baton.yaml ' +
  '(or on this host with `allow`), then run: baton apply';

const NOT_ISOLATED =
  'identity is strict here, and this machine cannot keep a command away from .baton/ (no user namespaces); ' +
  'let commands run in a sandbox with `evidence: { commands: sandbox }`, then run: baton apply';

export async function firstLookAtCommand(
  command: string,
  { terms }: EvidenceFor,
  rules: CommandRules,
  signal?: AbortSignal,
): Promise<Finding> {
  const { check } = terms;
  if (check !== undefined && command !== check) return untrue(notTheFixedOne(command, check));
  // Before it runs: a command that writes itself anew is compared with what it was.
  const files = await filesNamedIn(command, rules.folder, signal);
  const ran = await run(command, rules, signal);
  if (typeof ran === 'string') return untrue(ran);
  const { outputSha256 } = ran;
  const evidence: CommandEvidence = { kind: 'command', command, exitCode: 0, outputSha256 };
  return seen(
    files.length === 0 ? evidence : { ...evidence, files },
    `${quoted(command)} passes (exit code 0)${saying(ran)}`,
  );
}

function notTheFixedOne(command: string, check: string): string {
  return `the sender has fixed the command: ${quoted(check)} counts, ${quoted(command)} does not`;
}

export async function secondLookAtCommand(
  was: CommandEvidence,
  { terms, lineage }: EvidenceFor,
  rules: CommandRules,
  signal?: AbortSignal,
): Promise<Finding> {
  if (terms.check !== undefined && was.command !== terms.check) {
    return held(was, notTheFixedOne(was.command, terms.check));
  }
  const changed = await changedSince(was.files ?? [], rules.folder, signal);
  const ran = await run(was.command, rules, signal);
  if (typeof ran === 'string') return untrue(`it passed when it was delivered, but now ${ran}`);
  // Times and durations differ from run to run: a reason to look, none to refuse.
  const output = ran.outputSha256 === was.outputSha256 ? 'the same output' : 'another output than at delivery';
  const passes =
    was.elsewhere === true || lineage?.imported !== undefined
      ? `${quoted(was.command)} passes here for the first time (exit code 0)`
      : `${quoted(was.command)} passes again (exit code 0), with ${output}`;
  if (changed.length === 0) return seen(was, `${passes}${saying(ran)}`);
  // Whoever can change what a command runs can make it pass.
  const names = changed.map(quoted).join(', ');
  return held(was, `${passes}; but what it runs has changed since it was delivered: ${names}`);
}

const NAMED_FILES_MAX = 20;

/** Words of the command that are files of the workspace: a script that was rewritten is not the one that passed. */
async function filesNamedIn(command: string, folder: string, signal?: AbortSignal): Promise<readonly NamedFile[]> {
  const words = command.split(/[\s'"`;&|<>()=]+/).filter((word) => /[./]/.test(word) && !word.startsWith('-'));
  const files: NamedFile[] = [];
  for (const word of [...new Set(words)].slice(0, NAMED_FILES_MAX)) {
    const found = await hashOf(word, folder, signal);
    if (typeof found !== 'string') files.push({ path: found.path, sha256: found.sha256 });
  }
  return files;
}

async function changedSince(
  files: readonly NamedFile[],
  folder: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { path, sha256 } of files) {
    const now = await hashOf(path, folder, signal);
    if (typeof now === 'string' || now.sha256 !== sha256) changed.push(path);
  }
  return changed;
}

/** What it did, or what is wrong with it. */
async function run(command: string, rules: CommandRules, signal?: AbortSignal): Promise<Ran | string> {
  if (rules.commands === 'refused') return HOW_TO_ALLOW;
  if (command.trim() === '') return 'the command is empty; give one that passes only when the work is done';
  if (command.length > COMMAND_MAX) return `the command is longer than ${COMMAND_MAX} characters; put it into a script`;
  if (!isKeepable(command)) return 'the command holds characters that cannot be kept (U+0000, half a pair)';
  const { folder, commandTimeoutMs: timeoutMs } = rules;
  if (rules.commands !== 'allowed') {
    const sandbox = await rules.openSandbox();
    if (rules.commands === 'sandbox-if-possible' && !sandbox.isInstalled) return HOW_TO_ALLOW;
    const inside = await sandbox.run(command, { folder, timeoutMs, signal });
    return typeof inside === 'string' ? inside : (complaintAbout(inside, command, timeoutMs) ?? inside);
  }
  const isolated = await isolatedShell(command, folder);
  if (isolated === null && rules.isStrict) return NOT_ISOLATED;
  const { program, args } = isolated ?? plainShell(command);
  const ran = await runBounded(program, args, { folder, timeoutMs, signal });
  return complaintAbout(ran, command, timeoutMs) ?? ran;
}

/** The end of its output: a person who judges the work wants to see it. */
function saying({ tail }: Pick<Ran, 'tail'>): string {
  return tail.trim() === '' ? '' : `; it says: ${tail.trim()}`;
}

function complaintAbout({ over, exitCode, killedBy, tail }: Ran, command: string, timeoutMs: number): string | null {
  switch (over) {
    case 'not-started':
      return `${quoted(command)} could not be started (${tail}): commands need /bin/sh and the workspace's folder`;
    case 'too-long':
      return `${quoted(command)} did not end within ${timeoutMs} ms; show a quicker one, or allow more time`;
    case 'too-much':
      return `${quoted(command)} says too much; let it write into a file, or say less`;
    case 'ended': {
      if (exitCode === 0) return null;
      const end = killedBy === null ? `fails with exit code ${exitCode}` : `was ended by ${killedBy}`;
      return `${quoted(command)} ${end}${saying({ tail })}`;
    }
  }
}
