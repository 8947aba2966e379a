/** A cursor that this database cannot have given out is the client's mistake: said at once, and never worth a retry. */
import * as z from 'zod';
import { expect, it } from 'vitest';
import { DESCRIBED } from '../../src/faces/http/app.ts';
import { describeWithServer } from '../postgres/fixture.ts';
import { served, type Served } from './served.ts';

/** Well formed for the query's schema, and of no use to any store. */
const BAD = ['abc', '-1', '1e3', '0x10', 'NaN', 'Infinity', '1.2.3', '1:2:3', '..', ':', '9'.repeat(90), '1:x', 'x.1'];

function routesWithCursors(): readonly string[] {
  const takers = DESCRIBED.filter(({ query }) => query instanceof z.ZodObject && 'after' in query.shape);
  return takers.map(({ path }) => path);
}

async function refusesAll(server: Served): Promise<void> {
  const token = await server.tokenFor('@me');
  for (const path of routesWithCursors()) {
    for (const after of BAD) {
      const answer = await server.ask('GET', `${path}?after=${after}`, { token });
      expect([path, after, answer.status, answer.json]).toMatchObject([
        path,
        after,
        400,
        { code: 'bad-request', retryable: false },
      ]);
      expect(answer.headers.get('retry-after')).toBeNull();
    }
  }
  for (const after of BAD) {
    const answer = await server.ask('GET', '/api/events', { token, headers: { 'last-event-id': after } });
    expect([after, answer.status]).toEqual([after, 400]);
  }
}

it('every route with a cursor is looked at', () => {
  expect(routesWithCursors()).toEqual(expect.arrayContaining(['/api/handoffs', '/api/events']));
});

it('SQLite: a bad cursor is answered with 400 on every route', async () => {
  await refusesAll(await served());
});

await describeWithServer('PostgreSQL', { fsync: false }, (fixture) => {
  it('a bad cursor is answered with 400 on every route', async () => {
    const { url } = await fixture.database();
    await refusesAll(await served({ database: { kind: 'postgres', url } }));
  });
});
