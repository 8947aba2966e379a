/** Requests that no honest client sends: each gets its answer, and none of them reaches a handoff. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { served, statusOf, written, type Served } from './served.ts';

const SEND = JSON.stringify({ from: '@me', to: '@react', input: {} });

async function post(server: Served, headers: Readonly<Record<string, string>>, body = SEND): Promise<string> {
  const token = await server.tokenFor(null);
  return server.raw(
    written(
      server,
      'POST /api/handoffs',
      {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(body)),
        ...headers,
      },
      body,
    ),
  );
}

async function countOf(server: Served): Promise<number> {
  return (await server.ctx.store.find({ by: 'filter', max: 10 })).items.length;
}

describe('the gate', () => {
  it('lets an honest request in', async () => {
    const server = await served();
    expect(statusOf(await post(server, {}))).toBe(201);
    expect(statusOf(await post(server, { Origin: server.url }))).toBe(201);
    expect(statusOf(await post(server, { Host: `localhost:${server.port}` }))).toBe(201);
    expect(await countOf(server)).toBe(3);
  });

  it.each<[string, Record<string, string>, number, string]>([
    ['a name it does not answer to (rebinding)', { Host: 'evil.example' }, 403, 'host-refused'],
    ['its own name with another port', { Host: '127.0.0.1:1' }, 403, 'host-refused'],
    ['no name at all', { Host: '' }, 403, 'host-refused'],
    ['a page of elsewhere', { Origin: 'https://evil.example' }, 403, 'origin-refused'],
    ['a page of nowhere', { Origin: 'null' }, 403, 'origin-refused'],
    ['a page on another port of this machine', { Origin: 'http://127.0.0.1:1' }, 403, 'origin-refused'],
    ['a browser that says another site asks', { 'Sec-Fetch-Site': 'cross-site' }, 403, 'origin-refused'],
    ['a browser that says another port asks', { 'Sec-Fetch-Site': 'same-site' }, 403, 'origin-refused'],
    ['a form', { 'Content-Type': 'text/plain' }, 415, 'not-a-media-type'],
    ['a form of the other kind', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415, 'not-a-media-type'],
    ['no type at all', { 'Content-Type': '' }, 415, 'not-a-media-type'],
    ['another alphabet', { 'Content-Type': 'application/json; charset=utf-7' }, 415, 'not-a-media-type'],
    ['a body that has to be unpacked', { 'Content-Encoding': 'gzip' }, 415, 'not-a-media-type'],
    ['a method in a header', { 'X-HTTP-Method-Override': 'DELETE' }, 405, 'method-not-allowed'],
  ])('refuses %s', async (_what, headers, status, code) => {
    const server = await served();
    const answer = await post(server, headers);
    expect(statusOf(answer)).toBe(status);
    expect(answer).toContain(`"code":"${code}"`);
    expect(answer).toContain('application/problem+json');
    expect(await countOf(server)).toBe(0);
  });

  it.each([
    ['TRACE', 405],
    ['PUT', 405],
    ['PATCH', 405],
    ['OPTIONS', 405],
    ['CONNECT', 0],
  ])('does nothing for %s', async (method, status) => {
    const server = await served();
    const token = await server.tokenFor(null);
    const answer = await server.raw(written(server, `${method} /api/handoffs`, { Authorization: `Bearer ${token}` }));
    expect(statusOf(answer)).toBe(status);
    expect(answer).not.toMatch(/access-control/i);
  });

  it('never takes a token from an address', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    for (const name of ['token', 'access_token', 'Authorization', 'api_key']) {
      const answer = await server.ask('GET', `/api/handoffs?${name}=${token}`, { token });
      expect([name, answer.status]).toEqual([name, 401]);
    }
    expect(server.logged()).not.toContain(token);
  });

  it('refuses a body of 100 MB before it is sent, and one whose size nobody said when it grows', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    const said = await post(server, { 'Content-Length': String(100 * 1024 * 1024) }, 'x'.repeat(70_000));
    expect(statusOf(said)).toBe(413);

    const chunk = Buffer.from(`10000\r\n${' '.repeat(65_536)}\r\n`);
    const head = written(server, 'POST /api/handoffs', {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    });
    const unsaid = await server.raw([Buffer.from(head), ...Array.from({ length: 20 }, () => chunk)]);
    expect(statusOf(unsaid)).toBe(413);
    expect(await countOf(server)).toBe(0);
  });

  it('refuses two lengths, a name twice, line ends in values and other smuggling', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    const both = await post(server, { 'Transfer-Encoding': 'chunked' });
    expect(statusOf(both)).toBe(400);
    const twice = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nHost: evil.example\r\n\r\n`;
    expect([400, 403]).toContain(statusOf(await server.raw(twice)));
    const absolute = await server.raw(written(server, 'GET http://evil.example/healthz'));
    expect(statusOf(absolute)).toBe(400);
    const lines = await post(server, { 'Idempotency-Key': 'a\rb' });
    expect(statusOf(lines)).toBe(400);
    const inGet = await server.raw(
      written(server, 'GET /api/handoffs', { Authorization: `Bearer ${token}`, 'Content-Length': '2' }, '{}'),
    );
    expect(statusOf(inGet)).toBe(400);
    expect(await countOf(server)).toBe(0);
  });

  it('lets nobody hold a connection with half a request', async () => {
    const server = await served();
    const half = await server.raw(`POST /api/handoffs HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`);
    expect(statusOf(half)).toBe(408);
  });

  it('takes no bomb in any wrapping', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    const head = written(server, 'POST /api/handoffs', {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Encoding': 'gzip',
      'Content-Length': String(bomb.length),
    });
    expect(statusOf(await server.raw([Buffer.from(head), bomb]))).toBe(415);
    for (const body of [
      '['.repeat(100_000),
      '{"a":1,"a":2}',
      '{"__proto__":{"admin":1}}',
      '{}{}',
      '{"a":',
      '{"a":NaN}',
    ]) {
      const answer = await post(server, {}, body);
      expect([body.slice(0, 20), statusOf(answer)]).toEqual([body.slice(0, 20), 400]);
    }
    expect(await countOf(server)).toBe(0);
  });

  it('puts the same strict headers on everything', async () => {
    const server = await served();
    for (const path of ['/', '/login', '/docs', '/api/handoffs', '/nothing.js', '/healthz']) {
      const { headers } = await server.ask('GET', path);
      expect(headers.get('content-security-policy')).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'",
      );
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    const pages = await Promise.all(['/', '/login', '/docs'].map((path) => server.ask('GET', path)));
    for (const { text } of pages) {
      expect(text).not.toMatch(/<script(?![^>]*\bsrc="\/)/);
      expect(text).not.toMatch(/https?:\/\//);
    }
  });

  it('gives no file beside the dashboard', async () => {
    const server = await served();
    for (const path of [
      '/../baton.yaml',
      '/%2e%2e/baton.yaml',
      '/..%2fbaton.yaml',
      '/assets/..%5c..%5cbaton.yaml',
      '/.baton/serve.json',
    ]) {
      const answer = await server.raw(written(server, `GET ${path}`));
      expect([path, statusOf(answer)]).toEqual([path, 404]);
    }
  });
});
