/** Wires agents for a workspace: which host, which adapters, where journals and personas are. */
import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemTimers } from '../../foundation/clock.ts';
import { hexDigestOf } from '../../foundation/digest.ts';
import { findProgram } from '../../foundation/find-program.ts';
import { placeOf } from '../../foundation/process-identity.ts';
import { systemRandom } from '../../foundation/random.ts';
import type { AdapterName } from '../../domain/agent-session.ts';
import type { AgentId } from '../../domain/names.ts';
import { SUCCESSION_LIMITS, type AgentRuntime, type SuccessionLimits } from '../../engine/succession/agent-runtime.ts';
import type { AgentAdapter } from '../../agents/agent-host.ts';
import { claudeAdapter } from '../../agents/adapters/claude.ts';
import { codexAdapter } from '../../agents/adapters/codex.ts';
import { commandAdapter } from '../../agents/adapters/command.ts';
import { geminiAdapter } from '../../agents/adapters/gemini.ts';
import { fileJournal } from '../../agents/journal/file-journal.ts';
import { fileWakeNotes } from '../../agents/journal/wake-state.ts';
import { putFile } from '../../agents/journal/journal-lines.ts';
import { runTmuxOn, type RunTmux } from '../../agents/tmux/tmux-command.ts';
import { TMUX_CONFIGURATION, tmuxHost } from '../../agents/tmux/tmux-host.ts';
import { makeSessionToken } from '../../workspace/identity.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { personaFilesIn } from './persona-files.ts';
import type { SuccessionText } from '../../workspace/succession-settings.ts';

const ADAPTERS: Readonly<Record<AdapterName, AgentAdapter>> = {
  claude: claudeAdapter,
  codex: codexAdapter,
  gemini: geminiAdapter,
  command: commandAdapter,
};
const TMUX_FILE = 'tmux.conf';

/** What `baton.yaml` says is asked each time: it may change while a server runs. */
export function openAgents(workspace: Workspace, app: Pick<OpenWorkspace, 'ctx' | 'configuration'>): AgentRuntime {
  const { ctx } = app;
  const { liveness } = ctx;
  const now = (): SuccessionText | null => app.configuration.succession;
  const folder = join(workspace.privateFolder, 'agents');
  const runTmux = runTmuxOn(tmuxSocket(workspace), join(folder, TMUX_FILE));
  let isPrepared = false;
  const run: RunTmux = async (args, input) => {
    if (!isPrepared) putFile(folder, TMUX_FILE, TMUX_CONFIGURATION);
    isPrepared = true;
    return runTmux(args, input);
  };
  return {
    host: tmuxHost(run, { timers: systemTimers, random: systemRandom }),
    adapterOf: (name) => ADAPTERS[name],
    journal: fileJournal(workspace.privateFolder, liveness, systemTimers),
    personaFiles: personaFilesIn(workspace),
    place: placeOf(liveness.self),
    get settings() {
      const text = now();
      const commands = Object.entries(text?.commands ?? {}) as [AdapterName, readonly string[]][];
      return {
        automatic: text?.automatic === 'on',
        fallback: text?.fallback ?? [],
        commands: new Map(commands),
      };
    },
    get limits() {
      return limitsOf(now());
    },
    baton: ownCommand(),
    env: { BATON_WORKSPACE: realpathSync(workspace.folder) },
    wake: {
      notes: fileWakeNotes(workspace.privateFolder),
      get isTyped() {
        return app.configuration.wake.typing === 'on';
      },
    },
    get tokens() {
      return app.configuration.identity === 'strict'
        ? { make: (persona: AgentId, label: string) => makeSessionToken(ctx, persona, label) }
        : null;
    },
    whyNotRunnable,
  };
}

/** The command line by which a hook reaches this very program. */
function ownCommand(): readonly string[] {
  return [process.execPath, resolve(process.argv[1] ?? 'baton')];
}

/** One server for each workspace, whatever way leads to its folder. */
export function tmuxSocket({ folder }: Workspace): string {
  return `baton-${hexDigestOf(realpathSync(folder)).slice(0, 10)}`;
}

function limitsOf(text: SuccessionText | null): SuccessionLimits {
  const ms = (seconds: number | undefined, otherwise: number): number =>
    seconds === undefined ? otherwise : Math.round(seconds * 1_000);
  return {
    ...SUCCESSION_LIMITS,
    documentMs: ms(text?.document_seconds, SUCCESSION_LIMITS.documentMs),
    idleMs: ms(text?.idle_seconds, SUCCESSION_LIMITS.idleMs),
    quietMs: ms(text?.quiet_seconds, SUCCESSION_LIMITS.quietMs),
    dialogNoticeMs: ms(text?.dialog_seconds, SUCCESSION_LIMITS.dialogNoticeMs),
    readyMs: ms(text?.ready_seconds, SUCCESSION_LIMITS.readyMs),
    primingMs: ms(text?.priming_seconds, SUCCESSION_LIMITS.primingMs),
    acknowledgeMs: ms(text?.acknowledge_seconds, SUCCESSION_LIMITS.acknowledgeMs),
  };
}

/** With a time limit the program is run to its end; without one it only has to be found. */
async function whyNotRunnable(argv: readonly string[], timeoutMs: number): Promise<string | null> {
  const [program = '', ...rest] = argv;
  if (findProgram(program) === null) return 'there is no such program';
  if (timeoutMs === 0) return null;
  return new Promise((done) => {
    execFile(program, rest, { timeout: timeoutMs, killSignal: 'SIGKILL', encoding: 'utf8' }, (error, _out, says) => {
      if (error === null) done(null);
      else if (error.killed === true) done(`it did not answer within ${timeoutMs / 1_000} s`);
      else done((says.trim() === '' ? error.message : says.trim()).slice(0, 500));
    });
  });
}
