import { describe, expect, it } from 'vitest';
import { titlesIn, visit, withBrowser } from './visitor.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

withBrowser();

/** These run in the page, whose types this project does not have. */
interface Scrolls {
  readonly scrollHeight: number;
  scrollTo(x: number, y: number): void;
}
const scrollToEnd = (element: unknown): void => (element as Scrolls).scrollTo(0, (element as Scrolls).scrollHeight);
const scrollToStart = (element: unknown): void => (element as Scrolls).scrollTo(0, 0);

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
    await expect.poll(() => stranger?.locator('main').textContent()).toContain('not logged in');
    await other?.close();
  });
});

/** What of a card or of its agents, tags and age is drawn outside of the card. */
const cutIn = (given: readonly unknown[]): readonly string[] =>
  (given as readonly Card[]).flatMap((card) => {
    const { bottom, right } = card.getBoundingClientRect();
    return [...card.querySelectorAll('.card-way > span, .card-foot > *')]
      .map((part) => ({ part, box: part.getBoundingClientRect() }))
      .filter(({ box }) => box.bottom > bottom || box.right > right)
      .map(({ part }) => part.textContent);
  });
interface Card {
  readonly textContent: string;
  getBoundingClientRect(): { readonly bottom: number; readonly right: number };
  querySelectorAll(selector: string): Iterable<Card>;
}

describe('the board', () => {
  it.for([1280, 390])('cuts neither agents nor age at %i pixels', async (width, context) => {
    const { page, send, move } = await visit(context, { window: { viewport: { width, height: 900 } } });
    const agents = { from: '@operations-of-the-north', to: '@linter-of-everything' };
    const title = 'Words enough for two lines and for more than two';
    await send({ ...agents, title, priority: 'urgent', task: 'TASK-2026-0001' });
    const id = await send({ ...agents, title, priority: 'urgent', task: 'TASK-2026-0001' });
    await move(null, id, 'cancel', { reason: 'enough' });
    await expect.poll(() => titlesIn(page, 'Offered')).toEqual([title]);
    await expect.poll(() => titlesIn(page, 'Ended otherwise')).toEqual([title]);
    expect(await page.locator('.card').evaluateAll(cutIn)).toEqual([]);
    expect(await page.locator('.card-way').first().getAttribute('title')).toBe(`${agents.from} → ${agents.to}`);
  });

  it('opens on a phone on the first column that has something', async (context) => {
    const { page, send, move } = await visit(context, { window: { viewport: { width: 390, height: 800 } } });
    const done = await send({ to: '@react', title: 'Over' });
    await move(null, done, 'cancel', { reason: 'enough' });
    const id = await send({ to: '@react', title: 'At work' });
    await move('@react', id, 'accept');
    await page.reload();
    const leftOf = async (name: string): Promise<number> =>
      Math.round((await page.getByRole('region', { name, exact: true }).boundingBox())?.x ?? -1);
    await expect.poll(() => leftOf('Accepted')).toBe(12);
  });

  it('moves by itself, from being sent to being done', async (context) => {
    const { page, send, move, troubles } = await visit(context);
    await expect.poll(() => page.locator('.teach').textContent()).toContain('No handoff yet');
    const id = await send({ to: '@react', title: 'Watch me' });
    await expect.poll(() => titlesIn(page, 'Offered')).toEqual(['Watch me']);
    await move('@react', id, 'accept');
    await expect.poll(() => titlesIn(page, 'Accepted')).toEqual(['Watch me']);
    expect(await titlesIn(page, 'Offered')).toEqual([]);
    await move('@react', id, 'deliver', { result: { ok: true } });
    await expect.poll(() => titlesIn(page, 'Completed')).toEqual(['Watch me']);
    expect(troubles).toEqual([]);
  });

  it('Q12: shows what is offered in the order in which it will be taken', async (context) => {
    const { page, send } = await visit(context);
    for (const priority of ['low', 'normal', 'urgent']) await send({ to: '@react', title: priority, priority });
    await expect.poll(() => titlesIn(page, 'Offered')).toEqual(['urgent', 'normal', 'low']);
  });

  it('filters by agent, finds words, and is gone through with keys', async (context) => {
    const { page, send } = await visit(context);
    await send({ to: '@react', title: 'Build a rainbow' });
    await send({ to: '@docs', title: 'Describe the storm' });
    await expect.poll(async () => (await titlesIn(page, 'Offered')).length).toBe(2);
    await page.getByLabel('Agent').selectOption('@docs');
    await expect.poll(() => titlesIn(page, 'Offered')).toEqual(['Describe the storm']);
    await page.keyboard.press('Escape');
    await page.locator('h1').click();
    await page.keyboard.press('/');
    await page.keyboard.type('rainbow');
    await page.keyboard.press('Enter');
    await expect.poll(() => titlesIn(page, 'Offered')).toEqual(['Build a rainbow']);
    await page.locator('h1').click();
    await page.keyboard.press('m');
    await page.getByRole('heading', { name: 'Metrics' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Board' }).waitFor();
  });

  it('draws only what can be seen, however many there are', async (context) => {
    const { page, ctx, send } = await visit(context);
    const count = campaignSize('BATON_BOARD_COUNT');
    const { sendMany } = await import('../../src/engine/handoffs/send.ts');
    const { OPERATOR } = await import('../../src/domain/principal.ts');
    const requests = Array.from({ length: count }, (_, n) => ({
      from: 'lead' as never,
      to: 'react' as never,
      input: { n },
      title: `number ${n}`,
    }));
    for (let at = 0; at < count; at += 500) await sendMany(ctx, OPERATOR, requests.slice(at, at + 500));
    await page.reload();
    const offered = page.getByRole('region', { name: 'Offered', exact: true });
    await expect.poll(() => offered.locator('.count').textContent(), { timeout: 30_000 }).toBe(String(count));
    expect(await page.locator('.card').count()).toBeLessThan(60);
    const list = offered.getByRole('region');
    const above = await titlesIn(page, 'Offered');
    await list.evaluate(scrollToEnd);
    await expect
      .poll(async () => (await titlesIn(page, 'Offered')).filter((title) => above.includes(title)))
      .toEqual([]);
    expect(await titlesIn(page, 'Offered')).not.toEqual([]);
    expect(await page.locator('.card').count()).toBeLessThan(60);
    await send({ to: '@react', title: 'the newest', priority: 'urgent' });
    await list.evaluate(scrollToStart);
    await expect.poll(() => titlesIn(page, 'Offered')).toContain('the newest');
  });

  it('I17: a server that starts again is found again, and nothing was missed', async (context) => {
    const first = await visit(context);
    await first.send({ to: '@react', title: 'before' });
    await expect.poll(() => titlesIn(first.page, 'Offered')).toEqual(['before']);
    const { folder, port } = first;
    await first.stop();
    await expect.poll(() => first.page.locator('.line').textContent()).toContain('lost');
    const { served } = await import('../http/served.ts');
    const second = await served({ folder, port });
    const token = await second.tokenFor(null);
    await second.ask('POST', '/api/handoffs', { token, body: { from: '@lead', to: '@react', title: 'while away' } });
    // Sessions end with their server: the browser comes in again with a new link.
    await first.page.goto(second.link);
    await expect.poll(() => titlesIn(first.page, 'Offered'), { timeout: 15_000 }).toEqual(['before', 'while away']);
  });
});
