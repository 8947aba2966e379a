import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { visit, withBrowser } from './visitor.ts';

withBrowser();

/** These run in the page, whose types this project does not have. */
const hrefsOf = (all: readonly unknown[]): readonly (string | null)[] =>
  all.map((each) => (each as { getAttribute(name: string): string | null }).getAttribute('href'));
const submit = (form: unknown): void => (form as { submit(): void }).submit();

const HOSTILE = [
  '# Read me',
  '<script>alert(1)</script> <img src=x onerror=alert(2)>',
  '[click](javascript:alert(3)) [fine](https://example.org/a)',
  '![secret](https://evil.example/?q=1)',
  'hidden:\u202e\u200b\u{e0041}.',
  '| a | b |\n|---|---|\n| 1 | 2 |',
].join('\n\n');

describe('the page of a handoff', () => {
  it('shows what agents wrote as data: no script, no picture, no link but a plain one', async (context) => {
    const { page, url, send, troubles } = await visit(context);
    const title = '<img src=x onerror=alert(1)>" onmouseover="alert(2)';
    const id = await send({ to: '@docs', title, input: HOSTILE });
    await page.goto(`${url}/#/handoffs/${id}`);
    await expect.poll(() => page.locator('h1').textContent()).toContain(title);
    const text = page.locator('.markdown');
    await text.getByRole('heading', { name: 'Read me', level: 3 }).waitFor();
    expect(await page.locator('h1').allTextContents()).toHaveLength(1);
    await expect.poll(() => text.textContent()).toContain('<script>alert(1)</script>');
    await expect.poll(() => text.textContent()).toContain('hidden_text');
    await expect.poll(() => text.locator('script, img, [onerror], iframe, object').count()).toBe(0);
    const links = await text.locator('a').evaluateAll(hrefsOf);
    expect(links).toEqual(['https://example.org/a']);
    expect(await text.locator('td').allTextContents()).toEqual(['1', '2']);
    expect(troubles).toEqual([]);
  });

  it('shows the one that was opened last, even if the answer for an earlier one comes later', async (context) => {
    const { page, url, send, troubles } = await visit(context);
    const slow = await send({ to: '@docs', title: 'Asked first' });
    const quick = await send({ to: '@docs', title: 'Asked last' });
    let letGo: () => unknown = () => undefined;
    await page.route(`**/api/handoffs/${slow}`, (route) => {
      letGo = () => route.continue();
    });
    const asked = page.waitForRequest(`**/api/handoffs/${slow}`);
    await page.goto(`${url}/#/handoffs/${slow}`);
    await asked;
    await page.goto(`${url}/#/handoffs/${quick}`);
    await expect.poll(() => page.locator('h1').textContent()).toBe('Asked last');
    const late = page.waitForResponse(`**/api/handoffs/${slow}`);
    await letGo();
    await (await late).finished();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await page.locator('.head h1').allTextContents()).toEqual(['Asked last']);
    expect(troubles).toEqual([]);
  });

  it('offers what its viewer may do, does it, and says why not', async (context) => {
    const { page, url, send, move, troubles } = await visit(context);
    const id = await send({ to: '@react', title: 'Break', retry: { max: 0 } });
    await move('@react', id, 'accept');
    await page.goto(`${url}/#/handoffs/${id}`);
    const actions = page.getByRole('group', { name: 'Actions' });
    await actions.getByText('More').click();
    await expect.poll(() => actions.getByRole('button').allTextContents()).toContain('Cancel');
    expect(await actions.getByRole('button').allTextContents()).not.toContain('Retry');
    await actions.getByRole('button', { name: 'Fail' }).click();
    await page.getByLabel('Code').fill('PROCESSING_ERROR');
    await page.getByLabel('Message').fill('it broke in two');
    await page.getByRole('dialog').getByRole('button', { name: 'Fail' }).click();
    await expect.poll(() => page.getByRole('region', { name: 'Failure' }).textContent()).toContain('it broke in two');
    await actions.getByRole('button', { name: 'Retry' }).click();
    // A second press while the first is under way makes no second one.
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).dblclick();
    // The retry is a new handoff, and its page opens.
    await expect.poll(() => page.url()).not.toContain(id);
    await expect.poll(() => page.locator('.facts').textContent()).toContain('Retry of');
    await expect.poll(() => page.locator('.chain a').count()).toBe(2);
    await page.goto(`${url}/#/handoffs/${id}`);
    await expect.poll(() => page.locator('.facts').textContent()).toContain('Retried as');
    expect(troubles).toEqual([]);
  });

  it('D7 D8: tells what is claimed from what somebody else agreed to', async (context) => {
    const { page, url, send, move } = await visit(context);
    const id = await send({
      to: '@writer',
      kind: 'document',
      title: 'Guide',
      deliverables: ['the guide'],
      criteria: ['it is clear'],
      verifiers: ['@vera'],
    });
    await move(null, id, 'activate');
    await move('@writer', id, 'accept', { notes: 'on it' });
    await page.goto(`${url}/#/handoffs/${id}`);
    const evidence = page.locator('.evidence');
    await expect.poll(() => evidence.first().textContent()).toContain('nothing shown');
    const shown = [{ deliverable: 'the guide', kind: 'note', value: 'two pages' }];
    await move('@writer', id, 'deliver', { evidence: shown });
    await expect.poll(() => evidence.first().textContent()).toContain('claimed');
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await expect.poll(() => page.getByRole('radio', { checked: true }).count()).toBe(0);
    await page.getByRole('radio', { name: 'Met', exact: true }).check();
    await page.getByLabel('How you know: it is clear').fill('read it to a stranger');
    await page.getByLabel('Notes').fill('read it');
    await approve.click();
    // A note is no proof: somebody else agreed, and that is all.
    await expect.poll(() => evidence.first().textContent()).toContain('attested');
    await expect.poll(() => page.locator('.timeline').textContent()).toContain('read it');
    await expect.poll(() => page.locator('.timeline').textContent()).toContain('it is clear');
    await expect.poll(() => page.locator('.timeline').textContent()).toContain('read it to a stranger');
    expect(await page.locator('.timeline').textContent()).not.toContain('"criterion"');
    expect((await evidence.first().textContent())?.split('no machine can judge it')).toHaveLength(2);
  });

  it('D8: evidence that does not hold is told beside what it is about, and stays to be read', async (context) => {
    const { page, url, send, move, folder } = await visit(context);
    const path = join(folder, 'page.html');
    writeFileSync(path, '<h1>done</h1>');
    const terms = { deliverables: ['the page'], criteria: ['it is clear'], verifiers: ['@vera'] };
    const id = await send({ to: '@writer', title: 'Page', ...terms });
    await move('@writer', id, 'accept');
    await move('@writer', id, 'deliver', { evidence: [{ deliverable: 'the page', kind: 'file', value: 'page.html' }] });
    writeFileSync(path, 'changed');
    await page.goto(`${url}/#/handoffs/${id}`);
    await page.getByRole('radio', { name: 'Met', exact: true }).check();
    await page.getByRole('button', { name: 'Approve' }).click();
    const alert = page.getByRole('region', { name: 'Review' }).getByRole('alert');
    await expect.poll(() => alert.textContent()).toContain('page.html');
    // Something else happens to it; what was said is still there.
    await page.getByLabel('Notes').fill('look again');
    await expect.poll(() => alert.textContent()).toContain('page.html');
    await expect.poll(() => page.getByRole('region', { name: 'Evidence' }).textContent()).toContain('at delivery');
  });

  it('continues with what is said on the way, without asking for the whole again', async (context) => {
    const { page, url, send, move } = await visit(context);
    const id = await send({ to: '@react', title: 'Long way' });
    await move('@react', id, 'accept');
    await page.goto(`${url}/#/handoffs/${id}`);
    await expect.poll(() => page.locator('.timeline').textContent()).toContain('accepted');
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith(`/api/handoffs/${id}`)) asked += 1;
    });
    for (const says of ['begun', 'half way', 'nearly there']) await move('@react', id, 'progress', { says });
    await expect.poll(() => page.locator('.timeline').textContent()).toContain('nearly there');
    expect(asked).toBe(0);
    await page.getByRole('link', { name: 'timeline' }).click();
    await page.getByRole('button', { name: 'Show 2 more words of progress' }).click();
    await expect.poll(() => page.locator('.timeline').textContent()).toContain('half way');
  });

  it('shows the leg it is about, however long its chain', async (context) => {
    const { page, url, send } = await visit(context, { window: { viewport: { width: 1280, height: 900 } } });
    let id = await send({ to: '@react', title: 'Leg 0' });
    for (let leg = 1; leg < 6; leg += 1) id = await send({ to: '@react', title: `Leg ${leg}`, parent: id });
    await page.goto(`${url}/#/handoffs/${id}`);
    const chain = page.getByRole('region', { name: 'Chain', exact: true });
    const current = chain.locator('a[aria-current]');
    await expect
      .poll(async () => {
        const [box, leg] = [await chain.boundingBox(), await current.boundingBox()];
        return box !== null && leg !== null && leg.x >= box.x && leg.x + leg.width <= box.x + box.width;
      })
      .toBe(true);
    await expect.poll(() => page.getByText('scroll for more').count()).toBe(1);
    for (let step = 0; step < 6; step += 1) await page.getByRole('button', { name: 'Smaller' }).click();
    await expect.poll(() => page.getByText('scroll for more').count()).toBe(0);
    await page.getByRole('button', { name: 'Larger' }).click();
  });

  it('is sent by hand with words or JSON, with what counts as done, once', async (context) => {
    const { page, url, ctx, troubles } = await visit(context);
    await page.goto(`${url}/#/work`);
    await page.getByRole('heading', { name: 'Work' }).click();
    await page.keyboard.press('n');
    await page.getByLabel('From').fill('@me');
    await page.getByLabel('To', { exact: true }).fill('@you');
    await page.getByLabel('Title').fill('By hand');
    await page.getByLabel('Input (words or JSON)').fill('{"a": ');
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('not JSON');
    await page.getByLabel('Input (words or JSON)').fill('water the beds');
    await page.getByText('Terms:').click();
    await page.getByLabel('Criteria, one in a line').fill('it is wet\nnothing drowned');
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).dblclick();
    await expect.poll(() => page.locator('.work tbody tr[data-row]').count()).toBe(1);
    const { items } = await ctx.store.find({ by: 'filter', max: 10 });
    expect(items).toMatchObject([{ title: 'By hand', terms: { criteria: ['it is wet', 'nothing drowned'] } }]);
    expect(troubles).toEqual([]);
  });
});

