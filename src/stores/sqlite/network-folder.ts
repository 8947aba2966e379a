/**
 * Refuses folders on network file systems before anything is written. SQLite shares memory between the processes of a
 * database; on a network file system that fails silently and damages the database.
 */
import { readFileSync, realpathSync, statfsSync } from 'node:fs';
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

/**
 * The numbers by which Linux knows the usual local file systems: ext, xfs, btrfs, zfs, f2fs, tmpfs and overlay. Where the
 * folder has one of these, the list of mounts is not read: that took `baton send` 0.5 ms of processor time.
 */
const LOCAL_NUMBERS = [0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x01021994, 0x794c7630];

/** The type of the network file system of a folder, or of its nearest existing parent. Null: it is local. */
export function networkTypeAt(folder: string): string | null {
  const number = orNull(() => statfsSync(folder).type);
  return number !== null && LOCAL_NUMBERS.includes(number) ? null : networkTypeOf(nearestExisting(folder));
}

/** The type of the network file system of `folder`. Null: it is local, or mounts cannot be listed. */
export function networkTypeOf(
  folder: string,
  mountInfo: string = orNull(() => readFileSync('/proc/self/mountinfo', 'utf8')) ?? '',
): string | null {
  const type = mountTypeOf(folder, mountInfo);
  if (type === null) return null;
  return NETWORK_TYPES.includes(type) || NETWORK_FUSE.test(type) ? type : null;
}

function mountTypeOf(folder: string, mountInfo: string): string | null {
  let nearest: { readonly at: string; readonly type: string } | null = null;
  for (const line of mountInfo.split('\n')) {
    const [before, after] = line.split(' - ', 2);
    const at = unescaped(before?.split(' ')[4] ?? '');
    const type = after?.split(' ', 1)[0];
    if (at === '' || type === undefined || !contains(at, folder)) continue;
    // The last of several mounts on one path hides the others.
    if (nearest === null || at.length >= nearest.at.length) nearest = { at, type };
  }
  return nearest?.type ?? null;
}

function contains(mount: string, folder: string): boolean {
  return mount === '/' || folder === mount || folder.startsWith(`${mount}/`);
}

function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** The folder, or its nearest existing parent. */
function nearestExisting(folder: string): string {
  const parent = dirname(folder);
  return orNull(() => realpathSync(folder)) ?? (parent === folder ? folder : nearestExisting(parent));
}
