/** A command as evidence: it must pass at delivery, and again at verification. */
import type { NamedFile } from '../../domain/evidence.ts';
import { hashOf } from './file-evidence.ts';
import {
  held,
  isStorable,
  quoted,
  seen,
  untrue,
  type CheckRequest,
  type EvidenceOf,
  type Finding,
  type SandboxRun,
} from './evidence-finding.ts';
import { isolatedShell, plainShell } from './isolated-shell.ts';
import { runBounded, type Ran } from './run-bounded.ts';

const COMMAND_MAX = 4_000;
const HOW_TO_ALLOW =
  'this workspace runs no commands; let them run in a sandbox with `evidence: { commands: sandbox }` in baton.yaml ' +
  '(or on this host with `allow`), then run: baton apply';

const NOT_ISOLATED =
  'identity is strict here, and this machine cannot keep a command away from .baton/ (no user namespaces); ' +
  'let commands run in a sandbox with `evidence: { commands: sandbox }`, then run: baton apply';

export async function checkCommand(command: string, request: CheckRequest): Promise<Finding> {
  const { check } = request.handoff.terms;
  if (check !== undefined && command !== check) return untrue(refuseOtherCommand(command, check));
  // Hashed before the run: a command may rewrite its own script.
  const files = await filesNamedIn(command, request);
  const ran = await run(command, request);
  if (typeof ran === 'string') return untrue(ran);
  const { outputSha256 } = ran;
  return seen(
    { kind: 'command', command, exitCode: 0, outputSha256, ...(files.length === 0 ? {} : { files }) },
    `${quoted(command)} passes (exit code 0)${outputText(ran)}`,
  );
}

function refuseOtherCommand(command: string, check: string): string {
  return `the sender has fixed the command: ${quoted(check)} counts, ${quoted(command)} does not`;
}

export async function recheckCommand(was: EvidenceOf<'command'>, request: CheckRequest): Promise<Finding> {
  const { terms, lineage } = request.handoff;
  if (terms.check !== undefined && was.command !== terms.check) {
    return held(was, refuseOtherCommand(was.command, terms.check));
  }
  const changed = await changedSince(was.files ?? [], request);
  const ran = await run(was.command, request);
  if (typeof ran === 'string') return untrue(`it passed when it was delivered, but now ${ran}`);
  // Times and durations differ from run to run, so another output is told and not refused.
  const output = ran.outputSha256 === was.outputSha256 ? 'the same output' : 'another output than at delivery';
  const passes =
    was.elsewhere === true || lineage?.imported !== undefined
      ? `${quoted(was.command)} passes here for the first time (exit code 0)`
      : `${quoted(was.command)} passes again (exit code 0), with ${output}`;
  if (changed.length === 0) return seen(was, `${passes}${outputText(ran)}`);
  // A changed script can make the command pass.
  const names = changed.map(quoted).join(', ');
  return held(was, `${passes}; but what it runs has changed since it was delivered: ${names}`);
}

const NAMED_FILES_MAX = 20;

/** Words of the command that are files of the workspace: a script that was rewritten is not the one that passed. */
async function filesNamedIn(command: string, request: CheckRequest): Promise<readonly NamedFile[]> {
  const words = command.split(/[\s'"`;&|<>()=]+/).filter((word) => /[./]/.test(word) && !word.startsWith('-'));
  const files: NamedFile[] = [];
  for (const word of [...new Set(words)].slice(0, NAMED_FILES_MAX)) {
    const found = await hashOf(word, request);
    if (typeof found !== 'string') files.push({ path: found.path, sha256: found.sha256 });
  }
  return files;
}

async function changedSince(files: readonly NamedFile[], request: CheckRequest): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { path, sha256 } of files) {
    const now = await hashOf(path, request);
    if (typeof now === 'string' || now.sha256 !== sha256) changed.push(path);
  }
  return changed;
}

/** How the command ended, or why it is no evidence. */
async function run(command: string, { options, signal }: CheckRequest): Promise<Ran | string> {
  const { commands, folder, commandTimeoutMs: timeoutMs } = options;
  if (commands === 'refused') return HOW_TO_ALLOW;
  if (command.trim() === '') return 'the command is empty; give one that passes only when the work is done';
  if (command.length > COMMAND_MAX) return `the command is longer than ${COMMAND_MAX} characters; put it into a script`;
  if (!isStorable(command)) return 'the command holds characters that cannot be kept (U+0000, half a pair)';
  const bounds = { folder, timeoutMs, signal };
  if (commands === 'allowed') return judged(await runOnHost(command, options.isStrict, bounds), command, timeoutMs);
  const sandbox = await options.openSandbox();
  if (commands === 'sandbox-if-possible' && !sandbox.isInstalled) return HOW_TO_ALLOW;
  return judged(await sandbox.run(command, bounds), command, timeoutMs);
}

async function runOnHost(command: string, isStrict: boolean, bounds: SandboxRun): Promise<Ran | string> {
  const isolated = await isolatedShell(command, bounds.folder);
  if (isolated === null && isStrict) return NOT_ISOLATED;
  const { program, args } = isolated ?? plainShell(command);
  return runBounded(program, args, bounds);
}

/** The end of the output, for the person who judges the work. */
function outputText({ tail }: Pick<Ran, 'tail'>): string {
  return tail.trim() === '' ? '' : `; it says: ${tail.trim()}`;
}

/** The run, or what is wrong with it. */
function judged(ran: Ran | string, command: string, timeoutMs: number): Ran | string {
  if (typeof ran === 'string') return ran;
  const { over, exitCode, killedBy, tail } = ran;
  switch (over) {
    case 'not-started':
      return `${quoted(command)} could not be started (${tail}): commands need /bin/sh and the workspace's folder`;
    case 'aborted':
    case 'timeout':
      return `${quoted(command)} did not end within ${timeoutMs} ms; show a quicker one, or allow more time`;
    case 'output':
      return `${quoted(command)} says too much; let it write into a file, or say less`;
    case 'ended': {
      if (exitCode === 0) return ran;
      const end = killedBy === null ? `fails with exit code ${exitCode}` : `was ended by ${killedBy}`;
      return `${quoted(command)} ${end}${outputText({ tail })}`;
    }
  }
}
