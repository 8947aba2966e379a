/** Where the command starts: as small as can be, because scripts ask for the version before every call. */
import { APP } from './app.ts';

declare const __BATON_VERSION__: string;

interface HookFile {
  readonly runHook: (vendor: string, event: string, runAll: () => Promise<number>) => Promise<number>;
}

async function main(args: readonly string[]): Promise<number> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${__BATON_VERSION__}\n`);
    return 0;
  }
  const runAll = async (): Promise<number> =>
    (await import('../interfaces/cli/command.ts')).runCommand(args, __BATON_VERSION__, APP);
  if (args[0] !== 'hook' || args.length !== 3) return runAll();
  // Hooks run on every turn of an agent: a file of their own loads nothing but what they need.
  const { runHook } = (await import(new URL('./hook.mjs', import.meta.url).href)) as HookFile;
  return runHook(args[1] ?? '', args[2] ?? '', runAll);
}

process.exitCode = await main(process.argv.slice(2));
