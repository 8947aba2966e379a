/** Loads a command of the catalogue and runs it. */
import type { Output } from '../output.ts';
import type { CommandEntry, Run } from './entry.ts';

/** Returns the exit code. */
export async function runEntry(
  entry: CommandEntry,
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
  output: Output,
): Promise<number> {
  const run = (await entry.load()) as Run;
  return (await run(args, options as Readonly<Record<string, never>>, output)) ?? 0;
}
