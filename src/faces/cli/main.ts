/** The door of the command line: as small as can be, because scripts ask for the version before every call. */
declare const __BATON_VERSION__: string;

async function main(args: readonly string[]): Promise<number> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${__BATON_VERSION__}\n`);
    return 0;
  }
  const { runCommand } = await import('./command.ts');
  return runCommand(args, __BATON_VERSION__);
}

process.exitCode = await main(process.argv.slice(2));
