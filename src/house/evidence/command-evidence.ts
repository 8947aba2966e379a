/** A command as evidence: it passes when it is shown, and it passes again when somebody verifies. */
import type { Evidence } from '../../domain/evidence.ts';
import { isKeepable, quoted, seen, untrue, type Look } from './look.ts';
import { runBounded, type Ran } from './run-bounded.ts';

export interface CommandRules {
  readonly folder: string;
  /**
   * Whoever delivers decides what runs here, so the workspace has to say yes first, or lend a sandbox.
   * `sandbox-if-possible`: nobody has decided; a sandbox where a container runtime is installed, else refused.
   */
  readonly commands: CommandPolicy;
  readonly commandTimeoutMs: number;
  /** Opened only when a command is to be run in a sandbox. */
  openSandbox(): Promise<SandboxForCommands>;
}

export type CommandPolicy = 'allowed' | 'refused' | 'sandbox' | 'sandbox-if-possible';

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
/** Both outputs through one pipe: the hash depends on their order. */
const BOTH_OUTPUTS = 'exec /bin/sh -c "$1" 2>&1';
const HOW_TO_ALLOW =
  'this workspace runs no commands; let them run in a sandbox with `evidence: { commands: sandbox }` in baton.yaml ' +
  '(or on this host with `allow`), then run: baton apply';

export async function firstLookAtCommand(command: string, rules: CommandRules, signal?: AbortSignal): Promise<Look> {
  const ran = await run(command, rules, signal);
  if (typeof ran === 'string') return untrue(ran);
  const { outputSha256 } = ran;
  return seen({ kind: 'command', command, exitCode: 0, outputSha256 }, `${quoted(command)} passes (exit code 0)`);
}

export async function secondLookAtCommand(
  was: CommandEvidence,
  rules: CommandRules,
  signal?: AbortSignal,
): Promise<Look> {
  const ran = await run(was.command, rules, signal);
  if (typeof ran === 'string') return untrue(`it passed when it was delivered, but now ${ran}`);
  // Times and durations differ from run to run: a reason to look, none to refuse.
  const output = ran.outputSha256 === was.outputSha256 ? 'the same output' : 'another output than at delivery';
  return seen(was, `${quoted(was.command)} passes again (exit code 0), with ${output}`);
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
  const ran = await runBounded('/bin/sh', ['-c', BOTH_OUTPUTS, 'sh', command], { folder, timeoutMs, signal });
  return complaintAbout(ran, command, timeoutMs) ?? ran;
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
      return `${quoted(command)} ${end}${tail.trim() === '' ? '' : `; it says: ${tail.trim()}`}`;
    }
  }
}
