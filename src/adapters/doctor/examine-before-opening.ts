/** Checks that run before the database is opened: opening would create what is missing, and a doctor changes nothing. */
import { statfsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownershipProblem } from '../../foundation/file-ownership.ts';
import { privateFiles, type Workspace } from '../../workspace/workspace.ts';
import { healthy, type HealthCheck } from '../../engine/health-checks.ts';
import { withoutPassword } from '../../stores/postgres/address.ts';
import type { DatabaseAddress } from '../../workspace/database-address.ts';
import { counted } from '../../foundation/count-text.ts';

const SPACE_LOW_BYTES = 500 * 1024 * 1024;
const SPACE_GONE_BYTES = 50 * 1024 * 1024;
const MIB = 1024 * 1024;

/** Whether there is a database of our version to look into. */
export async function examineDatabase(database: DatabaseAddress): Promise<HealthCheck> {
  const { found, ours } = await versionsOf(database);
  if (found !== null && typeof found !== 'number') return found;
  if (found === ours) return healthy('database', `${shownOf(database)} has schema version ${ours}`);
  const problem = { name: 'database', verdict: 'problem' } as const;
  if (found === null) {
    const says = `there is no database of Baton in ${shownOf(database)}`;
    return { ...problem, says, todo: 'make one with: baton init' };
  }
  const says = `${shownOf(database)} has schema version ${found}, this Baton knows version ${ours}`;
  const todo = found > ours ? 'install a newer Baton' : 'back it up, then bring it up to date with: baton init';
  return { ...problem, says, todo };
}

/** Without a password, whatever the address says. */
function shownOf(database: DatabaseAddress): string {
  return database.kind === 'sqlite' ? database.path : withoutPassword(database.url);
}

/** A check where the file says enough by itself. */
async function versionsOf(
  database: DatabaseAddress,
): Promise<{ readonly found: HealthCheck | number | null; readonly ours: number }> {
  if (database.kind === 'postgres') {
    const { schemaVersionAt: versionAt } = await import('../../stores/postgres/schema-version.ts');
    const { SCHEMA_VERSION } = await import('../../stores/postgres/schema.ts');
    return { found: await versionAt(database.url), ours: SCHEMA_VERSION };
  }
  const { SCHEMA_VERSION } = await import('../../stores/sqlite/schema.ts');
  const { examineFile } = await import('./examine-file.ts');
  return { found: examineFile(database.path), ours: SCHEMA_VERSION };
}

/** What to do about a database that cannot be asked. */
export async function remedyOf(database: DatabaseAddress): Promise<string> {
  if (database.kind === 'postgres')
    return 'check the address, the server and what its user may do, then run this again';
  const { restoring } = await import('./examine-file.ts');
  return `if it stays so: ${restoring(database.path)}`;
}

/** The folder of a database file: who may read it, how much room there is, where it lies. */
export async function examineFolder(databasePath: string): Promise<readonly HealthCheck[]> {
  const folder = dirname(databasePath);
  const { networkTypeAt } = await import('../../stores/sqlite/network-folder.ts');
  const network = networkTypeAt(folder);
  const { bindingText, chooseBinding } = await import('../../stores/sqlite/choose-binding.ts');
  return [
    healthy('sqlite', bindingText(chooseBinding())),
    modeOf(folder),
    spaceIn(folder),
    network === null
      ? healthy('file system', 'a local one')
      : {
          name: 'file system',
          verdict: 'problem',
          says: `${folder} is on ${network}, a network file system, where SQLite databases get damaged`,
          todo: 'move the workspace to a local disk, or use PostgreSQL',
        },
  ];
}

/** Files in `pending/` while the queue folder is off. Null: there are none. */
export async function examineUnusedQueueFolder(workspace: Workspace | null): Promise<HealthCheck | null> {
  if (workspace === null) return null;
  const pending = join(workspace.folder, 'handoffs/pending');
  const names = await readdir(pending).catch((): readonly string[] => []);
  const count = names.filter((name) => !name.startsWith('.') && name.endsWith('.json')).length;
  if (count === 0) return null;
  return {
    name: 'queue folders',
    verdict: 'warning',
    says: `handoffs/pending/ has ${counted(count, 'file')}, and the queue folder is off: nobody takes them in`,
    todo: 'set folders: { queue: on } in baton.yaml (or run: baton init --queue), or move the files away',
  };
}

/** Whether another user may change private files. */
export async function examineOwnFiles(
  workspace: Workspace | null,
  database: DatabaseAddress,
): Promise<readonly HealthCheck[]> {
  if (process.platform === 'win32') return [healthy('own files', 'skipped: Windows has no file modes')];
  const { databaseFiles } = await import('../../stores/sqlite/database-file.ts');
  const files = [
    ...(workspace === null ? [] : privateFiles(workspace)),
    ...(database.kind === 'sqlite' ? databaseFiles(database.path) : []),
  ];
  const flaws = [...new Set(files)].map((file) => ownershipProblem(file)).filter((flaw) => flaw !== null);
  if (flaws.length === 0) return [healthy('own files', 'nobody else may change the database or what is in .baton/')];
  const distinct = new Map(flaws.map((flaw) => [flaw.says, flaw]));
  return [...distinct.values()].map(({ says, todo }) => ({ name: 'own files', verdict: 'problem', says, todo }));
}

function modeOf(folder: string): HealthCheck {
  const mode = statSync(folder).mode & 0o777;
  if (process.platform === 'win32' || (mode & 0o077) === 0)
    return healthy('permissions', `only its owner can access ${folder}`);
  const [verdict, may] = (mode & 0o022) === 0 ? (['warning', 'read'] as const) : (['problem', 'write into'] as const);
  const says = `others may ${may} ${folder} (mode ${mode.toString(8)})`;
  return { name: 'permissions', verdict, says, todo: `chmod 700 ${folder}` };
}

function spaceIn(folder: string): HealthCheck {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const says = `${Math.floor(free / MIB)} MiB free`;
  if (free >= SPACE_LOW_BYTES) return healthy('disk', says);
  return { name: 'disk', verdict: free < SPACE_GONE_BYTES ? 'problem' : 'warning', says, todo: 'free some space' };
}
