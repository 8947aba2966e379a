/**
 * The twin of a real host: terminals in memory, with programs that are functions. It keeps the same contract, so that a
 * whole succession can be driven, interrupted at any point and looked at within milliseconds.
 */
import { err, ok, type Result } from '../../src/foundation/result.ts';
import type { Pane } from '../../src/domain/agent-session.ts';
import type { AgentHost, HostProblem, HostStart, PaneStatus } from '../../src/agents/agent-host.ts';
import { typedLine } from '../../src/agents/terminal-input.ts';

/** A program in a terminal: it gets whole lines, and says when it ends. */
export interface ScriptedProgram {
  line(text: string): void;
  /** Asked to end by a signal; false: it ignores that. */
  asked(): boolean;
}

export interface ScriptedTerminal {
  readonly pid: number;
  print(text: string): void;
  exit(status: number): void;
}

export interface ScriptedHost extends AgentHost {
  /** As when a person scrolls. */
  setCopyMode(name: string, copyMode: boolean): void;
  /** Another program takes the place of the agent. */
  replaceProgram(name: string): void;
  /** The terminal is closed from outside. */
  close(name: string): void;
  /** The host itself stops to answer; null: it answers again. */
  fail(says: string | null): void;
  readonly panes: () => readonly string[];
}

interface Terminal {
  readonly name: string;
  readonly pane: string;
  pid: number;
  program: ScriptedProgram | null;
  status: number | null;
  typed: string;
  screen: string;
  copyMode: boolean;
}

const FIRST_PID = 100_000_000;

export function scriptedHost(
  programFor: (start: HostStart, terminal: ScriptedTerminal) => ScriptedProgram | null,
): ScriptedHost {
  const terminals = new Map<string, Terminal>();
  let failure: string | null = null;
  let count = 0;
  const paneOf = ({ name, pane, pid }: Terminal): Pane => ({ session: name, pane, pid, startedAt: String(pid) });
  const named = (pane: Pane): Terminal | undefined => [...terminals.values()].find((each) => each.pane === pane.pane);

  const sightOf = (pane: Pane): PaneStatus => {
    if (failure !== null) return { kind: 'no-host', says: failure };
    const terminal = named(pane);
    if (terminal === undefined) return { kind: 'gone' };
    if (terminal.pid !== pane.pid) return { kind: 'changed', says: `process ${terminal.pid} runs in it` };
    return terminal.program === null
      ? { kind: 'dead', status: terminal.status }
      : { kind: 'alive', copyMode: terminal.copyMode };
  };
  /** Keys reach the program only outside of copy mode. */
  const ready = (pane: Pane): Result<Terminal, HostProblem> => {
    const sight = sightOf(pane);
    const terminal = named(pane);
    if (sight.kind === 'no-host') return err({ code: 'host_failed', says: sight.says });
    if (sight.kind === 'changed') return err({ code: 'pane_changed', says: sight.says });
    if (sight.kind !== 'alive' || terminal === undefined)
      return err({ code: 'pane_gone', says: `${pane.pane} is gone` });
    terminal.copyMode = false;
    return ok(terminal);
  };

  return {
    start: async (start) => {
      if (failure !== null) return err({ code: 'host_failed', says: failure });
      const known = terminals.get(start.name);
      if (known !== undefined) return ok(paneOf(known));
      count += 1;
      const pid = FIRST_PID + count;
      const made: Terminal = {
        name: start.name,
        pane: `%${count}`,
        pid,
        program: null,
        status: null,
        typed: '',
        screen: '',
        copyMode: false,
      };
      terminals.set(start.name, made);
      made.program = programFor(start, {
        pid,
        print: (text) => {
          made.screen += text;
        },
        exit: (status) => {
          made.program = null;
          made.status = status;
        },
      });
      if (made.program === null) made.status ??= 127;
      return ok(paneOf(made));
    },
    find: async (name) => {
      if (failure !== null) return err({ code: 'host_failed', says: failure });
      const found = terminals.get(name);
      return ok(found === undefined ? null : paneOf(found));
    },
    status: async (pane) => sightOf(pane),
    paste: async (pane, text) => {
      const able = ready(pane);
      if (!able.ok) return able;
      able.value.typed += typedLine(text);
      return ok(true);
    },
    press: async (pane, key) => {
      const able = ready(pane);
      if (!able.ok) return able;
      const { typed, program } = able.value;
      able.value.typed = '';
      if (key === 'enter') program?.line(typed);
      return ok(true);
    },
    screen: async (pane) => named(pane)?.screen.trimEnd() ?? '',
    end: async (pane, how) => {
      const terminal = named(pane);
      if (terminal === undefined || terminal.pid !== pane.pid || failure !== null) return;
      if (how === 'hang-up') terminals.delete(terminal.name);
      else if (how === 'kill' || terminal.program?.asked() === true) {
        terminal.program = null;
        terminal.status = how === 'kill' ? null : 143;
      }
    },
    setCopyMode: (name, copyMode) => {
      const terminal = terminals.get(name);
      if (terminal !== undefined) terminal.copyMode = copyMode;
    },
    replaceProgram: (name) => {
      const terminal = terminals.get(name);
      if (terminal !== undefined) terminal.pid += 1_000_000;
    },
    close: (name) => void terminals.delete(name),
    fail: (says) => {
      failure = says;
    },
    panes: () => [...terminals.keys()],
  };
}
