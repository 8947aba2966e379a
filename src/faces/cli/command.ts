/** Everything behind the door of the command line: runs the command, and says what went wrong. */
import { ignoreClosedPipes, outputFor, tellProblem } from './output.ts';
import { runProgram } from './program.ts';
import { suspendBetweenTransactions } from './suspend.ts';

export async function runCommand(args: readonly string[], version: string): Promise<number> {
  ignoreClosedPipes();
  suspendBetweenTransactions();
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const wantsJson = own.includes('--json');
  try {
    return await runProgram(args, version, outputFor(wantsJson));
  } catch (error) {
    return tellProblem(error, wantsJson);
  }
}
