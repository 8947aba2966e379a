/** Collects the state of an agent's run from its output, line by line. Unreadable lines are skipped; the transcript has them. */
import { readJson, type JsonObject } from '../../foundation/json.ts';
import type { Mutable } from '../../domain/handoff.ts';
import type { HeadlessAgent, RunEvent, RunUsage } from './headless-agent.ts';

export interface RunState {
  readonly session: string | null;
  readonly model: string | null;
  readonly spent: RunUsage;
  /** The last message of the agent. */
  readonly text: string;
  readonly limit: { readonly says: string; readonly resetsAt: number | null } | null;
  readonly error: string | null;
  /** Whether the program said that the turn is over. */
  readonly isDone: boolean;
}

/** A line that is longer is dropped: no event that matters is as long. */
const LINE_MAX = 16 * 1024 * 1024;

export function openAgentRun(agent: HeadlessAgent, onProgress: (says: string) => void) {
  const run: Mutable<RunState> = {
    session: null,
    model: null,
    spent: {},
    text: '',
    limit: null,
    error: null,
    isDone: false,
  };
  let rest = '';

  const take = (event: RunEvent): void => {
    switch (event.kind) {
      case 'session':
        run.session = event.id;
        run.model = event.model ?? run.model;
        break;
      case 'progress':
        onProgress(event.says);
        break;
      case 'message':
        run.text = event.isPart ? run.text + event.text : event.text;
        break;
      case 'done':
        run.isDone = true;
        run.spent = { ...run.spent, ...event.spent };
        run.text = event.text ?? run.text;
        break;
      case 'limit':
        run.limit = { says: event.says, resetsAt: event.resetsAt ?? run.limit?.resetsAt ?? null };
        break;
      case 'error':
        run.error = event.says;
        break;
    }
  };
  const line = (text: string): void => {
    const read = text.startsWith('{') ? readJson(text) : null;
    if (read?.ok === true) for (const event of agent.read(read.value.value as JsonObject)) take(event);
  };

  return {
    soFar: () => run,
    /** Adds a chunk of standard output, of any length. */
    output: (text: string) => {
      const lines = (rest + text).split('\n');
      rest = (lines.pop() ?? '').slice(0, LINE_MAX);
      for (const each of lines) line(each.trim());
    },
    /** The program is over; `errors` is the end of its standard error. */
    end: (errors: string) => {
      line(rest.trim());
      rest = '';
      // Standard error counts only if the run did not succeed.
      if (!run.isDone || run.error !== null) for (const event of agent.readErrors(errors)) take(event);
      return run;
    },
  };
}
