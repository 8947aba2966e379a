/** A day of an operator, with keys alone. */
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { rowsIn, visit, withBrowser } from './visitor.ts';

withBrowser();

/** These run in the page, whose types this project does not have. */
const nameOf = (element: unknown): string => {
  const at = element as {
    getAttribute(name: string): string | null;
    textContent: string | null;
    labels?: ArrayLike<{ textContent: string | null }>;
  };
  return (at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? '').trim();
};

/** Opens a handoff by the palette of commands, from wherever somebody is. */
async function open(page: Page, id: string, title: RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect.poll(() => page.locator(':focus').evaluate(nameOf)).toBe('Find or do something');
  await page.keyboard.type(id);
  await expect.poll(() => page.getByRole('option', { name: title }).count()).toBeGreaterThan(0);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain(id);
  await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('main');
}

/** Goes on with Tab until what has the focus is called so. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 80; step += 1) {
    if (
      name.test(
        await page
          .locator(':focus')
          .evaluate(nameOf)
          .catch(() => ''),
      )
    )
      return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`nothing called ${String(name)} gets the focus`);
}

it('answers, reviews, requests changes, retries with corrected input, reassigns, revokes a token and reads a flow', async (context) => {
  const { page, ctx, send, move, ask, tokenFor, troubles } = await visit(context, {
    configuration: 'project: shop\n',
  });
  const operator = await tokenFor(null);
  const asking = await send({ to: '@react', title: 'Which colour' });
  await move('@react', asking, 'accept');
  await move('@react', asking, 'block', { question: 'red or blue?' });
  const text = await send({
    to: '@writer',
    title: 'Guide',
    criteria: ['it is clear', 'it is short'],
    verifiers: ['@vera'],
  });
  await move('@writer', text, 'accept');
  await move('@writer', text, 'deliver', { result: 'two pages' });
  const broken = await send({ to: '@react', title: 'Deploy', input: { target: 'stagin' }, retry: { max: 0 } });
  await move('@react', broken, 'accept');
  await move('@react', broken, 'fail', { code: 'PROCESSING_ERROR', message: 'no such target' });
  const other = await send({ to: '@react', title: 'For somebody else' });
  const made = (await ask('POST', '/api/tokens', { token: operator, body: { agent: 'old' } })).json as { id: string };
  const block = '```yaml\nhandoff:\n  phase: "Testing"\n  from: "@tester"\n  to: "@fixer"\n  status: "complete"\n```\n';
  await ask('POST', '/api/summaries', { token: operator, body: { text: block, session: 's', turn: '1' } });

  // Whoever touches a pointer is found out.
  await page.evaluate(
    "for (const kind of ['pointerdown', 'mousedown', 'touchstart']) addEventListener(kind, () => (globalThis.pointed = true), true)",
  );

  // Past the rail.
  const address = page.url();
  await page.keyboard.press('Tab');
  await expect.poll(() => page.locator(':focus').evaluate(nameOf)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('main');
  expect(page.url()).toBe(address);

  // Answer.
  const questions = page.getByRole('region', { name: 'Questions' });
  await expect.poll(() => questions.textContent()).toContain('red or blue?');
  await page.keyboard.press('j');
  await tabTo(page, /^Answer to Which colour/);
  await page.keyboard.type('blue');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await ctx.store.load(asking as never))?.handoff.state).toBe('offered');

  // Review: a letter in a field goes nowhere else, and nothing is ticked before.
  await open(page, text, /Guide/);
  const review = page.getByRole('region', { name: 'Review' });
  await review.waitFor();
  const approve = review.getByRole('button', { name: 'Approve' });
  await expect.poll(() => review.getByRole('radio', { checked: true }).count()).toBe(0);
  expect(await approve.isDisabled()).toBe(true);
  await tabTo(page, /^Met$/);
  await page.keyboard.press('Space');
  expect(await approve.isDisabled()).toBe(true);
  await page.keyboard.press('Tab');
  await tabTo(page, /^Met$/);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => review.getByRole('radio', { name: 'Not met', checked: true }).count()).toBe(1);
  expect(await approve.isDisabled()).toBe(true);
  await tabTo(page, /^How you know: it is short/);
  await page.keyboard.type('j k n ? eleven pages');
  await tabTo(page, /^Request changes/);
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await ctx.store.load(text as never))?.handoff.state).toBe('accepted');
  await expect
    .poll(() => page.locator('.timeline').textContent())
    .toContain('not met: it is short (j k n ? eleven pages)');

  // Retry with corrected input, pressed twice: one new handoff, and the old one says which.
  await open(page, broken, /Deploy/);
  await tabTo(page, /^Retry/);
  await page.keyboard.press('Enter');
  const input = page.getByRole('textbox', { name: 'Input' });
  await expect.poll(() => input.inputValue()).toContain('stagin');
  await tabTo(page, /^Input/);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{"target": "staging"}');
  await page.keyboard.press('Tab');
  await tabTo(page, /^Retry$/);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).not.toContain(broken);
  await expect.poll(() => page.locator('pre').first().textContent()).toContain('staging');
  await open(page, broken, /Deploy/);
  await expect.poll(() => page.locator('.facts').textContent()).toContain('Retried as');
  const { items: retries } = await ctx.store.find({ by: 'chain', root: broken as never, max: 10 });
  expect(retries).toHaveLength(2);

  // Reassign.
  await open(page, other, /For somebody else/);
  await tabTo(page, /^More$/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^Reassign$/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^To another agent/);
  await page.keyboard.type('@vue');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.head').textContent()).toContain('@vue');

  // Revoke a token, read a flow, and see the keys.
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await tabTo(page, new RegExp(`^Revoke ${made.id}`));
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await ctx.store.tokens.byIds([made.id]))[0]?.revokedAt).not.toBeNull();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await expect.poll(() => page.locator('main').textContent()).toContain('Testing');
  await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('main');
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  expect(page.url()).toContain('/flows');
  await page.keyboard.press('Escape');
  expect(await page.evaluate('globalThis.pointed')).toBeUndefined();
  expect(troubles).toEqual([]);
});

it('is told when nothing needs anybody, and puts away what can wait', async (context) => {
  const { page, send, move } = await visit(context);
  await expect.poll(() => page.locator('main').textContent()).toContain('Nothing needs you');
  const id = await send({ to: '@react', title: 'Broken', retry: { max: 0 } });
  await move('@react', id, 'accept');
  await move('@react', id, 'fail', { code: 'PROCESSING_ERROR', message: 'no' });
  const bad = page.getByRole('region', { name: 'Failed' });
  await expect.poll(() => bad.textContent()).toContain('PROCESSING_ERROR no');
  expect(
    await page
      .getByRole('link', { name: /Attention/ })
      .first()
      .textContent(),
  ).toContain('1');
  await bad.getByRole('button', { name: 'Dismiss' }).click();
  await expect.poll(() => page.locator('main').textContent()).toContain('Nothing needs you');
  await expect.poll(() => page.locator('.bar').textContent()).toContain('1 dismissed');
});

it('an agent signs in with its token, and takes, answers and delivers what is its own', async (context) => {
  const { page, url, ctx, send, tokenFor } = await visit(context);
  const own = await send({ to: '@react', title: 'For me' });
  await send({ to: '@vue', title: 'For others' });
  await page.goto(`${url}/#/settings`);
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Sign-in link or token').fill(await tokenFor('@react'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => page.locator('main').textContent()).toContain('you are @react');
  await page.goto(`${url}/#/work`);
  await expect.poll(() => rowsIn(page)).toEqual(['For me']);
  await page.goto(`${url}/#/handoffs/${own}`);
  const actions = page.getByRole('group', { name: 'Actions' });
  await actions.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
  await actions.getByRole('button', { name: 'Deliver' }).click();
  await page.getByLabel('Result').fill('done by hand');
  await page.getByRole('dialog').getByRole('button', { name: 'Deliver' }).click();
  await expect.poll(async () => (await ctx.store.load(own as never))?.handoff.state).toBe('completed');
  const facts = await ctx.store.facts({ handoff: own as never, max: 10 });
  expect(facts.map(({ fact }) => `${fact.deed} ${fact.by}`)).toEqual(
    expect.arrayContaining(['accept @react', 'deliver @react']),
  );
});
