/**
 * Finds the line of a program's error output that says what went wrong. A stack trace has it at the end (Python), in the
 * middle (Node) or after "Caused by" (Java).
 */
export function errorLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  const line =
    afterTraceback(lines) ?? panicOf(lines) ?? lines.findLast(isCause) ?? lines.find(isError) ?? lastMessageLine(lines);
  return (line ?? '').trim();
}

/** The first line after the last Python traceback that is not indented. */
function afterTraceback(lines: readonly string[]): string | undefined {
  const at = lines.findLastIndex((line) => line.trimStart().startsWith('Traceback (most recent call last)'));
  return at < 0 ? undefined : lines.slice(at + 1).find((line) => /^\S/.test(line));
}

/** Rust prints the place, and the message on the next line. */
function panicOf(lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line) => /^thread '.*' .*panicked at .*:$/.test(line));
  return at < 0 ? undefined : lines[at + 1];
}

function isCause(line: string): boolean {
  return line.startsWith('Caused by: ');
}

function isError(line: string): boolean {
  return (
    /^(?:Uncaught |Exception in thread "[^"]*" )?[\w$.]*(?:Error|Exception)(?: \[[^\]]*\])?: ./.test(line) ||
    /^(?:panic|fatal|fatal error|error(?:\[\w+\])?): ./i.test(line)
  );
}

/** The last line that is neither a stack frame nor the version that Node prints below the trace. */
function lastMessageLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => !/^\s+at |^\s*\^+$|^Node\.js v\d/.test(line)) ?? lines.at(-1);
}
