import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HandoffId } from '../../src/domain/names.ts';
import { runDuty } from '../../src/engine/duty.ts';
import { openDocumentMirror } from '../../src/engine/documents/document-mirror.ts';
import type { Context } from '../../src/engine/context.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { activate } from '../../src/engine/handoffs/activate.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { verify } from '../../src/engine/handoffs/verify.ts';
import { openDocumentFolder } from '../../src/folders/document-folder.ts';
import type { DocumentFolder } from '../../src/folders/folder.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { agentOf, as, documentsWorld, says, type DocumentsWorld } from './documents-world.ts';

/** A house whose disk gives up at this call, and at every one after it. */
function failingAt(
  { ctx, folder }: DocumentsWorld,
  nth: number,
): { readonly ctx: Context; readonly calls: () => number } {
  let calls = 0;
  const failing = <Thing extends object>(thing: Thing): Thing =>
    new Proxy(thing, {
      get(target, key): unknown {
        const found: unknown = Reflect.get(target, key);
        if (typeof found === 'object' && found !== null) return failing(found);
        if (typeof found !== 'function' || key === 'alone') return found;
        return async (...args: readonly unknown[]): Promise<unknown> => {
          calls += 1;
          if (calls >= nth) throw new Error('the disk is gone');
          return Reflect.apply(found, target, args) as unknown;
        };
      },
    });
  const inside: Context = { ...ctx, rules: { ...ctx.rules, documents: null } };
  const disk: DocumentFolder = failing(openDocumentFolder({ folder, privateFolder: join(folder, '.baton') }));
  const documents = openDocumentMirror(inside, disk, { isStrict: () => false });
  return { ctx: { ...inside, rules: { ...inside.rules, documents } }, calls: () => calls };
}

type Change = (ctx: Context, id: HandoffId) => Promise<{ readonly ok: boolean }>;

const CHANGES: readonly (readonly [
  name: string,
  from: 'draft' | 'offered' | 'delivered',
  change: Change,
  status: string,
])[] = [
  ['activate', 'draft', (ctx, id) => activate(ctx, as('grok'), id), 'Active'],
  ['accept', 'offered', (ctx, id) => accept(ctx, as('claude'), id, { notes: 'mine' }), 'Acknowledged'],
  [
    'verify',
    'delivered',
    (ctx, id) => verify(ctx, as('perplexity'), { id, criteria: [{ criterion: 'works', says: 'yes' }] }),
    'Complete',
  ],
];

describe('a process that dies in the middle', () => {
  it.each(CHANGES)(
    'leaves nothing that the next pass does not put right: %s',
    async (_name, from, change, status) => {
      for (let nth = 1; ; nth += campaignSize('BATON_DISK_FAILURES_SHARE')) {
        const world = await documentsWorld();
        const id = await world.at(from);
        const app = failingAt(world, nth);
        expect(await change(app.ctx, id)).toMatchObject({ ok: true });
        await world.sync();
        expect({ nth, status: world.fields(id)['status'] }).toEqual({ nth, status });
        expect(world.place(id) === 'active').toBe(status !== 'Complete');
        expect(world.index().includes(`- id: ${id}\n    from:`)).toBe(status !== 'Complete');
        const agreed = readdirSync(join(world.folder, '.baton', 'documents', 'agreed')).length;
        const active = readdirSync(join(world.folder, '_handoffs', 'active')).length;
        expect(agreed).toBe(active);
        expect([...says(world, 'document-refused'), ...says(world, 'document-left')]).toEqual([]);
        if (app.calls() < nth) break;
      }
    },
    300_000,
  );
});

describe('whoever has the duty', () => {
  it('D16: takes in edits, tells what happens elsewhere, and keeps the index', async () => {
    const world = await documentsWorld();
    const id = await world.at('offered');
    const over = new AbortController();
    const duty = runDuty(world.ctx, over.signal);
    const until = { timeout: 60_000, interval: 50 };
    world.edit(id, { status: 'Acknowledged' });
    await expect.poll(() => world.state(id), until).toBe('accepted');
    await expect.poll(() => world.fields(id)['acknowledged_by'], until).toBe('claude');
    // Another process, without documents of its own, goes on in the same database.
    const bare: Context = { ...world.ctx, rules: { ...world.ctx.rules, documents: null } };
    const shown = ['code', 'tests'].map((deliverable) => ({ deliverable, kind: 'note', value: 'seen' }) as const);
    expect(await deliver(bare, as('claude'), { target: id, fence: null, result: null, evidence: shown })).toMatchObject(
      { ok: true },
    );
    await expect.poll(() => world.fields(id)['delivered_at'], until).toMatch(/^20/);
    const [from, to] = [agentOf('grok'), agentOf('claude')];
    const sent = await send(bare, as('grok'), { from, to, kind: 'document', input: {}, task: 'T-9', draft: false });
    const other = sent.ok ? sent.value.id : '';
    await expect.poll(() => world.place(other), until).toBe('active');
    await expect.poll(() => world.index(), until).toContain(`- id: ${other}\n`);
    over.abort();
    await duty;
  });
});
