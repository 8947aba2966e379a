/** One shadow for many questions: addresses, files, limits. A container per question would take minutes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { containing, matching } from '../support/expected.ts';
import {
  containersOf,
  git,
  makePlace,
  makeRepository,
  NODE_CHANGE,
  NODE_PROJECT,
  PYTHON_CHANGE,
  PYTHON_PROJECT,
  needPodman,
  writeFiles,
} from './samples.ts';

const MINUTES = 5 * 60_000;

const REDIRECTED = [
  'https://github.com/acme/widget',
  'https://github.com/acme/widget.git',
  'https://github.com/acme/widget/',
  'https://github.com/acme/widget.git/',
  'https://github.com/Acme/WIDGET',
  'https://GitHub.com/acme/widget',
  'https://user:token@github.com/acme/widget',
  'https://www.github.com/acme/widget',
  'https://github.com:443/acme/widget',
  'http://github.com/acme/widget',
  'https://github.com/acme/widget@main',
  'git@github.com:acme/widget.git',
  'git@github.com:Acme/Widget',
  'ssh://git@github.com/acme/widget',
  'ssh://git@github.com:22/acme/widget.git',
  'git://github.com/acme/widget.git',
];
const REFUSED = [
  'https://github.com/acme/widget-extra',
  'https://github.com/acme/widget.github.io',
  'https://github.com/acme/widget.git.git',
  'https://github.com/acme/widget/tree/main',
  'https://github.com/acme/../acme/widget',
  'https://github.com/acme',
  'https://gitlab.com/acme/widget',
  'https://github.com.evil.test/acme/widget',
  'https://github.com/acme/%77idget',
  'git@github.com:acme/widget-extra.git',
];

describe('inside of a shadow', () => {
  beforeEach(needPodman);

  it(
    'V3, V4: every spelling leads to the uncommitted change, siblings lead nowhere, and files move only within bounds',
    { timeout: MINUTES },
    async () => {
      const place = makePlace();
      const widget = makeRepository(NODE_PROJECT, NODE_CHANGE);
      const gadget = makeRepository(PYTHON_PROJECT, PYTHON_CHANGE, 'odd \'name\' with "quotes"');
      const created = await place.run(['create', '--json', `${widget}:acme/widget`]);
      const answer = JSON.parse(created.stdout) as {
        success: boolean;
        shadow_id: string;
        snapshot_commits: Record<string, string>;
      };
      expect(answer).toMatchObject({
        success: true,
        snapshot_commits: { 'acme/widget': matching(/^[0-9a-f]{40}$/) },
      });
      const { shadow_id: id } = answer;
      const commit = answer.snapshot_commits['acme/widget'] ?? '';
      const inside = async (command: string): Promise<string> => {
        const ran = await place.run(['exec', id, '--', command]);
        return `${ran.code} ${ran.stdout}${ran.stderr}`;
      };

      // Git, in all spellings.
      const asked = await inside(
        [...REDIRECTED, ...REFUSED]
          .map((url) => `echo "$(git ls-remote '${url}' HEAD 2>/dev/null | cut -c1-40) ${url}"`)
          .join('; '),
      );
      const answers = asked.slice(2).trimEnd().split('\n');
      expect(answers).toEqual([...REDIRECTED.map((url) => `${commit} ${url}`), ...REFUSED.map((url) => ` ${url}`)]);
      expect(await inside('git clone -q https://github.com/ACME/widget.git x && tail -n 1 x/index.js')).toBe(
        '0 exports.twice = (a) => 2 * a;\n',
      );
      expect(await inside('cd x && git push origin HEAD:refs/heads/y')).toMatch(/^(?!0 ).*read-only/s);
      expect(await inside('git ls-remote https://github.com/acme/widget-extra')).toContain(
        'is not a registered source',
      );

      // npm and pip, by the forms that they turn into other addresses.
      const npm = ['github:acme/widget', 'acme/widget', 'git+ssh://git@github.com/acme/widget.git'];
      const installs = npm.map(
        (form, at) =>
          `mkdir /workspace/n${at} && cd /workspace/n${at} && echo '{}' > package.json && npm install '${form}' >/dev/null 2>&1; ` +
          `node -p 'typeof require("widget").twice'`,
      );
      expect(await inside(installs.join('; '))).toBe(`0 ${'function\n'.repeat(npm.length)}`);
      const added = await place.run(['add-source', id, `${gadget}:acme/gadget`]);
      expect(added).toMatchObject({ code: 0, stdout: matching(/^acme\/gadget [0-9a-f]{40}\n$/) });
      expect(
        await inside(
          'python3 -m pip wheel -q --no-deps --no-build-isolation -w /tmp/w "gadget @ git+https://github.com/Acme/Gadget.git@main" && ' +
            "python3 -c \"import zipfile,glob; print(zipfile.ZipFile(glob.glob('/tmp/w/*.whl')[0]).read('gadget/sums.py').decode().count('twice'))\"",
        ),
      ).toBe('0 1\n');

      // A newer snapshot; a checkout in which somebody works stays.
      writeFiles(widget, { 'index.js': 'exports.add = (a, b) => a + b;\nexports.thrice = (a) => 3 * a;\n' });
      const synced = await place.run(['sync-source', id, 'acme/widget']);
      expect(synced.stdout).toContain(`acme/widget ${commit} → `);
      expect(await inside('tail -n 1 "$SOURCE/index.js"')).toBe('0 exports.thrice = (a) => 3 * a;\n');
      expect((await place.run(['sync-source', id])).stdout).toContain('acme/widget unchanged');

      // What is changed inside, taken out, brought in.
      expect(await place.run(['diff', id])).toMatchObject({ code: 0, stdout: '' });
      await inside(
        'cd "$SOURCE" && echo "exports.more = 1;" >> index.js && mkdir out && echo made > out/a.txt && ln -s /etc/passwd out/link && mkfifo out/pipe && ln -s ../../.. out/up',
      );
      expect((await place.run(['diff', id])).stdout).toContain('+exports.more = 1;');
      const extracted = await place.run(['extract', id, 'widget/out', 'taken', '--json']);
      expect(JSON.parse(extracted.stdout)).toMatchObject({ written: ['taken/a.txt'], skipped: [{}, {}, {}] });
      expect(readFileSync(join(place.folder, 'taken/a.txt'), 'utf8')).toBe('made\n');
      expect(await place.run(['extract', id, 'widget/out', 'taken'])).toMatchObject({
        code: 5,
        stderr: containing('there already'),
      });
      writeFileSync(join(place.folder, 'in.txt'), "it's in\n");
      expect(await place.run(['inject', id, 'in.txt', 'widget/deep/in.txt'])).toMatchObject({ code: 0 });
      expect(await inside('cat "$SOURCE/deep/in.txt"')).toBe("0 it's in\n");

      // Nothing outside.
      const outside = join(place.folder, '..', 'baton-outside');
      symlinkSync('/etc', join(place.folder, 'etc'));
      for (const [args, code] of [
        [['extract', id, '../../etc', 'x'], 5],
        [['extract', id, 'widget/out/link', 'x/link'], 0],
        [['extract', id, 'widget/index.js', '../baton-outside'], 5],
        [['extract', id, 'widget/index.js', 'etc/baton-outside'], 5],
        [['inject', id, '/etc/passwd', 'p'], 5],
        [['inject', id, 'etc/passwd', 'p'], 5],
        [['inject', id, 'in.txt', '../../x'], 5],
        [['destroy', '../..'], 3],
        [['destroy', '-x/..'], 2],
        [['exec', '../..', '--', 'id'], 3],
        [['status', `${id}/../..`], 3],
        [['create', '/nowhere/at all'], 5],
      ] as const) {
        expect([args, (await place.run(args)).code]).toEqual([args, code]);
      }
      expect(existsSync(outside)).toBe(false);
      expect(existsSync('/etc/baton-outside')).toBe(false);
      expect(existsSync(join(place.folder, 'x'))).toBe(false);

      const status = JSON.parse((await place.run(['status', id, '--json'])).stdout) as {
        state: string;
        limits: Record<string, { enforced: boolean }>;
        manifest: object;
      };
      expect(status).toMatchObject({ state: 'running', manifest: { shadow_id: id, shadow_available: true } });
      expect(Object.keys(status.limits)).toHaveLength(11);
      expect(JSON.parse((await place.run(['list', '--json'])).stdout)).toMatchObject([
        { shadow_id: id, state: 'running' },
      ]);
      expect(await place.run(['destroy', id])).toMatchObject({ code: 0, stdout: `${id}\n` });
      expect(containersOf(place.folder)).toEqual([]);
      expect(await place.run(['exec', id, '--', 'id'])).toMatchObject({ code: 3 });
    },
  );

  it('V3: hostile commands are held, and the shadow is usable afterwards or gone', { timeout: MINUTES }, async () => {
    const place = makePlace('shadow: { memory_mb: 256, processes: 64 }\n');
    const repository = makeRepository(NODE_PROJECT);
    const secret = join(place.folder, 'secret');
    mkdirSync(secret);
    const id = (await place.run(['create', `${repository}:acme/widget`])).stdout.trim();
    const inside = async (command: string, more: readonly string[] = []) =>
      JSON.parse((await place.run(['exec', '--json', ...more, id, '--', command])).stdout) as {
        exit_code: number | null;
        stdout: string;
        stderr: string;
        stopped_by: string | null;
      };
    const [reads, sockets, namespaces, writes] = [
      await inside(
        `ls '${place.folder}' /root /home /proc/1/root /var/run/docker.sock 2>&1; id -u; grep -c . /etc/shadow`,
      ),
      await inside(
        "node -e \"require('net').connect(80,'1.1.1.1').on('error',e=>console.log(e.code))\"; node -e \"require('dns').lookup('example.com',e=>console.log(e.code))\"",
      ),
      await inside('unshare -Ur id; mount -o remount,rw /; chroot / id'),
      await inside(
        'echo x > /usr/x; echo x > /etc/x; echo x > /snapshots/x; echo x > /opt/shadow/bin/ssh; dd if=/dev/zero of=/workspace/full bs=1M count=2000',
      ),
    ];
    expect(reads.stdout).toContain('1000');
    expect(reads.stdout).not.toContain('secret');
    expect(sockets.stdout).toMatch(/ENETUNREACH|ECONNREFUSED|EACCES/);
    expect(namespaces.stdout).toBe('');
    expect(writes.stdout).toBe('');
    await inside('rm -f /workspace/full');
    expect(await inside('sleep 1000', ['--timeout', '1'])).toMatchObject({ exit_code: null, stopped_by: 'timeout' });
    expect(await inside('yes')).toMatchObject({ exit_code: null, stopped_by: 'output' });
    expect(await inside('node -e "const a=[];for(;;)a.push(Buffer.alloc(1e7,1))"')).toMatchObject({
      stopped_by: 'memory',
    });
    await inside('for i in 1 2 3; do setsid sleep 1000 >/dev/null 2>&1 & done');
    expect(await inside('id -u')).toMatchObject({ exit_code: 0, stdout: '1000\n' });
    const bomb = await place.run(['exec', '--timeout', '3', id, '--', 'bomb() { bomb | bomb & }; bomb; sleep 1000']);
    expect(bomb.code).not.toBe(0);
    expect((await place.run(['destroy', id])).code).toBe(0);
    expect(containersOf(place.folder)).toEqual([]);
    expect(git(repository, 'status', '--porcelain')).toBe('');
  });
});
