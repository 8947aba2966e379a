/** Handoffs over HTTP: every answer has the shape that is published for it. */
import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { readAgentId, type HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { expectRevision } from '../../src/engine/expected-revision.ts';
import type { Context } from '../../src/engine/context.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { progress } from '../../src/engine/handoffs/progress.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { DESCRIBED } from '../../src/interfaces/http/app.ts';
import { openApiOf } from '../../src/interfaces/http/openapi.ts';
import type { FactView, HandoffView, WholeView } from '../../src/interfaces/shared/views.ts';
import { served, type Answer, type Ask, type Served } from './served.ts';

interface Page {
  readonly items: readonly HandoffView[];
  readonly next: string | null;
  readonly cursor: string;
}

/** Asks, and holds the answer against its entry. */
async function asked(server: Served, method: string, path: string, more: Ask): Promise<Answer> {
  const answer = await server.ask(method, path, more);
  const [plain = ''] = path.split('?', 1);
  const entry = DESCRIBED.find(
    (each) =>
      each.method === method.toLowerCase() && new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
  );
  expect([path, Object.keys(entry?.answers ?? {})]).toEqual([path, expect.arrayContaining([String(answer.status)])]);
  if (answer.status < 300 && answer.text !== '') entry?.responseShape?.parse(answer.json);
  return answer;
}

describe('a handoff over HTTP', () => {
  it('I6: an earlier holder cannot settle what was claimed again, with an old fence or without one', async () => {
    const server = await served({});
    const [me = '', dev = ''] = await Promise.all(['@me', '@dev'].map((name) => server.tokenFor(name)));
    const sent = await asked(server, 'POST', '/api/handoffs', { token: me, body: { to: '@dev', input: {} } });
    const at = `/api/handoffs/${(sent.json as HandoffView).id}`;
    await asked(server, 'POST', '/api/claims', { token: dev, body: {} });
    await asked(server, 'POST', `${at}/release`, { token: dev, body: { fence: 1 } });
    await asked(server, 'POST', '/api/claims', { token: dev, body: {} });
    const bodies = {
      deliver: { result: 'stale' },
      fail: { code: 'X', message: 'stale' },
      release: {},
      renew: {},
      progress: { fraction: 0.5 },
      block: { question: 'why?' },
      reject: { type: 'unclear', reason: 'stale' },
    };
    for (const [move, body] of Object.entries(bodies)) {
      const without = await server.ask('POST', `${at}/${move}`, { token: dev, body });
      expect([move, without.status, without.json]).toMatchObject([move, 409, { code: 'fence-needed' }]);
      const old = await server.ask('POST', `${at}/${move}`, { token: dev, body: { ...body, fence: 1 } });
      expect([move, old.status, old.json]).toMatchObject([move, 409, { code: 'lease-lost' }]);
      const stranger = await server.ask('POST', `${at}/${move}`, { token: me, body });
      expect([move, stranger.json]).toMatchObject([move, { code: 'not-entitled' }]);
    }
    await asked(server, 'POST', `${at}/deliver`, { token: dev, body: { fence: 2, result: 'right' } });
    const whole = await asked(server, 'GET', at, { token: me });
    expect(whole.json).toMatchObject({ state: 'completed', result: 'right' });
  });

  it('goes from sender to doer to verifier, and every step answers what is published', async () => {
    const server = await served({ configuration: 'agents:\n  qa: { roles: [verifier] }\n' });
    const [me = '', dev = '', qa = ''] = await Promise.all(['@me', '@dev', '@qa'].map((name) => server.tokenFor(name)));
    const body = {
      to: '@dev',
      input: { page: 'login' },
      title: 'Login',
      deliverables: ['login page'],
      criteria: ['works on a phone'],
      verifiers: ['@qa'],
      context: { branch: 'main' },
      timeoutSeconds: 600,
      retry: { max: 1 },
    };
    const sent = await asked(server, 'POST', '/api/handoffs', { token: me, body });
    const { id } = sent.json as HandoffView;
    expect(sent.headers.get('location')).toBe(`/api/handoffs/${id}`);
    const claimed = await asked(server, 'POST', '/api/claims', { token: dev, body: {} });
    const { fence, input } = claimed.json as WholeView;
    expect([fence, input]).toEqual([1, { page: 'login' }]);
    const at = `/api/handoffs/${id}`;
    const mayNow = async (token: string): Promise<unknown> =>
      ((await asked(server, 'GET', at, { token })).json as { may: unknown }).may;
    expect(await mayNow(me)).toEqual(['cancel', 'reassign']);
    expect(await mayNow(dev)).toContain('deliver');
    expect(await mayNow(await server.tokenFor('@dev', { scopes: ['read'] }))).toEqual([]);
    await asked(server, 'POST', `${at}/progress`, { token: dev, body: { fence, fraction: 0.5, says: 'half' } });
    await asked(server, 'POST', `${at}/renew`, { token: dev, body: { fence, leaseSeconds: 60 } });
    const evidence = [{ deliverable: 'login page', kind: 'note', value: 'looked at it' }];
    const done = await asked(server, 'POST', `${at}/deliver`, {
      token: dev,
      body: { fence, result: { ok: true }, evidence },
    });
    expect((done.json as HandoffView).state).toBe('delivered');
    const back = await asked(server, 'POST', `${at}/verify`, {
      token: qa,
      body: { refuse: 'not on a phone', rework: true },
    });
    expect((back.json as HandoffView).state).toBe('accepted');
    await asked(server, 'POST', `${at}/deliver`, { token: dev, body: { fence, result: { ok: true }, evidence } });
    const criteria = [{ criterion: 'works on a phone', says: 'tried it' }];
    const verified = await asked(server, 'POST', `${at}/verify`, { token: qa, body: { criteria, notes: 'fine' } });
    expect((verified.json as HandoffView).state).toBe('completed');

    const whole = await asked(server, 'GET', at, { token: me });
    const { facts, result } = whole.json as WholeView & { facts: readonly FactView[] };
    expect(result).toEqual({ ok: true });
    expect(facts.map(({ deed, by }) => `${deed} ${by}`)).toEqual([
      'create @me',
      'accept @dev',
      'progress @dev',
      'renew @dev',
      'deliver @dev',
      'rework @qa',
      'deliver @dev',
      'verify @qa',
    ]);
    await asked(server, 'GET', `${at}/facts`, { token: me });
    await asked(server, 'GET', `${at}/chain`, { token: me });
    await asked(server, 'GET', `${at}/wait?seconds=0`, { token: me });
    await asked(server, 'GET', '/api/inbox/@me', { token: me });
    const operator = await server.tokenFor(null);
    for (const path of ['/api/agents', '/api/metrics-summary', '/api/quarantine', '/api/session']) {
      expect((await asked(server, 'GET', path, { token: operator })).status).toBe(200);
    }
  });

  it('is listed in pages that hold all of them once', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    for (const number of Array.from({ length: 25 }, (_, index) => index)) {
      const body = { from: '@me', to: number % 2 === 0 ? '@even' : '@odd', title: `number ${number}`, task: 'T-1' };
      await server.ask('POST', '/api/handoffs', { token, body });
    }
    const titles: (string | null)[] = [];
    let after: string | null = null;
    do {
      const path: string = `/api/handoffs?limit=10${after === null ? '' : `&after=${after}`}`;
      const page = (await asked(server, 'GET', path, { token })).json as Page;
      titles.push(...page.items.map(({ title }) => title));
      after = page.next;
    } while (after !== null);
    expect(titles).toEqual(Array.from({ length: 25 }, (_, index) => `number ${24 - index}`));

    const count = async (query: string): Promise<number> =>
      ((await asked(server, 'GET', `/api/handoffs?limit=100&${query}`, { token })).json as Page).items.length;
    expect(await count('to=@even')).toBe(13);
    expect(await count('agent=me')).toBe(25);
    expect(await count('state=open&state=completed')).toBe(25);
    expect(await count('state=completed,failed')).toBe(0);
    expect(await count('text=number+7')).toBe(1);
    expect(await count('task=T-2')).toBe(0);
    for (const wrong of ['limit=0', 'limit=1001', 'limit=ten', 'state=sleeping', 'after=%00', 'colour=red', 'to=a/b']) {
      const answer = await server.ask('GET', `/api/handoffs?${wrong}`, { token });
      expect([wrong, answer.status]).toEqual([wrong, 400]);
    }
  });

  it('has its revision as ETag: unchanged is not sent again, and a change is meant for one revision', async () => {
    const server = await served();
    const token = await server.tokenFor('@me');
    const sent = await server.ask('POST', '/api/handoffs', { token, body: { to: '@me' } });
    const { id } = sent.json as HandoffView;
    const at = `/api/handoffs/${id}`;
    expect(sent.headers.get('etag')).toBe('"1"');
    const same = await server.ask('GET', at, { token, headers: { 'if-none-match': '"1"' } });
    expect([same.status, same.text]).toEqual([304, '']);
    const accepted = await server.ask('POST', `${at}/accept`, { token, body: {}, headers: { 'if-match': '"1"' } });
    expect([accepted.status, accepted.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await server.ask('GET', at, { token, headers: { 'if-none-match': '"1"' } })).status).toBe(200);

    const late = await server.ask('POST', `${at}/cancel`, { token, body: {}, headers: { 'if-match': '"1"' } });
    expect([late.status, (late.json as { code: string }).code]).toEqual([412, 'revision-passed']);
    expect((await server.ask('GET', at, { token })).headers.get('etag')).toBe('"2"');
    const odd = await server.ask('POST', `${at}/cancel`, { token, body: {}, headers: { 'if-match': 'two' } });
    expect(odd.status).toBe(400);
    expect((await server.ask('POST', `${at}/cancel`, { token, body: {}, headers: { 'if-match': '*' } })).status).toBe(
      200,
    );
  });

  it('changes once when many mean the same revision', async () => {
    const server = await served();
    const token = await server.tokenFor('@me');
    const { id } = (await server.ask('POST', '/api/handoffs', { token, body: { to: '@me' } })).json as HandoffView;
    await server.ask('POST', `/api/handoffs/${id}/accept`, { token, body: {} });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        server.ask('POST', `/api/handoffs/${id}/progress`, {
          token,
          body: { fence: 1, says: `number ${index}` },
          headers: { 'if-match': '"2"' },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 412),
    ]);
  });

  it('is not changed by whoever looked before somebody else changed it, however close', async () => {
    const server = await served();
    const me = present(readAgentId('me'), 'me');
    const principal = agentPrincipal(me);
    const sent = await send(server.ctx, principal, { from: me, to: me, input: {} });
    const { id } = sent.ok ? sent.value : { id: '' as HandoffId };
    await accept(server.ctx, principal, id, {});
    const expected = expectRevision(server.ctx, principal, id, 2);
    const says = (ctx: Context, what: string): ReturnType<typeof progress> =>
      progress(ctx, principal, id, 1, { fraction: null, says: what });
    await says(server.ctx, 'somebody else');
    expect(await says(expected.ctx, 'too late')).toMatchObject({ ok: false, refusal: { code: 'contended' } });
    expect(expected.wasStale()).toBe(true);
    expect(await says(expectRevision(server.ctx, principal, id, 3).ctx, 'in time')).toMatchObject({
      value: { revision: 4 },
    });
  });

  it('is sent once for one Idempotency-Key, and a key is not used twice for different things', async () => {
    const server = await served();
    const token = await server.tokenFor('@me');
    const headers = { 'idempotency-key': 'monday-1' };
    const body = { to: '@react', input: { x: 1 } };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => server.ask('POST', '/api/handoffs', { token, body, headers })),
    );
    expect(new Set(answers.map(({ json }) => (json as HandoffView).id)).size).toBe(1);
    const again = await server.ask('POST', '/api/handoffs', { token, body, headers });
    const replayed = (answer: { readonly headers: Headers }): boolean => answer.headers.has('idempotency-replayed');
    expect([replayed(again), answers.filter(replayed).length]).toEqual([true, answers.length - 1]);
    const other = await server.ask('POST', '/api/handoffs', { token, body: { to: '@vue' }, headers });
    expect([other.status, (other.json as { code: string }).code]).toEqual([422, 'request-reused']);
    const them = await server.tokenFor('@other');
    expect((await server.ask('POST', '/api/handoffs', { token: them, body, headers })).status).toBe(201);
    expect((await server.ctx.store.find({ by: 'filter', max: 10 })).items.length).toBe(2);
  });

  it('is waited for until it is settled, and by nobody who has hung up', async () => {
    const server = await served();
    const token = await server.tokenFor('@me');
    const waiting = server.ask('POST', '/api/claims', { token, body: { waitSeconds: 60 } });
    const gone = new AbortController();
    const hungUp = server.ask('POST', '/api/claims', { token, body: { waitSeconds: 60 }, signal: gone.signal });
    gone.abort();
    await expect(hungUp).rejects.toThrow('aborted');
    const you = await server.tokenFor('@you');
    const sent = await server.ask('POST', '/api/handoffs', { token: you, body: { to: '@me' } });
    const { id } = sent.json as HandoffView;
    const claimed = (await waiting).json as WholeView;
    expect(claimed.id).toBe(id);
    const settled = server.ask('GET', `/api/handoffs/${id}/wait?seconds=60`, { token });
    const shown = server.ask('GET', `/api/handoffs/${id}?wait=60`, { token });
    await server.ask('POST', `/api/handoffs/${id}/deliver`, { token, body: { fence: claimed.fence, result: 42 } });
    expect(((await settled).json as WholeView).result).toBe(42);
    expect(((await shown).json as WholeView).state).toBe('completed');
    const none = await server.ask('POST', '/api/claims', { token, body: {} });
    expect([none.status, none.text]).toEqual([204, '']);
    const open = (await server.ask('POST', '/api/handoffs', { token, body: { to: '@x' } })).json as HandoffView;
    const late = await server.ask('GET', `/api/handoffs/${open.id}/wait?seconds=0`, { token });
    expect([late.status, (late.json as { code: string }).code]).toEqual([408, 'timed-out']);
  });
});

