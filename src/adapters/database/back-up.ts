/** Copies of whole databases, for those that are files. */
import { backUp as backUpSqlite, type Backup } from '../../stores/sqlite/backup.ts';

export function backUp(from: string, to: string, options: { readonly replace: boolean }): Backup {
  return backUpSqlite(from, to, options);
}
