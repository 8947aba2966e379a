/** The command line: reads the arguments, then loads only the command that was asked for. */
import { PROBLEMS } from '../shared/problems.ts';
import { ignoreClosedPipes, outputFor, tellProblem } from './output.ts';

declare const __BATON_VERSION__: string;

const args = process.argv.slice(2);
const ownArgs = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
const wantsJson = ownArgs.includes('--json');

async function main(): Promise<number> {
  ignoreClosedPipes();
  // Scripts ask for the version before every call: no reason to load anything.
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${__BATON_VERSION__}\n`);
    return 0;
  }
  try {
    const { runProgram } = await import('./program.ts');
    return (await runProgram(args, __BATON_VERSION__, outputFor(wantsJson))) ?? PROBLEMS.usage.exitCode;
  } catch (error) {
    return tellProblem(error, wantsJson);
  }
}

process.exitCode = await main();
