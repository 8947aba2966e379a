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

it('a flow is drawn with its phases as columns, folds tasks that are alike, and marks the longest wait', async (context) => {
  const { page, url, ask, tokenFor, troubles } = await visit(context, { configuration: 'project: shop\n' });
  const token = await tokenFor(null);
  const block = (phase: string, task: string, needs: readonly string[], status: string): string =>
    `\`\`\`yaml\nhandoff:\n  phase: "${phase}"\n  from: "@lead"\n  to: "@${task}-doer"\n  status: "${status}"\n` +
    `  dependencies: [${needs.map((each) => `"${each}"`).join(', ')}]\n  context:\n    task: "${task}"\n\`\`\`\n`;
  const many = ['task-2.1', 'task-2.2', 'task-2.3', 'task-2.4', 'task-2.5'];
  const blocks = [
    block('Planning', 'task-1', [], 'in_progress'),
    ...many.map((task) => block('Implementation', task, ['task-1'], 'in_progress')),
    block('Testing', 'task-3', many, 'in_progress'),
  ];
  for (const [turn, text] of blocks.entries()) {
    await ask('POST', '/api/summaries', { token, body: { text, session: 's', turn: String(turn) } });
  }
  await page.goto(`${url}/#/flows`);
  const graph = page.getByRole('region', { name: 'Tasks of shop' });
  await expect.poll(() => graph.locator('.leg-title').allTextContents()).toEqual(['task-1', '5 tasks', 'task-3']);
  expect(await graph.locator('.column-name').allTextContents()).toEqual(['Planning', 'Implementation', 'Testing']);
  expect(await graph.locator('.edge.critical').count()).toBe(2);
  expect(await graph.textContent()).toContain('Longest wait: task-1 → task-2.1 → task-3');
  await graph.getByText('5 tasks').click();
  await expect.poll(() => graph.locator('.leg-title').count()).toBe(7);
  expect(troubles).toEqual([]);
});
