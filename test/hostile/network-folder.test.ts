import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { networkTypeOf } from '../../src/stores/sqlite/network-folder.ts';
import { quickBaton, start, tempFolder, until } from '../support/processes.ts';
import { refused } from './answers.ts';

const LOCAL = '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw';

function mountInfo(...lines: readonly string[]): string {
  return [LOCAL, ...lines, ''].join('\n');
}

describe('the type of a network file system', () => {
  it.each([
    'nfs',
    'nfs4',
    'cifs',
    'smb3',
    '9p',
    'ceph',
    'lustre',
    'fuse.sshfs',
    'fuse.rclone',
    'fuse.s3fs',
    'fuse.juicefs',
  ])('is found for %s, in the folder and below it', (type) => {
    const text = mountInfo(`90 22 0:50 / /mnt/share rw,relatime shared:9 - ${type} server:/x rw,vers=4.2`);
    expect(networkTypeOf('/mnt/share', text)).toBe(type);
    expect(networkTypeOf('/mnt/share/deep/inside', text)).toBe(type);
    expect(networkTypeOf('/mnt/shared', text)).toBeNull();
    expect(networkTypeOf('/mnt', text)).toBeNull();
  });

  it.each(['ext4', 'xfs', 'btrfs', 'zfs', 'tmpfs', 'overlay', 'fuse.bindfs', 'fuseblk', 'apfs'])(
    'is null for %s',
    (type) => {
      expect(networkTypeOf('/mnt/disk/x', mountInfo(`90 22 0:50 / /mnt/disk rw - ${type} /dev/sdb1 rw`))).toBeNull();
    },
  );

  it('is that of the innermost mount, and of the last one at the same place', () => {
    const nfs = '90 22 0:50 / /mnt/a rw - nfs4 server:/x rw';
    const local = '91 90 0:51 / /mnt/a/local rw - ext4 /dev/sdb1 rw';
    const over = '92 90 0:52 / /mnt/a rw - tmpfs tmpfs rw';
    expect(networkTypeOf('/mnt/a/local/x', mountInfo(nfs, local))).toBeNull();
    expect(networkTypeOf('/mnt/a/x', mountInfo(local, nfs))).toBe('nfs4');
    expect(networkTypeOf('/mnt/a/x', mountInfo(nfs, over))).toBeNull();
    expect(networkTypeOf('/x', 'nonsense\n\n - \n')).toBeNull();
    expect(networkTypeOf('/x', '')).toBeNull();
  });

  it('reads names with spaces, and lines with optional fields or none', () => {
    const spaced = '90 22 0:50 / /mnt/my\\040share rw - nfs server:/x rw';
    expect(networkTypeOf('/mnt/my share/x', mountInfo(spaced))).toBe('nfs');
    const optional = '90 22 0:50 / /mnt/s rw shared:1 master:2 propagate_from:3 - cifs //server/x rw';
    expect(networkTypeOf('/mnt/s', mountInfo(optional))).toBe('cifs');
  });
});

describe('a workspace on a real network file system', () => {
  it('I4: is refused with a way out, and nothing is written there', async (context) => {
    const { mount, remote } = await mountOverSftp(context);
    const says = 'is on a network file system (fuse.sshfs), where SQLite databases get damaged: use a local folder';
    expect(await quickBaton(['init', mount])).toEqual(refused(1, `${join(mount, '.baton')} ${says}`));
    expect(await quickBaton(['init', join(mount, 'deep/inside')])).toEqual(refused(1, says));
    const send = ['send', '--from', 'a', '--to', 'b', '--database', join(mount, 'some.db')];
    expect(await quickBaton(send, { cwd: tempFolder() })).toEqual(refused(1, says));
    expect(readdirSync(remote)).toEqual([]);
  });
});

const SERVER = '/usr/lib/openssh/sftp-server';

/** A folder mounted through the protocol of ssh, without a network: the two programs talk through pipes. */
async function mountOverSftp(context: TestContext): Promise<{ mount: string; remote: string }> {
  if (!(await hasSshfs())) return context.skip('sshfs is missing: as root, apt-get install sshfs openssh-sftp-server');
  const folder = tempFolder();
  const [mount, remote] = [join(folder, 'mount'), join(folder, 'remote')];
  for (const each of [mount, remote]) mkdirSync(each);
  onTestFinished(() => void spawnSync('umount', ['-l', mount]));
  spawnSync('mkfifo', [join(folder, 'pipe')]);
  start('sh', ['-c', `${SERVER} < pipe | sshfs -f -o passive ":${remote}" "${mount}" > pipe`], { cwd: folder });
  await until('it is mounted', () => readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${mount} `));
  return { mount, remote };
}

async function hasSshfs(): Promise<boolean> {
  const isThere = (): boolean => existsSync('/usr/bin/sshfs') && existsSync(SERVER) && existsSync('/dev/fuse');
  if (isThere()) return true;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const install = ['-qq', '-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends'];
  await promisify(execFile)('apt-get', [...install, 'sshfs', 'openssh-sftp-server']).catch(() => undefined);
  return isThere();
}
