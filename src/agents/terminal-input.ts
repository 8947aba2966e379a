/** What may be typed into an agent's terminal: one line of plain text that is no command of the agent. */

/** Longer texts belong in a file that the line points to. */
const LINE_MAX = 1_000;

/** Control characters could press keys; a first `/`, `!`, `#` or `@` would call a command of the agent. */
export function typedLine(text: string): string {
  const plain = text
    .replaceAll(/[\r\n\t\u2028\u2029]+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Surrogate}]/gu, '')
    .trim();
  const safe = /^[/!#@]/.test(plain) ? `Baton: ${plain}` : plain;
  return safe.slice(0, LINE_MAX);
}
