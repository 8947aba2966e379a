/**
 * A shell that cannot reach the private folder of the workspace: an evidence command that reads `.baton/` could show the
 * tokens of others, or change the database that judges it.
 *
 * The folder is covered in a mount namespace. A second user namespace stops the command from removing the cover, and a
 * process namespace stops it from reading behind the cover through `/proc` of other processes.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../../workspace/workspace.ts';

export interface ShellCall {
  readonly program: string;
  readonly args: readonly string[];
}

/** The memory limit of one process: a machine without memory kills other work. */
const DATA_KIB_MAX = 4 * 1024 * 1024;
const LIMITED = `ulimit -d ${DATA_KIB_MAX} 2>/dev/null; exec /bin/sh -c "$0" 2>&1`;
const NAMESPACES = ['--user', '--map-root-user', '--mount'] as const;
const OUTER = ['--pid', '--fork', '--mount-proc', '--kill-child'] as const;
const COVER =
  'mount -t tmpfs -o size=4k,mode=0 tmpfs "$0" || exit 125; exec unshare --user --map-root-user --mount /bin/sh -c "$1" "$2"';
const PROBE_MS = 5_000;

/** Both outputs through one pipe: the hash depends on their order. */
export function plainShell(command: string): ShellCall {
  return { program: '/bin/sh', args: ['-c', LIMITED, command] };
}

/** Null: this machine allows no such namespaces. */
export async function isolatedShell(command: string, folder: string): Promise<ShellCall | null> {
  if (!(await canIsolate())) return null;
  const hidden = join(folder, PRIVATE_FOLDER);
  if (!existsSync(hidden)) return plainShell(command);
  return {
    program: 'unshare',
    args: [...NAMESPACES, ...OUTER, '/bin/sh', '-c', COVER, hidden, LIMITED, command],
  };
}

let probing: Promise<boolean> | null = null;

function canIsolate(): Promise<boolean> {
  probing ??= new Promise((resolve) => {
    if (process.platform !== 'linux') return resolve(false);
    // The same calls as later, over a folder that every system has.
    const args = [...NAMESPACES, ...OUTER, '/bin/sh', '-c', COVER, '/mnt', 'exit 0', ''];
    execFile('unshare', args, { timeout: PROBE_MS }, (error) => resolve(error === null));
  });
  return probing;
}
