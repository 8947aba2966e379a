import { AxeBuilder } from '@axe-core/playwright';
import { describe, expect, it } from 'vitest';
import { visit, withBrowser } from './visitor.ts';

withBrowser();

const PAGES = ['board', 'workflows', 'agents', 'metrics', 'problems'] as const;

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('axe finds nothing serious on any page', async (context) => {
    const { page, url, send, move, troubles } = await visit(context, { window: { colorScheme } });
    const id = await send({ to: '@react', title: 'One', task: 'T-1', priority: 'urgent' });
    const bad = await send({ to: '@react', title: 'Two', retry: { max: 0 }, parent: id });
    await move('@react', bad, 'accept');
    await move('@react', bad, 'fail', { code: 'PROCESSING_ERROR', message: 'broke' });
    for (const name of [...PAGES, `handoffs/${bad}`, 'inbox/@lead']) {
      await page.goto(`${url}/#/${name}`);
      await expect.poll(() => page.locator('main').textContent()).not.toContain('One moment');
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      const told = serious.map(({ id: rule, nodes }) => `${name}: ${rule} ${nodes[0]?.html ?? ''}`);
      expect(told).toEqual([]);
    }
    expect(troubles).toEqual([]);
  });
});

it('a phone shows everything without scrolling the page sideways', async (context) => {
  const { page, url, send } = await visit(context, { window: { viewport: { width: 390, height: 800 } } });
  const id = await send({ to: '@react', title: `A${'very'.repeat(40)} long title`, input: { text: 'x'.repeat(500) } });
  for (const name of [...PAGES, `handoffs/${id}`]) {
    await page.goto(`${url}/#/${name}`);
    await expect.poll(() => page.locator('main').textContent()).not.toContain('One moment');
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect([name, overflow]).toEqual([name, 0]);
  }
});
