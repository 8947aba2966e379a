/** The command line, built from the sources beside it. */
import { runCommand } from '../../../src/faces/cli/command.ts';

process.exitCode = await runCommand(JSON.parse(process.argv[2] ?? '[]') as string[], '0.0.0-test');