describe('another origin', () => {
  it('a form or a script of another page changes nothing', async (context) => {
    const { page, url, ctx } = await visit(context);
    const { createServer } = await import('node:http');
    const form = `<form id="f" method="post" enctype="text/plain" action="${url}/api/handoffs"><input name='{"from":"@a","to":"@b","x":"' value='"}'></form>
      <iframe src="${url}/"></iframe>
      <script>window.answers = []; fetch('${url}/api/handoffs', {method:'POST',credentials:'include',headers:{'content-type':'application/json'},body:'{"from":"@a","to":"@b"}'}).then(a=>answers.push(a.status),()=>answers.push('refused'))</script>`;
    const evil = createServer((_request, answer) => answer.setHeader('content-type', 'text/html').end(form));
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    const address = evil.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      await page.goto(`http://localhost:${port}/`);
      await expect.poll(() => page.evaluate('window.answers')).toEqual(['refused']);
      await page.locator('#f').evaluate(submit);
      await page.waitForURL(`${url}/api/handoffs`);
      await expect.poll(() => page.locator('body').textContent()).toContain('origin');
      const { items } = await ctx.store.find({ by: 'filter', max: 10 });
      expect(items).toEqual([]);
    } finally {
      evil.closeAllConnections();
      evil.close();
    }
  });
});

describe('the inbox of an agent', () => {
  it('D15: tells what it was told, and is put away', async (context) => {
    const { page, url, send, move, troubles } = await visit(context);
    const id = await send({ to: '@react', title: 'Broken glass', retry: { max: 0 } });
    await move('@react', id, 'accept');
    await move('@react', id, 'fail', { code: 'PROCESSING_ERROR', message: 'it broke' });
    const open = await send({ to: '@react', title: 'Whole glass' });
    await page.goto(`${url}/#/agents`);
    await page.getByRole('row', { name: '@lead' }).getByRole('link', { name: 'inbox' }).click();
    expect(open).not.toBe(id);
    await expect.poll(() => page.locator('main').textContent()).toContain('Broken glass');
    await page.getByRole('button', { name: 'Put all away' }).click();
    await expect.poll(() => page.locator('main').textContent()).toContain('No notifications');
    await page.reload();
    await expect.poll(() => page.locator('main').textContent()).toContain('No notifications');
    expect(troubles).toEqual([]);
  });
});
