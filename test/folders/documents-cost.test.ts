import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HandoffId } from '../../src/domain/names.ts';
import { openDocumentMirror } from '../../src/engine/documents/document-mirror.ts';
import type { Context } from '../../src/engine/context.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { openDocumentFolder } from '../../src/folders/document-folder.ts';
import type { DocumentFolder } from '../../src/folders/folder.ts';
import { SPEC_DOCUMENT } from '../formats/document/spec-document.ts';
import { as, documentsWorld, type DocumentsWorld } from './documents-world.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

/** Ten times and more by hand: BATON_DOCUMENTS_ACTIVE=10000 BATON_DOCUMENTS_ARCHIVED=100000. */
const ACTIVE = campaignSize('BATON_DOCUMENTS_ACTIVE');
const ARCHIVED = campaignSize('BATON_DOCUMENTS_ARCHIVED');

/** Every call to database and folder, by name; what each costs does not depend on how much there is. */
function counted(world: DocumentsWorld): { readonly ctx: Context; readonly calls: Map<string, number> } {
  const calls = new Map<string, number>();
  const counting = <Thing extends object>(thing: Thing, name: string): Thing =>
    new Proxy(thing, {
      get(target, key): unknown {
        const found: unknown = Reflect.get(target, key);
        if (typeof found === 'object' && found !== null) return counting(found, `${name}.${String(key)}`);
        if (typeof found !== 'function') return found;
        return (...args: readonly unknown[]): unknown => {
          const call = `${name}.${String(key)}`;
          calls.set(call, (calls.get(call) ?? 0) + 1);
          return Reflect.apply(found, target, args);
        };
      },
    });
  const store = counting(world.ctx.store, 'store');
  const inside: Context = { ...world.ctx, store, rules: { ...world.ctx.rules, documents: null } };
  const place = { folder: world.folder, privateFolder: join(world.folder, '.baton') };
  const folder: DocumentFolder = counting(openDocumentFolder(place), 'folder');
  const documents = openDocumentMirror(inside, folder, { isStrict: () => false });
  return { ctx: { ...inside, rules: { ...inside.rules, documents } }, calls };
}

async function costOfOneChange(active: number, archived: number): Promise<ReadonlyMap<string, number>> {
  const world = await documentsWorld();
  const id: HandoffId = await world.at('offered');
  const root = join(world.folder, '_handoffs');
  mkdirSync(join(root, 'archived', '2026', '02'), { recursive: true });
  const named = (nth: number): string => `handoff-grok-claude-T-${nth}-20260221`;
  const put = (place: string, nth: number): void => {
    const text = SPEC_DOCUMENT.replace(/^handoff_id:.*$/m, `handoff_id: ${named(nth)}`);
    writeFileSync(join(root, place, `${named(nth)}.md`), text);
  };
  for (let nth = 0; nth < active; nth += 1) put('active', nth);
  for (let nth = 0; nth < archived; nth += 1) put('archived/2026/02', active + nth);
  const { ctx, calls } = counted(world);
  expect(await accept(ctx, as('claude'), id)).toMatchObject({ ok: true });
  expect(world.fields(id)).toMatchObject({ status: 'Acknowledged' });
  return calls;
}

describe('D12: what one change costs', () => {
  it('is no more with many documents than with ten', async () => {
    const few = await costOfOneChange(9, 1);
    const many = await costOfOneChange(ACTIVE, ARCHIVED);
    const more = [...many].filter(([call, count]) => count > (few.get(call) ?? 0));
    expect(more).toEqual([]);
    expect(many.get('folder.list')).toBeUndefined();
    expect([...many.values()].reduce((sum, count) => sum + count, 0)).toBeLessThan(40);
  }, 600_000);

  it('the index is made later, by whoever has the duty, and is the same then', async () => {
    const world = await documentsWorld();
    const id = await world.create();
    const other = `${id.slice(0, -8)}20260220`;
    for (let nth = 1; nth <= 60; nth += 1) {
      const name = `${other}-${nth + 1}`;
      world.write(`${name}.md`, SPEC_DOCUMENT.replace(/^handoff_id:.*$/m, `handoff_id: ${name}`));
    }
    const before = world.index();
    await world.create();
    expect(world.index()).toBe(before);
    // Not more often than it can be afforded: a pass that comes too soon leaves it to the next one.
    const listed = async (): Promise<number | undefined> => {
      await world.documents.sync('quick');
      return world.index().match(/^ {2}- id: /gm)?.length;
    };
    await expect.poll(listed).toBe(62);
    expect(world.index()).toContain(
      'counts_by_agent:\n  claude:\n    outgoing: 0\n    incoming: 62\n  grok:\n    outgoing: 62\n',
    );
    expect(await world.documents.writeIndex()).toBe(false);
  });
});
