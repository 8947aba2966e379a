/** A question on a terminal that is answered with yes or no. */
import { createInterface } from 'node:readline/promises';

/** Whether there is somebody to ask. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Anything but yes is no. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
