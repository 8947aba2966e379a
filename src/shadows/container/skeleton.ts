/**
 * A base image that needs no registry: an empty root file system whose programs come from the host's `/usr`, mounted
 * read-only. It has 80 KB and is built in a fraction of a second.
 */
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hexDigestOf } from '../../foundation/digest.ts';
import { INSIDE } from '../../domain/shadow-plan.ts';
import { writeTar, type TarEntry } from '../tar.ts';

/** An image with this label gets the host's `/usr`; those built from it inherit the label. */
export const HOST_USR_LABEL = 'baton.shadow.usr=host';

const FILES: Readonly<Record<string, string>> = {
  'etc/passwd':
    'root:x:0:0:root:/nonexistent:/bin/sh\nshadow:x:1000:1000::/home/shadow:/bin/sh\nkeeper:x:1001:1001::/nonexistent:/bin/false\nnobody:x:65534:65534::/nonexistent:/bin/false\n',
  'etc/group': 'root:x:0:\nshadow:x:1000:\nkeeper:x:1001:\nnogroup:x:65534:\n',
  'etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  'etc/gitconfig': '',
};

/** Where a tmpfs is mounted, its mode is that of the folder in the image. */
const WRITABLE = ['tmp', 'run', INSIDE.home.slice(1), INSIDE.work.slice(1)];
const FOLDERS = [
  'usr',
  'proc',
  'sys',
  'dev',
  INSIDE.snapshots.slice(1),
  INSIDE.support.slice(1),
  INSIDE.cache.slice(1),
];

export interface Skeleton {
  readonly image: string;
  readonly archive: Buffer;
}

/** Null: this host keeps `/bin` and `/lib` apart from `/usr` (or has none), so that `/usr` alone runs nothing. */
export function skeletonImage(root = '/'): Skeleton | null {
  const links = ['bin', 'sbin', 'lib', 'lib64'].flatMap((name): readonly TarEntry[] => {
    const place = join(root, name);
    if (!existsSync(place)) return [];
    const isLink = lstatSync(place).isSymbolicLink();
    return [{ path: name, kind: isLink ? 'link' : 'folder', mode: 0o777, target: isLink ? readlinkSync(place) : '' }];
  });
  if (links.length === 0 || links.some(({ kind, target }) => kind !== 'link' || !/^\/?usr\//.test(target ?? ''))) {
    return null;
  }
  const folders = [...FOLDERS, ...WRITABLE, ...Object.keys(FILES)].flatMap((path) => parentsOf(path));
  const archive = writeTar([
    ...[...new Set(folders)].map((path): TarEntry => ({ path, kind: 'folder', mode: 0o755 })),
    ...FOLDERS.map((path): TarEntry => ({ path, kind: 'folder', mode: 0o755 })),
    ...WRITABLE.map((path): TarEntry => ({ path, kind: 'folder', mode: 0o1777 })),
    ...links,
    ...Object.entries(FILES).map(([path, text]): TarEntry => ({
      path,
      kind: 'file',
      mode: 0o644,
      bytes: Buffer.from(text),
    })),
  ]);
  return { image: `localhost/baton-shadow:${hexDigestOf(archive).slice(0, 12)}`, archive };
}

function parentsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [...parentsOf(parent), parent];
}
