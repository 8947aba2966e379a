/** Numbers are given out before they become visible: an export that goes on must not miss what came into its past. */
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { readPartialExport } from '../../src/engine/transfer/partial-export.ts';
import { exportAll } from '../../src/engine/transfer/export.ts';
import { jsonOf, openingOf, openingsOf } from '../contract/builders.ts';
import { put } from '../contract/store-checks.ts';
import { until } from '../support/processes.ts';
import { exported, imported, memoryStore } from '../transfer/sample.ts';
import { describeWithServer } from './fixture.ts';

const body = jsonOf({ input: 1 });

await describeWithServer('an export that goes on', 'shared', (fixture) => {
  it('I17: writes what was committed late, with a smaller number than what it had written', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, ...openingsOf(3, 'a', { body }));
    const slow = fixture.server.session(name);
    // Whoever inserts the same id has got its number and waits for the end of this one.
    const columns = await slow.unsafe(`select string_agg(column_name, ', ') as rest from information_schema.columns
      where table_schema = 'baton' and table_name = 'handoff' and column_name not in ('id', 'n')`);
    await slow.unsafe(`begin; insert into baton.handoff (id, n, ${columns[0]!['rest']})
      select 'late', 1000, ${columns[0]!['rest']} from baton.handoff where id = 'a-0'`);
    const inserting = put(store, openingOf({ id: 'late', body }));
    await until('it waits', async () => {
      const [row] = await fixture.server.sql(name)`select count(*)::int as waiting from pg_locks where not granted`;
      return row!['waiting'] > 0;
    });
    const other = await fixture.open(url);
    await put(other, ...openingsOf(3, 'b', { body }));
    const early = (await exported(other)).text
      .split(/(?<=\n)/)
      .slice(0, 7)
      .join('');
    await slow.unsafe('rollback');
    await inserting;

    const looked = await readPartialExport(store, Readable.from([Buffer.from(early)]));
    const begun = present(looked.ok ? looked.value : null, 'there is something to go on after');
    expect(begun.count).toBe(3);
    let text = early.slice(0, begun.bytes);
    for await (const line of exportAll(store, begun)) text += line;
    const { count, sha256 } = await exported(store);
    expect(count).toBe(7);
    expect(await imported(memoryStore(), text)).toMatchObject({ ok: true, value: { added: 7, sha256 } });
  });
});
