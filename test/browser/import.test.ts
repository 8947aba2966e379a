import { AxeBuilder } from '@axe-core/playwright';
import { describe, expect, it } from 'vitest';
import { blockOf } from '../engine/summaries/summary-world.ts';
import { titlesIn, visit, withBrowser } from './visitor.ts';

withBrowser();

const OLD =
  '# Handoff: water the beds\n\n**From:** Ivy\n**To:** @basil\n**Status:** open\n**Created:** March 4, 2026\n';

describe('importing', () => {
  it('S4, D14: what is pasted and what is chosen is read, answered and seen on the board, once', async (context) => {
    const { page, url, ctx, troubles } = await visit(context);
    await page.goto(`${url}/#/work?view=board&q=`);
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import' });
    await dialog
      .getByLabel('Text', { exact: true })
      .fill(blockOf({ to: '@planning', phase: 'x<img src=x onerror=alert(1)>' }));
    await dialog.getByLabel('Project').fill('garden');
    const file = (name: string, text: string): object => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    const files = [
      file('handoff-water.md', OLD),
      file(
        'done.json',
        JSON.stringify({ handoff_id: 'h-1', from: 'ivy', to: 'basil', status: 'done', date: '2026-01-01' }),
      ),
      file('prose.md', 'Nothing to do here.\n'),
      file('broken.md', '```yaml\nhandoff: [&a [*a,*a]]\n```\n'),
    ];
    await dialog.getByLabel('Files').setInputFiles(files as never);
    await dialog.getByRole('button', { name: 'Preview' }).click();
    const fates = async (): Promise<readonly unknown[]> => {
      const items = await dialog.locator('[data-fate]').all();
      return Promise.all(items.map((item) => item.getAttribute('data-fate')));
    };
    await expect.poll(fates).toEqual(['ready', 'ready', 'ready', 'nothing', 'invalid']);
    expect(await ctx.store.count({})).toEqual({});
    await dialog.getByRole('button', { name: 'Take 3' }).click();
    await expect.poll(fates).toEqual(['done', 'done', 'done', 'nothing', 'invalid']);
    const told = await dialog.getByRole('status').textContent();
    expect(told).toContain('"x<img src=x onerror=alert(1)>" is not a phase');
    expect(told).toMatch(/Line 3: offered @ivy → @basil leg-\w+/);
    expect(told).toContain('recorded @ivy → @basil');
    const { violations } = await new AxeBuilder({ page }).include('dialog[open]').analyze();
    expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html ?? ''}`)).toEqual([]);
    // The same content under another name is the same.
    await dialog.getByLabel('Files').setInputFiles([file('renamed.md', OLD)] as never);
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await expect.poll(fates).toEqual(['known', 'known']);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => titlesIn(page, 'Waiting')).toContain('Handoff: water the beds');
    expect(troubles).toEqual([]);
  });

  it('files are dropped too, and one that is too large is named without being sent', async (context) => {
    const { page, url, troubles } = await visit(context);
    await page.goto(`${url}/#/work`);
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import' });
    const dropped = await page.evaluateHandle(
      `(() => {
        const all = new DataTransfer();
        all.items.add(new File([${JSON.stringify(OLD)}], 'dropped.md'));
        all.items.add(new File(['x'.repeat(1_000_001)], 'large.md'));
        return all;
      })()`,
    );
    await dialog.locator('form').dispatchEvent('drop', { dataTransfer: dropped });
    await expect.poll(() => dialog.textContent()).toContain('dropped.md, large.md');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await expect.poll(() => dialog.getByRole('status').textContent()).toContain('it is larger than what is read here');
    await expect.poll(() => dialog.locator('[data-fate=ready]').count()).toBe(1);
    expect(troubles).toEqual([]);
  });
});
