/** A question on a terminal that is answered with yes or no. */
import { isTerminal } from './output.ts';

/** Whether there is somebody to ask. */
export function canAsk(): boolean {
  return isTerminal(0) && isTerminal(2);
}

/** Any answer but yes is no. */
export async function confirm(question: string, signal?: AbortSignal): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `, signal === undefined ? {} : { signal });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
