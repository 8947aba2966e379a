/** The entry of the command: as small as possible, because scripts ask for the version before every call. */
import { APP } from './app.ts';

declare const __BATON_VERSION__: string;

async function main(args: readonly string[]): Promise<number> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${__BATON_VERSION__}\n`);
    return 0;
  }
  return args[0] === 'hook' ? hook(args) : runAll(args);
}

async function runAll(args: readonly string[]): Promise<number> {
  return (await import('../interfaces/cli/command.ts')).runCommand(args, __BATON_VERSION__, APP);
}

/** An agent's program takes another exit code than 0 for a veto, so a hook that was called wrongly has none either. */
async function hook(args: readonly string[]): Promise<number> {
  const [, vendor = '', event, ...others] = args;
  if (others.length > 0 || args.some((each) => each.startsWith('-'))) {
    if ((await runAll(args)) !== 0) process.stdout.write('{}\n');
    return 0;
  }
  // Hooks run on every turn of an agent: a file of their own loads nothing but what they need.
  const { runHook } = await import('./hook-entry.ts');
  return runHook(vendor, event);
}

/** The exit code of Node for a program that ends with an unsettled top-level await. */
const NEVER_ENDED = 13;

process.exitCode = NEVER_ENDED;
/** For programs that run several commands in one process. */
export const ended: Promise<void> = main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
