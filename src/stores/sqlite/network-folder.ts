/**
 * SQLite shares memory between the processes that use a database; over a network file system that silently does not
 * work, and the database is damaged. So such a folder is refused before anything is written.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';

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
export function networkTypeOf(folder: string, mountInfo: string = readMountInfo()): string | null {
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

function readMountInfo(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

/** The folder itself may not exist yet: then its nearest parent tells. */
export function nearestExisting(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const parent = dirname(folder);
    return parent === folder ? folder : nearestExisting(parent);
  }
}
