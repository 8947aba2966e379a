/** The command line, built from the sources beside it. */
import { APP } from '../../../src/app/app.ts';
import { runCommand } from '../../../src/interfaces/cli/command.ts';

process.exitCode = await runCommand(JSON.parse(process.argv[2] ?? '[]') as string[], '0.0.0-test', APP);
