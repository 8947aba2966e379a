/** `baton prune` and `baton erase` as an operator uses them, and what those who come later are told. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databases, makeWorkspace } from './workspaces.ts';

describe.each(databases)('prune and erase on $name', (database) => {
  it('archive, remove, answer clearly and come back; only for the operator', async () => {
    const { folder, run, send } = await makeWorkspace(database);
    const old = await send('@react', { says: 'secretword' });
    expect(await run(['cancel', old, '--as', '@me'])).toMatchObject({ code: 0 });
    await send('@react', { n: 3 });
    expect((await run(['prune', '--older-than', '0s', '--as', '@me'])).code).toBe(4);
    expect((await run(['prune', '--as', 'operator'])).stderr).toContain('prune needs an age: --older-than 90d');
    const prune = ['prune', '--older-than', '0s', '--json', '--as', 'operator'];
    expect(JSON.parse((await run([...prune, '--dry-run'])).stdout)).toMatchObject({
      dryRun: true,
      handoffs: 1,
      ids: [old],
      archives: [],
    });
    expect(JSON.parse((await run(prune)).stdout)).toMatchObject({ dryRun: false, handoffs: 1, kept: 0 });
    const [name = ''] = readdirSync(join(folder, '.baton', 'archive')).filter((each) => each.endsWith('.jsonl'));
    const file = join(folder, '.baton', 'archive', name);
    const told = `is finished and was moved to the archive ${name}`;
    for (const args of [
      ['show', old],
      ['retry', old, '--as', '@me'],
      ['cancel', old, '--as', '@me'],
      ['trace', old],
      ['wait', old, '--timeout', '5'],
    ]) {
      const answer = await run(args);
      expect([args[0], answer.code, answer.stderr.includes(told)]).toEqual([args[0], 3, true]);
    }
    for (const more of [
      ['--parent', old],
      ['--depends', old],
    ]) {
      const answer = await run(['send', '--from', '@me', '--to', '@react', '--input', '1', ...more]);
      expect([more[0], answer.code, answer.stderr.includes(told)]).toEqual([more[0], 3, true]);
    }
    // Who was no party of it learns nothing.
    expect((await run(['show', old, '--as', '@stranger'])).stderr).toContain('there is no handoff');
    writeFileSync(join(folder, 'keys.json'), '[]');
    expect(await run(['audit', '--offline', file, '--keys', 'keys.json'])).toMatchObject({ code: 0 });
    expect(await run(['import', file, '--as', 'operator'])).toMatchObject({ code: 0 });
    expect((await run(['show', old])).stdout).toContain('secretword');
    expect(JSON.parse((await run(['doctor', '--json'])).stdout)).toMatchObject({ ok: true });
  });

  it('erase tells nobody again how it ended', async () => {
    const { run, send } = await makeWorkspace(database);
    const id = await send('@react', {}, ['--retries', '0']);
    expect(await run(['accept', id, '--as', '@react'])).toMatchObject({ code: 0 });
    const failed = await run(['fail', id, '--as', '@react', '--fence', '1', '--code', 'X', '--message', 'no']);
    expect(failed).toMatchObject({ code: 0 });
    expect((await run(['inbox', '@me'])).stdout).toContain('failed');
    expect(await run(['erase', id, '--as', 'operator'])).toMatchObject({ code: 0 });
    expect((await run(['inbox', '@me'])).stdout).not.toContain('failed');
  });

  it('erase takes the words and leaves the trail; audit says erased', async () => {
    const { folder, run, send, open } = await makeWorkspace(database);
    const id = await send('@react', { says: 'secretword' }, ['--title', 'secretword title']);
    expect((await run(['erase', id, '--as', 'operator'])).stderr).toContain('cannot be erased before it is over');
    expect(await run(['accept', id, '--as', '@react', '--notes', 'secretword note'])).toMatchObject({ code: 0 });
    const delivered = await run(['deliver', id, '--as', '@react', '--fence', '1', '--result', '"secretword"']);
    expect(delivered).toMatchObject({ code: 0 });
    expect((await run(['erase', id, '--as', '@me'])).code).toBe(4);
    expect(await run(['erase', id, '--as', 'operator', '--reason', 'asked by its author'])).toMatchObject({ code: 0 });
    expect(await run(['erase', id, '--as', 'operator'])).toMatchObject({ code: 0 });
    const shown = (await run(['show', id, '--json'])).stdout;
    expect([shown.includes('secretword'), shown.includes('asked by its author')]).toEqual([false, true]);
    expect((await run(['list', '--text', 'secretword', '--json'])).stdout).not.toContain(id);
    expect((await run(['audit', '--as', 'operator'])).stdout).toContain('erased by operator');
    expect(await run(['export', 'all.jsonl', '--as', 'operator'])).toMatchObject({ code: 0 });
    writeFileSync(join(folder, 'keys.json'), '[]');
    const offline = await run(['audit', '--offline', 'all.jsonl', '--keys', 'keys.json']);
    expect([offline.code, offline.stdout.includes('erased')]).toEqual([0, true]);
    const { store } = await open();
    expect((await store.upkeep.audit()).filter(({ what }) => what !== 'setting')).toEqual([]);
  });
});
