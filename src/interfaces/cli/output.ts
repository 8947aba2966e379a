/** Answers go to standard output, everything else to standard error. Color is for terminals. */
import { fstatSync, writeSync } from 'node:fs';
import { printExact } from '../../foundation/exact-json.ts';
import { isatty } from 'node:tty';
import { BadCursor, StoreFault } from '../../foundation/store-fault.ts';
import { PROBLEMS } from '../shared/problems.ts';
import { codeOf } from '../../foundation/system-error-code.ts';
import { displayText } from '../../foundation/display-text.ts';
import { Problem } from './problem.ts';

export interface Output {
  readonly json: boolean;
  /** The answer: indented for people, one line for programs. */
  answer(value: unknown): void;
  line(text: string): void;
  /** A remark for people. Not printed with `--json`. */
  note(text: string): void;
  warn(text: string): void;
}

/** For messages about the work. Answers have their own colors, because each stream may be a terminal or a file. */
const colours = coloursFor(2);
export const answerColours = coloursFor(1);

/**
 * Where no color is wanted, each function returns its text as it is. Packages for this ask `process.stdout` when they are
 * loaded, and that takes 5 ms where standard output is a pipe.
 */
function coloursFor(descriptor: 1 | 2) {
  const isColorSupported = wantsColour(descriptor);
  const between = (start: number, end: number) => (text: string) =>
    isColorSupported ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  return {
    isColorSupported,
    bold: between(1, 22),
    dim: between(2, 22),
    red: between(31, 39),
    green: between(32, 39),
    yellow: between(33, 39),
    cyan: between(36, 39),
  };
}

/** Checks for a character device first: loading `node:tty` for a pipe takes 5 ms. */
export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && isatty(descriptor);
  } catch {
    return false;
  }
}

function wantsColour(descriptor: 1 | 2): boolean {
  return isTerminal(descriptor) && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';
}

/** Null: the answer goes to a file or a program, which gets whole lines unless `COLUMNS` is set. */
export function terminalWidth(): number | null {
  const asked = Number(process.env['COLUMNS'] ?? '');
  return isTerminal(1) ? process.stdout.columns : Number.isInteger(asked) && asked > 1 ? asked : null;
}

export function outputFor(json: boolean): Output {
  return {
    json,
    // `displayText` writes JSON escapes, so programs read the same value.
    answer: (value) => write(1, `${displayText(printExact(value, json ? 0 : 2) ?? '')}\n`),
    line: (text) => write(1, `${shown(text, answerColours.isColorSupported)}\n`),
    note: (text) => {
      if (!json) write(2, `${colours.dim(indented(text))}\n`);
    },
    warn: (text) => write(2, `${colours.yellow('warning')}: ${indented(text)}\n`),
  };
}

// eslint-disable-next-line no-control-regex -- colors begin with one
const BATON_COLORS = /(\u001b\[[0-9]{1,2}m)/;

/** Escapes every control sequence in an answer except our own colors, also where a command forgot it. */
function shown(text: string, isColored: boolean): string {
  if (!isColored) return displayText(text);
  return text
    .split(BATON_COLORS)
    .map((part, index) => (index % 2 === 1 ? part : displayText(part)))
    .join('');
}

/** Indents the further lines of a message, so that none of them looks like another message. */
function indented(text: string): string {
  return displayText(text).replaceAll(/\n(?! )/g, '\n  ');
}

/** Prints the problem and returns the exit code. */
export function printProblem(error: unknown, json: boolean): number {
  const problem = error instanceof Problem ? error : faultOf(error);
  if (json) {
    const { code, message, facts } = problem;
    write(2, `${displayText(JSON.stringify({ error: { code, message, ...facts } }))}\n`);
  } else {
    write(2, `${colours.red('baton')}: ${indented(problem.message)}\n`);
    if (
      problem.cause instanceof Error &&
      problem.cause.stack !== undefined &&
      process.env['BATON_DEBUG'] !== undefined
    ) {
      write(2, `${displayText(problem.cause.stack)}\n`);
    }
  }
  return PROBLEMS[problem.code].exitCode;
}

function faultOf(error: unknown): Problem {
  const cause = error instanceof Error ? error : new Error(String(error));
  if (cause instanceof BadCursor) return new Problem('bad-request', `--after: ${cause.message}`, {}, { cause });
  if (cause instanceof StoreFault) return new Problem('fault', cause.message, { outcome: cause.outcome }, { cause });
  const code = 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
  return new Problem('fault', `${cause.message}${code}; set BATON_DEBUG=1 to see where`, {}, { cause });
}

/** Making a stream takes 5 ms, so it is made only for a descriptor that did not take all bytes at once. */
const needsStream = new Set<1 | 2>(process.platform === 'win32' ? [1, 2] : []);

/** A reader that has closed its pipe (`| head`) is no error. */
function write(descriptor: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (!needsStream.has(descriptor) && written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    if (codeOf(error) !== 'EAGAIN') {
      // Later, so that the command first reaches a point where it can end.
      process.nextTick(() => notWritten(descriptor, error as Error));
      return;
    }
    needsStream.add(descriptor);
  }
  if (written < bytes.length) (descriptor === 1 ? process.stdout : process.stderr).write(bytes.subarray(written));
}

/** A command that only answers ends when nobody reads. */
const end = (): void => process.exit(0);
let unread = end;
let wantsJson = false;

/** For commands whose work must go on when nobody reads. */
export function onClosedPipe(act: () => void): void {
  unread = act;
}

function notWritten(descriptor: 1 | 2, error: Error): void {
  // The command has done its work, but a lost answer must not look like success.
  if (codeOf(error) !== 'EPIPE' && unread === end) {
    const lost = new Problem('fault', `the answer could not be written (${error.message})`);
    process.exit(descriptor === 1 ? printProblem(lost, wantsJson) : PROBLEMS.fault.exitCode);
  }
  const act = unread;
  unread = () => undefined;
  act();
}

let isWatching = false;

/** Watches standard output and standard error once something uses them. */
export function ignoreClosedPipes(json: boolean): void {
  wantsJson = json;
  if (isWatching) return;
  isWatching = true;
  for (const [name, descriptor] of [
    ['stdout', 1],
    ['stderr', 2],
  ] as const) {
    const own = Object.getOwnPropertyDescriptor(process, name);
    const watch = (): NodeJS.WriteStream => {
      const stream = (own?.get === undefined ? own?.value : own.get.call(process)) as NodeJS.WriteStream;
      if (own !== undefined) Object.defineProperty(process, name, own);
      stream.on('error', (error: Error) => notWritten(descriptor, error));
      return stream;
    };
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: watch });
  }
}
