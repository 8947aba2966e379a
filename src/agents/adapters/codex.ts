/**
 * Codex: its hooks run only when the user has trusted them, so they are never installed for one session. Its events are
 * read from the rollout, the file of the conversation; hooks that the user has set up count as well.
 */
import { basename, join } from 'node:path';
import type { Json } from '../../foundation/json.ts';
import type { AgentEvent } from '../../domain/agent-events.ts';
import type { AgentAdapter, Launch, LaunchRequest, Probe } from '../agent-host.ts';
import { readCodexRollout } from '../context-meter.ts';
import { fieldIn, jsonIn, textIn } from '../json-fields.ts';
import {
  firstLineOf,
  homeOf,
  lastMessages,
  namesIn,
  openFileOf,
  plainText,
  programOf,
  tailOf,
  variableOf,
} from './agent-files.ts';

const ROLLOUT = /^rollout-.*\.jsonl$/;
/** Tolerance for the start time, because times of files are coarse. */
const START_SLACK_MS = 2_000;

export const codexAdapter: AgentAdapter = {
  name: 'codex',
  hasHooks: true,
  launch: (request) => launchOf(request, request.priming === null ? [] : [request.priming]),
  resume: (request) => launchOf(request, ['resume', request.conversation]),
  check: ({ command }) => [...programOf(command, 'codex'), '--version'],
  activity: async () => null,
  recorded: async (probe) => eventsIn(tailOf(rolloutOf(probe))),
  context: async (probe) => readCodexRollout(tailOf(rolloutOf(probe))),
  transcriptTail: async (probe) => lastMessages(tailOf(rolloutOf(probe))),
};

/** Runs without the daemon: sessions that share a daemon share the environment of their hooks, which names the session. */
function launchOf({ session, documentFolder }: LaunchRequest, rest: readonly string[]): Launch {
  const argv = [...programOf(session.command, 'codex'), '--no-daemon', '--add-dir', documentFolder, ...rest];
  return { argv, env: {}, files: [], primedBy: 'command-line' };
}

/** The file that a hook named; otherwise one that the process has open; otherwise the first of this folder since its start. */
function rolloutOf({ session, transcript }: Probe): string | null {
  const { pane, startedAt, cwd } = session;
  if (transcript !== null || pane === null) return transcript;
  const open = openFileOf(pane.pid, (path) => ROLLOUT.test(basename(path)));
  if (open !== null) return open;
  const home = variableOf(pane.pid, 'CODEX_HOME') ?? join(homeOf(pane.pid), '.codex');
  return rolloutSince(join(home, 'sessions'), cwd, startedAt - START_SLACK_MS);
}

/** By day, in the time of this machine. */
function rolloutSince(folder: string, cwd: string, sinceMs: number): string | null {
  const days = [sinceMs, Date.now()].map((ms) => {
    const day = new Date(ms);
    const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'));
    return join(folder, String(day.getFullYear()), month ?? '', date ?? '');
  });
  for (const day of new Set(days)) {
    for (const name of namesIn(day)) {
      if (!ROLLOUT.test(name)) continue;
      const first = fieldIn(jsonIn(firstLineOf(join(day, name))), 'payload');
      if (textIn(first, 'cwd') === cwd && Date.parse(textIn(first, 'timestamp') ?? '') >= sinceMs)
        return join(day, name);
    }
  }
  return null;
}

function eventsIn(rollout: string): readonly AgentEvent[] {
  return rollout.split('\n').flatMap((line) => {
    const record = jsonIn(line);
    const event = eventOf(fieldIn(record, 'payload'), Date.parse(textIn(record, 'timestamp') ?? ''));
    return event ?? [];
  });
}

function eventOf(payload: Json, at: number): AgentEvent | null {
  const common = { at: Number.isFinite(at) ? at : 0, conversation: null };
  const turn = textIn(payload, 'turn_id');
  switch (fieldIn(payload, 'type')) {
    case 'item_completed': {
      const item = fieldIn(payload, 'item');
      const isPrompt = fieldIn(item, 'type') === 'UserMessage';
      return isPrompt ? { ...common, kind: 'prompt', turn, text: plainText(fieldIn(item, 'content')) } : null;
    }
    case 'task_complete': {
      const error = fieldIn(payload, 'error');
      if (error === null) return { ...common, kind: 'turn-ended', turn, background: false };
      const code = textIn(error, 'codex_error_info') ?? 'error';
      return { ...common, kind: 'turn-failed', turn, error: code, says: textIn(error, 'message') ?? code };
    }
    case 'turn_aborted':
      return { ...common, kind: 'turn-ended', turn, background: false };
    default:
      return null;
  }
}
