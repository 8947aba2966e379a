/** What the page does when the server, the session or a connection is gone. */
import { expect, it } from 'vitest';
import { served } from '../http/served.ts';
import { rowsIn, visit, withBrowser } from './visitor.ts';

withBrowser();

it('I17: a server that starts again is found again by the same session; meanwhile what is known stays, and nothing is called live', async (context) => {
  const first = await visit(context);
  const { page, url, folder, port } = first;
  await first.send({ to: '@react', title: 'before' });
  await page.goto(`${url}/#/work`);
  await expect.poll(() => rowsIn(page)).toEqual(['before']);
  await expect.poll(() => page.locator('.line').textContent()).toContain('live');
  await first.stop();
  await expect.poll(() => page.locator('.line').textContent()).toContain('not live');
  await expect.poll(() => page.locator('.banner').textContent()).toContain('does not respond');
  expect(await rowsIn(page)).toEqual(['before']);
  const second = await served({ folder, port });
  const token = await second.tokenFor(null);
  await second.ask('POST', '/api/handoffs', { token, body: { from: '@lead', to: '@react', title: 'while away' } });
  await expect.poll(() => rowsIn(page)).toEqual(['while away', 'before']);
  await expect.poll(() => page.locator('.line').textContent()).toMatch(/^\s*live$/);
  await expect.poll(() => page.locator('.banner').count()).toBe(0);
});

it('the session of a revoked token ends: the page says so, keeps what it knows, and a link pasted there leads back in', async (context) => {
  const { page, url, send, ask, tokenFor } = await visit(context);
  const operator = await tokenFor(null);
  await send({ to: '@react', title: 'still here' });
  const made = (await ask('POST', '/api/tokens', { token: operator, body: { label: 'a browser' } })).json as {
    id: string;
    token: string;
  };
  const linkBy = async (token: string): Promise<string> => {
    const { path } = (await ask('POST', '/api/login-links', { token })).json as { path: string };
    return `${url}${path}`;
  };
  await page.goto(await linkBy(made.token));
  await page.waitForURL(`${url}/`);
  await page.goto(`${url}/#/work`);
  await expect.poll(() => rowsIn(page)).toEqual(['still here']);
  await ask('DELETE', `/api/tokens/${made.id}`, { token: operator });
  await expect.poll(() => page.locator('.banner').textContent()).toContain('You are signed out');
  expect(await rowsIn(page)).toEqual(['still here']);
  await page.getByLabel('Sign-in link or token').fill(await linkBy(operator));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => page.locator('.banner').count()).toBe(0);
});

it('eight tabs share one stream, and none of them hangs', async (context) => {
  const { page, url, send } = await visit(context);
  const streams = new Set<string>();
  page.context().on('request', (request) => {
    if (request.url().includes('/api/events')) streams.add(request.url());
  });
  const tabs = [page];
  for (let tab = 1; tab < 8; tab += 1) tabs.push(await page.context().newPage());
  for (const tab of tabs) await tab.goto(`${url}/#/work`);
  await Promise.all(tabs.map((tab) => tab.getByRole('heading', { name: 'Work' }).waitFor()));
  await send({ to: '@react', title: 'seen by all' });
  for (const tab of tabs) {
    await tab.bringToFront();
    await expect.poll(() => rowsIn(tab)).toEqual(['seen by all']);
  }
  // The tab that listens is closed: another one goes on.
  await page.close();
  await send({ to: '@react', title: 'later' });
  const [, second] = tabs;
  await second?.bringToFront();
  await expect.poll(() => rowsIn(second as never)).toEqual(['later', 'seen by all']);
  await expect.poll(() => second?.locator('.line').textContent()).toContain('live');
  expect(streams.size).toBeLessThanOrEqual(3);
});
