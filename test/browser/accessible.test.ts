import { AxeBuilder } from '@axe-core/playwright';
import { expect, it } from 'vitest';
import { visit, withBrowser } from './visitor.ts';

withBrowser();

const PAGES = [
  'attention',
  'work?q=',
  'work?view=board&q=',
  'work?view=timeline',
  'agents',
  'flows',
  'metrics',
  'settings',
];

/** Between light and dark only colors differ. */
const RULES = { light: null, dark: ['color-contrast'] } as const;

it('axe finds nothing serious on any page, in light and in dark', async (context) => {
  const { page, url, send, move, troubles } = await visit(context, { window: { colorScheme: 'light' } });
  const id = await send({ to: '@react', title: 'One', task: 'T-1', priority: 'urgent' });
  const bad = await send({ to: '@react', title: 'Two', retry: { max: 0 }, parent: id });
  await move('@react', bad, 'accept');
  await move('@react', bad, 'fail', { code: 'PROCESSING_ERROR', message: 'broke' });
  const asking = await send({ to: '@react', title: 'Three' });
  await move('@react', asking, 'accept');
  await move('@react', asking, 'block', { question: 'red or blue?' });
  const review = await send({ to: '@react', title: 'Four', criteria: ['it is clear'], verifiers: ['@vera'] });
  await move('@react', review, 'accept');
  await move('@react', review, 'deliver');
  const tabs = ['evidence', 'timeline', 'data', 'chain'].map((tab) => `handoffs/${bad}?tab=${tab}`);
  for (const name of [...PAGES, `handoffs/${bad}`, `handoffs/${review}`, ...tabs, 'inbox/@lead']) {
    await page.goto(`${url}/#/${name}`);
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
    await expect.poll(() => page.locator('main').textContent()).not.toContain('One moment');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // Nothing here is in a frame of another origin, so no second page is needed to put the results together.
      const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
      const rules = RULES[colorScheme];
      const { violations } = await (rules === null ? axe : axe.withRules([...rules])).analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      const told = serious.map(({ id: rule, nodes }) => `${name} in ${colorScheme}: ${rule} ${nodes[0]?.html ?? ''}`);
      expect(told).toEqual([]);
    }
  }
  expect(troubles).toEqual([]);
});

it('a phone shows everything without scrolling the page sideways, and the first item near the top', async (context) => {
  const { page, url, send, move } = await visit(context, { window: { viewport: { width: 360, height: 740 } } });
  const asking = await send({ to: '@react', title: 'Which one' });
  await move('@react', asking, 'accept');
  await move('@react', asking, 'block', { question: 'red or blue?' });
  const id = await send({ to: '@react', title: `A${'very'.repeat(40)} long title`, input: { text: 'x'.repeat(500) } });
  for (const name of [...PAGES, `handoffs/${id}`]) {
    await page.goto(`${url}/#/${name}`);
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
    await expect.poll(() => page.locator('main').textContent()).not.toContain('One moment');
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect([name, overflow]).toEqual([name, 0]);
    if (name !== 'attention' && name !== 'work?q=') continue;
    const first = page.locator('[data-row]').first();
    await first.waitFor();
    expect([name, ((await first.boundingBox())?.y ?? 999) <= 180]).toEqual([name, true]);
  }
});
