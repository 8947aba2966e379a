import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/processes.ts';
import { deskIn } from './evidence-world.ts';

const SECRET = 'what lies outside';

describe('a file as evidence', () => {
  it('D7: is kept by path, size and hash, and is true again while it is unchanged', async () => {
    const { write, show, again } = deskIn();
    const text = 'done\n'.repeat(200_000);
    write('report.md', text);
    const { check, claim } = await show('file', 'report.md');
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(check).toMatchObject({ deliverable: 'it', verdict: 'true' });
    expect(claim.evidence).toEqual([{ kind: 'file', path: 'report.md', sha256, bytes: text.length }]);
    expect(await again(claim)).toMatchObject({ verdict: 'true' });
  });

  it('D7: is false when it has changed since, and says so', async () => {
    const { write, show, again } = deskIn();
    write('report.md', 'one');
    const { claim } = await show('file', 'report.md');
    write('report.md', 'two');
    expect(await again(claim)).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(/has changed since/) as unknown,
    });
  });

  it('D7: is false when it is gone, and says so', async () => {
    const { folder, write, show, again } = deskIn();
    write('report.md', 'one');
    const { claim } = await show('file', 'report.md');
    rmSync(join(folder, 'report.md'));
    expect(await again(claim)).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(/there is no file/) as unknown,
    });
  });

  it('D7: is false when somebody put a link in its place that leads out', async () => {
    const { folder, write, show, again } = deskIn();
    write('report.md', SECRET);
    const { claim } = await show('file', 'report.md');
    rmSync(join(folder, 'report.md'));
    symlinkSync(outside(), join(folder, 'report.md'));
    expect(await again(claim)).toMatchObject({ verdict: 'false', says: expect.stringMatching(/leads out/) as unknown });
  });

  it('takes an absolute path and a link, as long as both stay inside', async () => {
    const { folder, write, show } = deskIn();
    mkdirSync(join(folder, 'a b'));
    write('a b/report.md', 'x');
    symlinkSync(join(folder, 'a b'), join(folder, 'link'));
    expect((await show('file', join(folder, 'a b', 'report.md'))).claim.evidence).toMatchObject([
      { path: 'a b/report.md' },
    ]);
    expect((await show('file', 'link/report.md')).check.verdict).toBe('true');
  });

  it('is looked at through a workspace folder that is itself a link', async () => {
    const { folder, write } = deskIn();
    write('report.md', 'x');
    const link = join(tempFolder(), 'workspace');
    symlinkSync(folder, link);
    const { show } = deskIn(link);
    expect((await show('file', 'report.md')).check.verdict).toBe('true');
    expect((await show('file', join(link, 'report.md'))).check.verdict).toBe('true');
  });

  it.each([
    '../outside.md',
    'a/../../outside.md',
    'a/../report.md',
    '..',
    '..\\outside.md',
    '/etc/passwd',
    '/proc/self/environ',
    '',
    '  ',
    'report.md\0.txt',
    'x'.repeat(5_000),
    '\ud800.md',
  ])('refuses the path %j', async (path) => {
    const { write, show } = deskIn();
    write('report.md', 'x');
    const { check, claim } = await show('file', path);
    expect(check).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(/not a path inside the workspace/) as unknown,
    });
    expect(claim.evidence).toEqual([]);
  });

  it('does not take a neighbour whose name begins like the workspace', async () => {
    const { folder, show } = deskIn();
    const neighbour = `${folder}-other`;
    mkdirSync(neighbour);
    onTestFinished(() => rmSync(neighbour, { recursive: true }));
    writeFileSync(join(neighbour, 'report.md'), SECRET);
    expect((await show('file', join(neighbour, 'report.md'))).check.verdict).toBe('false');
  });

  it.each([
    ['a link to a file outside', (path: string) => symlinkSync(outside(), path), /leads out/],
    ['a link to a device', (path: string) => symlinkSync('/dev/zero', path), /leads out/],
    ['a link into itself', (path: string) => symlinkSync(path, path), /circle/],
    ['a link to nothing', (path: string) => symlinkSync('nowhere', path), /there is no file/],
    ['a folder', (path: string) => mkdirSync(path), /is a folder; name a file in it/],
    ['a pipe that nobody writes to', (path: string) => execFileSync('mkfifo', [path]), /not a regular file/],
  ])('answers false at once for %s', async (_what, make, says) => {
    const { folder, show } = deskIn();
    make(join(folder, 'thing'));
    expect((await show('file', 'thing')).check).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(says) as unknown,
    });
  });

  it('answers false for a folder on the way that leads out', async () => {
    const { folder, show } = deskIn();
    const elsewhere = tempFolder();
    writeFileSync(join(elsewhere, 'report.md'), SECRET);
    symlinkSync(elsewhere, join(folder, 'docs'));
    expect((await show('file', 'docs/report.md')).check).toMatchObject({ verdict: 'false' });
  });

  it('answers false for a socket', async () => {
    const { folder, show } = deskIn();
    const server = createServer();
    await new Promise<void>((listening) => void server.listen(join(folder, 'socket'), listening));
    onTestFinished(() => void server.close());
    expect((await show('file', 'socket')).check).toMatchObject({ verdict: 'false' });
  });

  it('answers false for what it may not read', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may read everything');
    const { folder, write, show } = deskIn();
    write('report.md', 'x');
    chmodSync(join(folder, 'report.md'), 0);
    expect((await show('file', 'report.md')).check).toMatchObject({ verdict: 'false' });
  });
});

function outside(): string {
  const path = join(tempFolder(), 'secret.txt');
  writeFileSync(path, SECRET);
  return path;
}
