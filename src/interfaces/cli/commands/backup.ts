import { FileExists } from '../../../foundation/atomic-file.ts';
import { locateWorkspace, withOperator, type CommonOptions, type Flags } from '../with-workspace.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import { counted } from '../../../foundation/count-text.ts';
import { existsProblem, targetOf } from './export.ts';

/** Copying cannot be interrupted. A killed process leaves a draft, which the next backup removes. */
type BackupOptions = CommonOptions & Flags<'force'>;

export async function backup(args: readonly string[], options: BackupOptions, output: Output): Promise<void> {
  const [file = '-'] = args;
  const { database } = await locateWorkspace(options);
  if (database.kind === 'postgres') {
    throw cliProblem(
      'usage',
      'backup copies a SQLite file; for PostgreSQL use pg_dump (everything), or baton export FILE (handoffs and trails)',
    );
  }
  const replace = options.force === true;
  const path = targetOf(file, replace);
  if (path === database.path) throw cliProblem('bad-request', 'a backup needs another name than the database');
  await withOperator(options, { scope: 'read' }, async () => undefined);
  const { backUp } = await import('../../../adapters/database/back-up.ts');
  try {
    const made = backUp(database.path, path, { replace });
    if (output.json) output.answer({ file: path, ...made });
    else
      output.line(
        `backed up ${counted(made.handoffs, 'handoff')} (${Math.ceil(made.bytes / 1024)} KiB) to ${displayLine(path)}`,
      );
  } catch (error) {
    if (error instanceof FileExists) throw existsProblem(path);
    throw error;
  }
}
