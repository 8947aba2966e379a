/** What goes wrong inside is told in full to the log and to operators, and to nobody else. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/stores/sqlite/binding.ts';
import { served, type Served } from './served.ts';

interface Fault {
  readonly code: string;
  readonly detail: string;
  readonly incident: string;
  readonly outcome: string;
  readonly retryable: boolean;
}

/** Another program takes a table away until the test is over: every question about it is a fault that names the file. */
function damage(server: Served, table: string): string {
  const path = join(server.folder, '.baton/baton.db');
  const rename = (from: string, to: string): void => {
    const database = openDatabase(path, { sync: 'normal' });
    database.exec(`PRAGMA legacy_alter_table = on; ALTER TABLE ${from} RENAME TO ${to}`);
    database.close();
  };
  rename(table, `lost_${table}`);
  onTestFinished(() => rename(`lost_${table}`, table));
  return path;
}

it('a fault shows a token holder an incident number, and neither paths nor the words of the database', async () => {
  const server = await served();
  const token = await server.tokenFor('@me');
  const path = damage(server, 'effect');
  const answer = await server.ask('GET', '/api/inbox/@me', { token });
  expect(answer.status).toBe(503);
  const fault = answer.json as Fault;
  expect(fault).toMatchObject({ code: 'fault', retryable: true });
  expect(fault.incident).toMatch(/^inc-[0-9a-f]{12}$/);
  expect(fault.detail).toContain(fault.incident);
  for (const secret of [path, server.folder, 'baton.db', 'effect', 'no such table']) {
    expect(answer.text).not.toContain(secret);
  }
  const line = server
    .logged()
    .split('\n')
    .find((each) => each.includes(fault.incident));
  expect(line).toContain('no such table');
});

it('an operator sees what is wrong, with the same incident number as the log', async () => {
  const server = await served();
  const token = await server.tokenFor(null);
  damage(server, 'effect');
  const answer = await server.ask('GET', '/api/inbox/@me', { token });
  expect(answer.status).toBe(503);
  const fault = answer.json as Fault;
  expect(fault.detail).toContain('no such table');
  expect(server.logged()).toContain(fault.incident);
});

it('whoever has not shown a token yet sees no more than a token holder', async () => {
  const server = await served();
  const token = await server.tokenFor(null);
  damage(server, 'token');
  const answer = await server.ask('GET', '/api/handoffs', { token });
  expect(answer.status).toBe(503);
  expect(answer.text).not.toContain(server.folder);
  expect((answer.json as Fault).incident).toMatch(/^inc-/);
});
