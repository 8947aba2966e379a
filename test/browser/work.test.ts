import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATOR } from '../../src/domain/principal.ts';
import { sendMany } from '../../src/engine/handoffs/send.ts';
import { rowsIn, titlesIn, visit, withBrowser } from './visitor.ts';

withBrowser();

/** Runs in the page. */
const submitAndGoOn = (element: unknown, text: string): void => {
  const field = element as { value: string; form: { requestSubmit(): void } };
  field.form.requestSubmit();
  field.value = text;
};

describe('coming in', () => {
  it('the link works once, and the cookie is out of reach of scripts', async (context) => {
    const { page, link, url } = await visit(context);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    const other = await page.context().browser()?.newContext();
    const stranger = await other?.newPage();
    await stranger?.goto(link);
    await expect.poll(() => stranger?.locator('#says').textContent()).toContain('was used');
    await stranger?.goto(url);
    await expect.poll(() => stranger?.locator('main').textContent()).toContain('not signed in');
    await other?.close();
  });
});

describe('work', () => {
  it('moves by itself on the board, from being sent to being done', async (context) => {
    const { page, url, send, move, troubles } = await visit(context);
    await page.goto(`${url}/#/work?view=board&q=`);
    const id = await send({ to: '@react', title: 'Watch me' });
    await expect.poll(() => titlesIn(page, 'Waiting')).toEqual(['Watch me']);
    await move('@react', id, 'accept');
    await expect.poll(() => titlesIn(page, 'At work')).toEqual(['Watch me']);
    await expect.poll(() => titlesIn(page, 'Waiting')).toEqual([]);
    await move('@react', id, 'deliver', { result: { ok: true } });
    await expect.poll(() => titlesIn(page, 'Closed')).toEqual(['Watch me']);
    expect(troubles).toEqual([]);
  });

  it('is counted by the server, and one request shows the first of many', async (context) => {
    const { page, url, ctx } = await visit(context);
    const requests = Array.from({ length: 230 }, (_, n) => ({
      from: 'lead' as never,
      to: 'react' as never,
      input: { n },
      title: `number ${n}`,
    }));
    await sendMany(ctx, OPERATOR, requests);
    const lists: string[] = [];
    page.on('request', (request) => {
      if (/\/api\/handoffs\?.*limit=\d{2}/.test(request.url())) lists.push(request.url());
    });
    await page.goto(`${url}/#/work`);
    await expect.poll(async () => (await rowsIn(page)).length).toBe(100);
    // One page is enough to begin with; nobody turns all of them.
    expect(lists.filter((path) => path.includes('after='))).toEqual([]);
    await expect.poll(() => page.locator('.bar').textContent()).toContain('230 handoffs');
    await expect.poll(() => page.locator('.more-line').textContent()).toContain('100 of 230 shown');
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(async () => (await rowsIn(page)).length).toBe(230);
    await page.goto(`${url}/#/work?view=board`);
    const waiting = page.getByRole('region', { name: 'Waiting', exact: true });
    await expect.poll(() => waiting.locator('h2').textContent()).toBe('Waiting 230');
    await expect.poll(() => page.getByRole('group', { name: 'Pulse' }).textContent()).toContain('230 waiting');
  });

  it('is filtered by words, by id and by agent; a plain address opens a handoff', async (context) => {
    const { page, url, send } = await visit(context);
    const id = await send({ to: '@docs', title: 'Describe the storm' });
    await send({ to: '@react', title: 'Build a rainbow', priority: 'urgent' });
    await page.goto(`${url}/#/work`);
    const filter = page.getByLabel('Filter work');
    for (const [text, found] of [
      ['agent:@docs', 'Describe the storm'],
      ['@docs', 'Describe the storm'],
      [id, 'Describe the storm'],
      ['rainbow', 'Build a rainbow'],
      ['state:waiting priority:urgent age:<1h', 'Build a rainbow'],
    ]) {
      await filter.fill(text ?? '');
      await filter.press('Enter');
      await expect.poll(() => rowsIn(page)).toEqual([found]);
    }
    // What is typed right after Enter, before the page follows it, stays in the field, which keeps the focus.
    await filter.fill('describe');
    await filter.evaluate(submitAndGoOn, 'age:old');
    await expect.poll(() => rowsIn(page)).toEqual(['Describe the storm']);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.problem').textContent()).toContain('like age:>1h');
    await page.goto(`${url}/handoffs/${id}`);
    await expect.poll(() => page.locator('h1').textContent()).toBe('Describe the storm');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy id' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(id);
  });

  it('that fails says so: the failure, the attempt and the next one stand on its card and in its row', async (context) => {
    const { page, url, send, move } = await visit(context);
    const id = await send({ to: '@react', title: 'Shaky', retry: { max: 2, delaySeconds: 3_000 } });
    await page.goto(`${url}/#/work?view=board`);
    await expect.poll(() => titlesIn(page, 'Waiting')).toEqual(['Shaky']);
    await move('@react', id, 'accept');
    await move('@react', id, 'fail', { code: 'PROCESSING_ERROR', message: 'disk full' });
    const card = page.locator('.card');
    await expect
      .poll(() => card.textContent())
      .toMatch(/PROCESSING_ERROR disk full attempt 1 of 3 failed; Baton tries again in \d+ min/);
    await page.goto(`${url}/#/work`);
    await expect.poll(() => page.locator('.work tbody').textContent()).toContain('PROCESSING_ERROR disk full');
    await expect.poll(() => page.locator('.work [data-name=attempt]').textContent()).toBe('1/3');
    await expect.poll(() => page.getByRole('group', { name: 'Pulse' }).textContent()).toContain('1 retrying');
  });

  it('holds still under the pointer, and bad news is one note that can be dismissed', async (context) => {
    const { page, url, send, move } = await visit(context);
    await send({ to: '@react', title: 'first' });
    await page.goto(`${url}/#/work`);
    await expect.poll(() => rowsIn(page)).toEqual(['first']);
    await page.locator('.work').hover();
    const bad = [await send({ to: '@react', title: 'second' }), await send({ to: '@react', title: 'third' })];
    await expect.poll(() => page.locator('main').textContent()).toContain('2 new');
    expect(await rowsIn(page)).toEqual(['first']);
    await page.locator('h1').hover();
    await expect.poll(() => rowsIn(page)).toEqual(['third', 'second', 'first']);
    for (const id of bad) await move('@react', id, 'reject', { type: 'skill_gap', reason: 'no' });
    const notes = page.getByRole('log', { name: 'Notifications' });
    await expect.poll(() => notes.textContent()).toContain('third was rejected and 1 more');
    await expect.poll(() => notes.locator('.toast').count()).toBe(1);
    await notes.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => notes.locator('.toast').count()).toBe(0);
  });

  it('that could not be understood waits on the first page, with the reason', async (context) => {
    const { page, folder, troubles } = await visit(context);
    const quarantine = join(folder, 'handoffs', 'quarantine');
    mkdirSync(quarantine, { recursive: true });
    writeFileSync(join(quarantine, 'broken.json'), '{');
    writeFileSync(join(quarantine, 'broken.json.reason.txt'), '1:2: the object is not closed');
    await page.reload();
    const shelf = page.getByRole('region', { name: 'Quarantine' });
    await expect.poll(() => shelf.textContent()).toContain('the object is not closed');
    expect(troubles).toEqual([]);
  });

  it('is given to others, or ended, several at once', async (context) => {
    const { page, url, ctx, send } = await visit(context);
    for (const title of ['one', 'two', 'three']) await send({ to: '@react', title });
    await page.goto(`${url}/#/work`);
    await page.getByLabel('Select one').check();
    await page.getByLabel('Select two').check();
    await page.getByRole('button', { name: 'Reassign or reprioritise…' }).click();
    await page.getByLabel('To another agent').fill('@vue');
    await page.getByLabel('Priority').selectOption('high');
    await page.getByRole('button', { name: 'Reassign', exact: true }).click();
    await expect.poll(() => page.locator('.work tbody').textContent()).toContain('@lead → @vue');
    const given = async (): Promise<unknown> =>
      (await ctx.store.find({ by: 'filter', to: 'vue' as never, max: 10 })).items.map(({ title, priority }) => [
        title,
        priority,
      ]);
    await expect.poll(given).toEqual([
      ['one', 'high'],
      ['two', 'high'],
    ]);
    // The store has both before the list shows them, and only shown rows are selected.
    const shown = async (): Promise<number> => (await page.locator('.work td.way', { hasText: '@vue' }).all()).length;
    await expect.poll(shown).toBe(2);
    await page.getByLabel('Select all shown').check();
    await page.getByRole('group', { name: 'Selected' }).getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => page.locator('main').textContent()).toContain('Nothing matches');
    await expect.poll(() => ctx.store.count({})).toEqual({ cancelled: 5 });
  });
});
