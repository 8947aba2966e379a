/** Runs a command, and prints what went wrong. */
import { useApp, type App } from './app.ts';
import { ignoreClosedPipes, outputFor, printProblem } from './output.ts';
import { runProgram } from './program.ts';
import { suspendBetweenTransactions } from './suspend.ts';

export async function runCommand(args: readonly string[], version: string, app: App): Promise<number> {
  useApp(app);
  suspendBetweenTransactions();
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const wantsJson = own.includes('--json');
  ignoreClosedPipes(wantsJson);
  try {
    return await runProgram(args, version, outputFor(wantsJson));
  } catch (error) {
    return printProblem(error, wantsJson);
  }
}
