/** A cursor that this database cannot have given out is the client's mistake: said at once, and never worth a retry. */
import * as z from 'zod';
import { expect, it } from 'vitest';
import { DESCRIBED } from '../../src/interfaces/http/app.ts';
import { describeWithServer } from '../postgres/fixture.ts';
import { served, type Served } from './served.ts';

/** Well formed for the query's schema, and of no use to any store. */
const BAD = ['abc', '-1', '1e3', '0x10', 'NaN', 'Infinity', '1.2.3', '1:2:3', '..', ':', '9'.repeat(90), '1:x', 'x.1'];

function routesWithCursors(): readonly string[] {
  const takers = DESCRIBED.filter(
    ({ query, operation }) =>
      (query instanceof z.ZodObject && 'after' in query.shape) ||
      (operation !== undefined && 'after' in operation.input),
  );
  return takers.map(({ path }) => path);
}

/** What was not refused as it should be. */
async function takenBy(server: Served): Promise<readonly string[]> {
  const token = await server.tokenFor(null);
  const asked = [
    ...routesWithCursors().flatMap((path) => BAD.map((after) => ({ path: `${path}?after=${after}`, headers: {} }))),
    ...BAD.map((after) => ({ path: '/api/events', headers: { 'last-event-id': after } })),
  ];
  const taken: string[] = [];
  for (const { path, headers } of asked) {
    const { status, text, headers: answered } = await server.ask('GET', path, { token, headers });
    const isRefused = status === 400 && text.includes('"code":"bad-request"') && text.includes('"retryable":false');
    if (!isRefused || answered.has('retry-after')) taken.push(`${path} ${JSON.stringify(headers)} ${status} ${text}`);
  }
  return taken;
}

it('every route with a cursor is looked at', () => {
  expect(routesWithCursors()).toEqual(expect.arrayContaining(['/api/handoffs', '/api/events']));
});

it('SQLite: a bad cursor is answered with 400 on every route', async () => {
  expect(await takenBy(await served())).toEqual([]);
});

await describeWithServer('PostgreSQL', 'shared', (fixture) => {
  it('a bad cursor is answered with 400 on every route', async () => {
    const { url } = await fixture.database();
    expect(await takenBy(await served({ database: { kind: 'postgres', url } }))).toEqual([]);
  });
});
