/** Runs a command, and prints what went wrong. */
import { useApp, type App } from './app.ts';
import { allOptionsOf } from './catalogue/all-options.ts';
import { chaptersFor } from './catalogue/chapters-for.ts';
import { runEntry } from './catalogue/run-entry.ts';
import { ignoreClosedPipes, outputFor, printProblem, type Output } from './output.ts';
import { plainArguments } from './plain-arguments.ts';
import { suspendBetweenTransactions } from './suspend.ts';

export async function runCommand(args: readonly string[], version: string, app: App): Promise<number> {
  useApp(app);
  suspendBetweenTransactions();
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const wantsJson = own.includes('--json');
  ignoreClosedPipes(wantsJson);
  try {
    return await run(args, version, outputFor(wantsJson));
  } catch (error) {
    return printProblem(error, wantsJson);
  }
}

async function run(args: readonly string[], version: string, output: Output): Promise<number> {
  if (args[0] === 'complete') {
    const { complete } = await import('./completion/complete.ts');
    const { CATALOGUE } = await import('./catalogue/all-commands.ts');
    process.stdout.write(await complete(args.slice(1), CATALOGUE, allOptionsOf));
    return 0;
  }
  const chapters = await chaptersFor(args[0]);
  const plain = plainArguments(args, chapters);
  if (plain !== null) return runEntry(plain.entry, plain.args, plain.options, output);
  const { runProgram } = await import('./program.ts');
  return runProgram(args, chapters, version, output);
}
