/**
 * SQLite shares memory between the processes that use a database. On a network file system that silently fails and damages
 * the database, so such a folder is refused before anything is written.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { orNull } from '../../foundation/or-null.ts';

const NETWORK_TYPES = [
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'smbfs',
  'ncpfs',
  'afs',
  'ceph',
  'glusterfs',
  'lustre',
  'gpfs',
  'ocfs2',
  'gfs2',
  '9p',
  'afpfs',
  'webdav',
];
const NETWORK_FUSE = /^fuse\.(?:sshfs|rclone|s3fs|gcsfuse|glusterfs|ceph|davfs|smbnetfs|curlftpfs|cephfs|mfs|juicefs)/;

/** The type of the network file system that `folder` lies on, or null. Where mounts cannot be listed, null. */
export function networkTypeOf(
  folder: string,
  mountInfo: string = orNull(() => readFileSync('/proc/self/mountinfo', 'utf8')) ?? '',
): string | null {
  const type = mountTypeOf(folder, mountInfo);
  if (type === null) return null;
  return NETWORK_TYPES.includes(type) || NETWORK_FUSE.test(type) ? type : null;
}

function mountTypeOf(folder: string, mountInfo: string): string | null {
  let best: { readonly at: string; readonly type: string } | null = null;
  for (const line of mountInfo.split('\n')) {
    const [before, after] = line.split(' - ', 2);
    const at = unescaped(before?.split(' ')[4] ?? '');
    const type = after?.split(' ', 1)[0];
    if (at === '' || type === undefined || !contains(at, folder)) continue;
    // The last of several mounts at one place is the one that is seen.
    if (best === null || at.length >= best.at.length) best = { at, type };
  }
  return best?.type ?? null;
}

function contains(mount: string, folder: string): boolean {
  return mount === '/' || folder === mount || folder.startsWith(`${mount}/`);
}

function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** The folder itself, or where it does not exist yet, its nearest parent. */
export function nearestExisting(folder: string): string {
  const parent = dirname(folder);
  return orNull(() => realpathSync(folder)) ?? (parent === folder ? folder : nearestExisting(parent));
}
