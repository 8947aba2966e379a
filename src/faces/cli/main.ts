/** The command line: reads the arguments, then loads only the command that was asked for. */
import { Command, CommanderError } from 'commander';
import { withCommonOptions, type CommonOptions } from './invocation.ts';
import type { BackupOptions } from './commands/backup.ts';
import type { ExportOptions } from './commands/export.ts';
import type { InitOptions } from './commands/init.ts';
import type { SendOptions } from './commands/send.ts';
import type { WaitOptions } from './commands/wait.ts';
import type { WorkOptions } from './commands/work.ts';
import { ignoreClosedPipes, outputFor, tellProblem } from './output.ts';
import { PROBLEMS } from '../shared/problems.ts';

declare const __BATON_VERSION__: string;

const wantsJson = process.argv.slice(2, argumentsEnd()).includes('--json');
const output = outputFor(wantsJson);
/** Set by the command that ran. */
let exitCode = 0;

function argumentsEnd(): number {
  const at = process.argv.indexOf('--');
  return at === -1 ? process.argv.length : at;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function programOf(): Command {
  const program = new Command('baton')
    .description('Hands work from one agent to another and proves that it arrived.')
    .version(__BATON_VERSION__, '-V, --version')
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      '\nExample:\n  $ baton init\n  $ baton work @react -- cat &\n' +
        '  $ baton send --from @me --to @react --input \'{"x":1}\' --wait\n\n' +
        'Exit codes: 0 done · 1 fault · 2 usage · 3 not found · 4 refused · 5 invalid input · 6 limit ·\n' +
        '            7 timed out · 8 the handoff did not complete · 9 lease lost',
    );

  program
    .command('init [dir]')
    .description('make a workspace here; safe to repeat')
    .option('--json', 'answer with JSON, for programs')
    .option('--database <url>', 'prepare this PostgreSQL database too')
    .addHelpText('after', '\nExample:\n  $ baton init my-project')
    .action(async (dir: string | undefined, options: InitOptions) => {
      const { init } = await import('./commands/init.ts');
      exitCode = await init(dir ?? '.', options, output);
    });

  withCommonOptions(program.command('send'))
    .description('offer work to an agent; prints its id')
    .option('--from <agent>', 'who sends')
    .option('--to <agent>', 'who is to do it')
    .option('--input <json|file|->', 'what it needs: JSON, a file with JSON, or - for standard input')
    .option('--schema <name>', 'the schema that the input follows')
    .option('--title <text>', 'a line for people')
    .option('--task <id>', 'the task it belongs to')
    .option('--priority <level>', 'urgent, high, normal or low')
    .option('--timeout <seconds>', 'for each attempt, from pick-up')
    .option('--depends <id>', 'wait until this one is completed (may be repeated)', collect)
    .option('--request-id <key>', 'the same key and content again answers the same handoff')
    .option('--wait', 'wait for the result and print it')
    .addHelpText('after', '\nExample:\n  $ baton send --from @me --to @react --input \'{"x":1}\' --wait')
    .action(async (options: SendOptions) => {
      const { send } = await import('./commands/send.ts');
      exitCode = await send(options, output);
    });

  withCommonOptions(program.command('work <agent> [command...]'))
    .description('run a program on everything offered to an agent: handoff on its stdin, answer on its stdout')
    .option('--concurrency <n>', 'how many at a time', '1')
    .option('--once', 'take one, then end')
    .addHelpText('after', '\nExample:\n  $ baton work @react --concurrency 4 -- node render.mjs')
    .action(async (agent: string, command: string[], options: WorkOptions) => {
      const { work } = await import('./commands/work.ts');
      exitCode = await work(agent, command, options, output);
    });

  withCommonOptions(program.command('wait <id>'))
    .description('wait until a handoff is settled; prints its result')
    .option('--timeout <seconds>', 'give up after this long')
    .addHelpText('after', '\nExample:\n  $ baton wait hoff-0190… --timeout 60')
    .action(async (id: string, options: WaitOptions) => {
      const { wait } = await import('./commands/wait.ts');
      exitCode = await wait(id, options, output);
    });

  program
    .command('demo')
    .description('play a short relay in the terminal')
    .option('--json', 'answer with JSON, for programs')
    .addHelpText('after', '\nExample:\n  $ baton demo')
    .action(async (_options: CommonOptions) => {
      const { demo } = await import('./commands/demo.ts');
      exitCode = await demo(output);
    });

  addDatabaseCommands(program);

  for (const command of program.commands) command.exitOverride();
  return program;
}

/** What is done with the database as a whole. */
function addDatabaseCommands(program: Command): void {
  withCommonOptions(program.command('export [file]'))
    .description('write everything to a file of JSON lines, or to standard output')
    .option('--force', 'replace the file if there is one')
    .addHelpText(
      'after',
      '\nThe file appears when it is complete. An export that was interrupted is run again from the beginning: what it\n' +
        'had read may have moved on since. Outbox, request ids and tokens are not part of it; baton backup has them.\n' +
        '\nExample:\n  $ baton export handoffs.jsonl',
    )
    .action(async (file: string | undefined, options: ExportOptions) => {
      const { exportTo } = await import('./commands/export.ts');
      exitCode = await exportTo(file ?? '-', options, output);
    });

  withCommonOptions(program.command('import <file>'))
    .description('read an export, from a file or from - for standard input')
    .addHelpText(
      'after',
      '\nEvery line is checked before it is written. An import that was interrupted is run again and goes on: what is\n' +
        'here already is skipped, what was worked on since is left as it is.\n' +
        '\nExample:\n  $ baton import handoffs.jsonl --database postgres://localhost/baton',
    )
    .action(async (file: string, options: CommonOptions) => {
      const { importFrom } = await import('./commands/import.ts');
      exitCode = await importFrom(file, options, output);
    });

  withCommonOptions(program.command('backup <file>'))
    .description('copy the SQLite database while others work with it')
    .option('--force', 'replace the file if there is one')
    .addHelpText(
      'after',
      '\nTo restore it, stop all workers and put the file in the place of .baton/baton.db, without its -wal and -shm.\n' +
        '\nExample:\n  $ baton backup monday.db',
    )
    .action(async (file: string, options: BackupOptions) => {
      const { backup } = await import('./commands/backup.ts');
      exitCode = await backup(file, options, output);
    });

  withCommonOptions(program.command('doctor'))
    .description('look for damage and for what hangs; changes nothing')
    .addHelpText('after', '\nExit code 1 when something is a problem.\n\nExample:\n  $ baton doctor')
    .action(async (options: CommonOptions) => {
      const { doctor } = await import('./commands/doctor.ts');
      exitCode = await doctor(options, output);
    });
}

async function main(): Promise<number> {
  ignoreClosedPipes();
  try {
    await programOf().parseAsync();
    return exitCode;
  } catch (error) {
    // Commander has printed its message; what is not "help" or "version" is wrong usage.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : PROBLEMS.usage.exitCode;
    return tellProblem(error, wantsJson);
  }
}

process.exitCode = await main();
