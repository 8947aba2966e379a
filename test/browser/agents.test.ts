import { expect, it } from 'vitest';
import { newSession } from '../contract/suite/agent-sessions.ts';
import { visit, withBrowser } from './visitor.ts';

withBrowser();

it('X9, X10: running agents are shown with their context; one is handed over by its button, and the error is told', async (context) => {
  const { page, url, ctx, troubles } = await visit(context);
  const use = { percent: 82, usedTokens: 137_000, windowTokens: 200_000, limitPercent: null, at: 1, wasBelow: true };
  const { id } = await ctx.store.agents.add(newSession('a', { place: 'elsewhere', context: use }));
  await page.goto(`${url}/#/agents`);
  const row = page.getByRole('row', { name: `agent ${id}` });
  await expect.poll(() => row.textContent()).toContain('82% hand off now');
  await row.getByRole('button', { name: `Hand off agent ${id}` }).click();
  await row.getByLabel('Reason').selectOption('context_limit');
  await row.getByLabel('What to mention').fill('the failing test');
  await row.getByRole('button', { name: 'Hand off', exact: true }).click();
  await expect
    .poll(async () => (await ctx.store.agents.load(id))?.succession)
    .toMatchObject({
      reason: 'context_limit',
      context: 'the failing test',
    });
  await expect.poll(() => row.textContent()).toContain('1 of 10, next: instructed');
  // The server of another place would drive it; here it is ended as a failure is.
  const session = await ctx.store.agents.load(id);
  if (session === null || session.succession === null) throw new Error('it is under way');
  const { handoff } = session.succession;
  const error = { code: 'file_not_found', says: 'no document; try again' };
  await ctx.store.agents.replace({ ...session, succession: null, lastSuccession: { handoff, at: 1, error } });
  await expect.poll(() => row.textContent()).toContain('file_not_found no document; try again');
  expect(troubles).toEqual([]);
});
