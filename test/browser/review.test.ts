/** Somebody who judges work sees what was asked, the changes that were shown for it, and what the machine finds now. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { visit, withBrowser } from './visitor.ts';

withBrowser();

it('shows the diff of a commit and of a file, and notices that the file has changed since; others are refused', async (context) => {
  const { page, url, folder, ask, send, move, tokenFor, troubles } = await visit(context);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'page.txt'), 'old line\n');
  git('add', 'page.txt');
  git('commit', '-q', '-m', 'before', '--date', '2020-01-01T00:00:00Z');
  const id = await send({
    to: '@writer',
    title: 'Guide',
    input: 'Two pages, please',
    deliverables: ['text', 'notes'],
    criteria: ['it is clear'],
    verifiers: ['@vera'],
  });
  writeFileSync(join(folder, 'page.txt'), 'new line <b>\n');
  git('commit', '-q', '-am', 'the guide');
  writeFileSync(join(folder, 'notes.txt'), 'all of it is new\n');
  await move('@writer', id, 'accept');
  const evidence = [
    { deliverable: 'text', kind: 'commit', value: git('rev-parse', 'HEAD').trim() },
    { deliverable: 'notes', kind: 'file', value: 'notes.txt' },
  ];
  await move('@writer', id, 'deliver', { result: 'done', evidence });
  await page.goto(`${url}/#/handoffs/${id}`);
  const review = page.getByRole('region', { name: 'Review' });
  await expect.poll(() => review.textContent()).toContain('new line <b>');
  const text = (await review.textContent()) ?? '';
  for (const part of ['Two pages, please', '-old line', '+all of it is new', 'at delivery:', 'now:']) {
    expect(text).toContain(part);
  }
  writeFileSync(join(folder, 'notes.txt'), 'something else\n');
  await page.reload();
  await expect.poll(() => review.textContent()).toContain('has changed since it was delivered');
  // Whoever did the work could show any file, and read it this way.
  const path = `/api/handoffs/${id}/evidence`;
  expect((await ask('GET', path, { token: await tokenFor('@writer') })).status).toBe(403);
  expect((await ask('GET', path, { token: await tokenFor('@stranger') })).status).toBe(404);
  expect((await ask('GET', path, { token: await tokenFor('@vera') })).status).toBe(200);
  expect(troubles).toEqual([]);
});