describe('what is around it', () => {
  it('is described as it is served', async () => {
    const server = await served();
    const { status, json } = await server.ask('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(json).toEqual(openApiOf(DESCRIBED, (json as { info: { version: string } }).info.version));
    const { paths } = json as { paths: Record<string, Record<string, { operationId: string }>> };
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(DESCRIBED.length);
    expect(ids).toEqual(expect.arrayContaining(['sendHandoff', 'cancelHandoff', 'listHandoffs', 'createToken']));
    expect(ids.filter((id) => /^(?:get|post|delete)[A-Z]/.test(id))).toEqual([]);
    const { post } = paths['/api/handoffs'] as never as Record<string, { requestBody: object; responses: object }>;
    expect(post).toMatchObject({
      tags: ['handoffs'],
      requestBody: { required: true },
      responses: {
        201: {
          headers: { ETag: {}, Location: {} },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Handoff' } } },
        },
      },
    });
    const { components } = json as { components: { schemas: object } };
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(['Fact', 'Handoff', 'HandoffRow', 'Problem', 'WholeHandoff', 'Workflow', 'Artifact']),
    );
    const page = await server.ask('GET', '/docs');
    for (const { path } of DESCRIBED) expect(page.text).toContain(path);
  });

  it('is counted for Prometheus', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    const { id } = (await server.ask('POST', '/api/handoffs', { token, body: { from: '@me', to: '@x' } }))
      .json as HandoffView;
    await server.ask('POST', `/api/handoffs/${id}/fail`, { token, body: { code: 'NO_LUCK', message: 'none' } });
    await expect
      .poll(async () => (await server.ask('GET', '/metrics', { token })).text)
      .toContain('baton_failures_total{code="NO_LUCK"} 1');
    const { text } = await server.ask('GET', '/metrics', { token });
    expect(text).toContain('baton_facts_total{deed="create",to="offered"} 1');
    expect(text).toMatch(/baton_http_requests_total\{method="POST",status="201"\} 1/);
    expect(text).toMatch(/^baton_feed_held_seconds 0$/m);
  });

  it('lists agents against their limits, and files that nobody understood', async () => {
    const server = await served({
      configuration: 'agents:\n  react: { limits: { incoming: 2 }, roles: [verifier] }\n',
    });
    const token = await server.tokenFor(null);
    const folder = join(server.folder, 'handoffs', 'quarantine');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'odd.json'), '{');
    writeFileSync(join(folder, 'odd.json.reason.txt'), 'unreadable\n');
    await server.ask('POST', '/api/handoffs', { token, body: { from: '@me', to: '@react' } });
    await expect
      .poll(async () => (await server.ask('GET', '/api/agents', { token })).json as { items: unknown[] })
      .toMatchObject({
        items: [
          { agent: '@me', outgoing: { open: 1, max: null }, configured: false },
          { agent: '@react', incoming: { open: 1, max: 2 }, waiting: 1, configured: true, roles: ['verifier'] },
        ],
      });
    expect((await server.ask('GET', '/api/quarantine', { token })).json).toMatchObject({
      items: [{ name: 'odd.json', says: 'unreadable' }],
    });
    const full = { from: '@me', to: '@react' };
    await server.ask('POST', '/api/handoffs', { token, body: full });
    const refused = await server.ask('POST', '/api/handoffs', { token, body: full });
    expect([refused.status, refused.json]).toMatchObject([429, { code: 'limit-reached', agent: 'react', max: 2 }]);
    expect(refused.headers.get('retry-after')).toBe('1');
  });

  it('knows an agent also when all it had to do is over, and after a new start', async () => {
    const first = await served();
    const token = await first.tokenFor(null);
    const body = { from: '@me', to: '@once' };
    const { id } = (await first.ask('POST', '/api/handoffs', { token, body })).json as { id: string };
    await first.ask('POST', `/api/handoffs/${id}/cancel`, { token, body: { reason: 'enough' } });
    const idle = {
      items: [
        { agent: '@me', outgoing: { open: 0 } },
        { agent: '@once', incoming: { open: 0 } },
      ],
    };
    await expect
      .poll(async () => (await first.ask('GET', '/api/agents', { token })).json as object)
      .toMatchObject(idle);
    await first.stop();
    const second = await served({ folder: first.folder });
    expect((await second.ask('GET', '/api/agents', { token })).json).toMatchObject(idle);
  });

  it('answers 404 for what is not there, 204 for a picture that no page names, and 405 for what is done otherwise', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    for (const path of ['/api/workflows/none', '/api/artifacts/none', '/api/nothing', '/api/handoffs/hoff-1']) {
      expect([path, (await server.ask('GET', path, { token })).status]).toEqual([path, 404]);
    }
    expect((await server.ask('GET', '/favicon.ico')).status).toBe(204);
    const wrong = await server.ask('DELETE', '/api/handoffs', { token });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, GET']);
    expect((await server.ask('GET', '/api/handoffs/hoff-1/explode', { token })).status).toBe(404);
    expect((await server.ask('GET', '/api/handoffs/..%2f..%2fetc', { token })).status).toBe(400);
  });
});
