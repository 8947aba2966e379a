/** What an operator does while agents are at work: pausing them, sending again what was given up, seeing which tokens are used. */
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import type { AddressInfo } from 'node:net';
import { readAgentId } from '../../src/domain/names.ts';
import { present } from '../../src/foundation/assert.ts';
import { work } from '../../src/engine/work.ts';
import { containing, matching } from '../support/expected.ts';
import { served } from './served.ts';

const REACT = present(readAgentId('react'), 'a name');

it('a paused agent gets nothing new by claim, accept or worker; what it holds goes on; the operator alone pauses', async () => {
  const { ask, ctx, tokenFor } = await served();
  const [operator, react, vue] = [await tokenFor(null), await tokenFor('react'), await tokenFor('vue')];
  const send = async (title: string): Promise<string> =>
    (
      (await ask('POST', '/api/handoffs', { token: operator, body: { from: '@lead', to: '@react', title } })).json as {
        id: string;
      }
    ).id;
  const held = await send('held');
  const accepted = await ask('POST', `/api/handoffs/${held}/accept`, { token: react, body: {} });
  const { fence } = accepted.json as { fence: number };
  const waiting = await send('waiting');

  expect((await ask('POST', '/api/agents/@react/pause', { token: react, body: {} })).status).toBe(403);
  const paused = await ask('POST', '/api/agents/@react/pause', { token: operator, body: { reason: 'no key' } });
  expect(paused.json).toMatchObject({
    agent: '@react',
    reason: 'no key',
    endedAt: null,
    by: matching(/^operator with tok-/),
  });
  expect((await ask('POST', '/api/agents/@react/pause', { token: operator, body: {} })).json).toMatchObject({
    code: 'agent-paused',
  });
  expect((await ask('POST', '/api/claims', { token: react, body: {} })).status).toBe(204);
  expect((await ask('POST', `/api/handoffs/${waiting}/accept`, { token: react, body: {} })).json).toMatchObject({
    code: 'agent-paused',
    detail: containing('baton resume @react'),
  });
  const done: string[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const working = work(ctx, {
    agent: REACT,
    attemptsMax: 1,
    stop: stop.signal,
    handler: async ({ handoff }) => {
      done.push(handoff.id);
      return {};
    },
  });
  const claiming = ask('POST', '/api/claims', { token: react, body: { waitSeconds: 60 } });
  const delivered = await ask('POST', `/api/handoffs/${held}/deliver`, { token: react, body: { fence, result: 1 } });
  expect(delivered.json).toMatchObject({ state: 'completed' });

  const agents = (await ask('GET', '/api/agents', { token: operator })).json as {
    items: { agent: string; paused: object | null }[];
  };
  expect(agents.items.find(({ agent }) => agent === '@react')?.paused).not.toBeNull();
  expect((await ask('GET', '/api/pauses', { token: vue })).json).toEqual({ items: [] });
  expect((await ask('GET', '/api/pauses', { token: react })).json).toMatchObject({ items: [{ reason: 'no key' }] });
  expect(done).toEqual([]);
  const another = await send('another');
  const resumed = await ask('POST', '/api/agents/@react/resume', { token: operator, body: {} });
  expect(resumed.json).toMatchObject({ agent: '@react', endedBy: matching(/^operator with tok-/) });
  await working;
  const claimed = (await claiming).json as { id: string };
  expect([...done, claimed.id].toSorted()).toEqual([waiting, another].toSorted());
  expect((await ask('POST', '/api/agents/@react/resume', { token: operator, body: {} })).json).toMatchObject({
    code: 'not-paused',
  });
});

it('a webhook that its receiver refuses for good is kept with the reason, and is delivered when it is sent again', async () => {
  const heard: string[] = [];
  let isOpen = false;
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (isOpen) heard.push(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(isOpen ? 200 : 410).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const { ask, tokenFor } = await served({
    configuration: `notifications:\n  webhooks:\n    - { name: chat, url: '${url}', events: [failed] }\n  allow_hosts: ['127.0.0.1']\n`,
  });
  const [operator, react] = [await tokenFor(null), await tokenFor('react')];
  const body = { from: '@lead', to: '@react', retry: { max: 0 } };
  const { id } = (await ask('POST', '/api/handoffs', { token: operator, body })).json as { id: string };
  const { fence } = (await ask('POST', `/api/handoffs/${id}/accept`, { token: react, body: {} })).json as {
    fence: number;
  };
  await ask('POST', `/api/handoffs/${id}/fail`, { token: react, body: { fence, code: 'X', message: 'no' } });
  const given = async (): Promise<readonly { key: string; says: string; target: string; handoff: string }[]> =>
    ((await ask('GET', '/api/undelivered', { token: operator })).json as { items: never }).items;
  await expect.poll(given, { timeout: 60_000 }).toHaveLength(1);
  const [dropped] = await given();
  expect(dropped).toMatchObject({ target: 'chat', handoff: id, says: containing('410') });
  const { key } = present(dropped, 'one');
  expect((await ask('GET', '/api/undelivered', { token: react })).status).toBe(403);
  expect((await ask('POST', '/api/undelivered/resend', { token: react, body: { key } })).status).toBe(403);
  isOpen = true;
  expect((await ask('POST', '/api/undelivered/resend', { token: operator, body: { key } })).status).toBe(200);
  await expect.poll(() => heard.length, { timeout: 60_000 }).toBe(1);
  expect(heard[0]).toContain(id);
  expect(await given()).toEqual([]);
  expect((await ask('POST', '/api/undelivered/resend', { token: operator, body: { key } })).json).toMatchObject({
    code: 'not-undelivered',
  });
  expect((await ask('GET', '/api/policy', { token: operator })).json).toMatchObject({
    version: 1,
    policy: { notifications: { webhooks: [{ name: 'chat' }] } },
  });
});

it('tells when a token was last used, with at most one write for many requests', async () => {
  const { ask, ctx, tokenFor } = await served();
  const operator = await tokenFor(null);
  const fresh = (await ask('POST', '/api/tokens', { token: operator, body: { agent: 'react' } })).json as {
    id: string;
    token: string;
  };
  const lastUsed = async (): Promise<string | null | undefined> =>
    (
      (await ask('GET', '/api/tokens', { token: operator })).json as {
        items: { id: string; lastUsedAt: string | null }[];
      }
    ).items.find(({ id }) => id === fresh.id)?.lastUsedAt;
  expect(await lastUsed()).toBeNull();
  let writes = 0;
  const { tokens } = ctx.store;
  const used = tokens.used.bind(tokens);
  Object.assign(tokens, {
    used: async (id: string) => {
      if (id === fresh.id) writes += 1;
      await used(id);
    },
  });
  await Promise.all(Array.from({ length: 20 }, () => ask('GET', '/api/status', { token: fresh.token })));
  await expect.poll(lastUsed).not.toBeNull();
  await ask('GET', '/api/status', { token: fresh.token });
  expect(writes).toBe(1);
});
