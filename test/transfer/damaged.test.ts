import { expect, it } from 'vitest';
import { openDatabase } from '../../src/stores/sqlite/binding.ts';
import { newPath, openStore } from '../sqlite/stores.ts';
import { exported, fill, imported, memoryStore } from './sample.ts';

it('I1: an export names records that it cannot read, writes all others, and an import takes those', async () => {
  const path = newPath();
  const store = openStore(path);
  await fill(store, 10);
  const database = openDatabase(path, { sync: 'normal' });
  database.exec(
    `DELETE FROM body WHERE handoff = 3; DROP TRIGGER final_is_final; UPDATE handoff SET terms = '{' WHERE n = 5`,
  );
  database.close();
  const { count, damaged, damagedRecords, text } = await exported(store);
  expect({ count, damaged }).toEqual({ count: 8, damaged: 2 });
  expect(damagedRecords).toMatchObject([{ id: 'r2', says: 'its text is missing' }, { id: 'r4' }]);
  expect(await imported(memoryStore(), text)).toMatchObject({ ok: true, value: { added: 8 } });
});
