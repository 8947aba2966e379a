/** A draft is its sender's to write until it is activated; the trail keeps what it said before. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/foundation/json.ts';
import { agentPrincipal, OPERATOR } from '../../src/domain/principal.ts';
import { flawOf } from '../../src/domain/trail.ts';
import { activate } from '../../src/engine/handoffs/activate.ts';
import { factsOf } from '../../src/engine/handoffs/read.ts';
import { revise } from '../../src/engine/handoffs/revise.ts';
import { guardSecrets } from '../../src/engine/secrets/guard-store.ts';
import { DEV, engineWorld, ME, STORES } from './engine-world.ts';

const me = agentPrincipal(ME);
const DRAFT = { draft: true, title: 'A page', input: { purpose: 'why', n: 1 }, terms: { deliverables: ['page'] } };
const HOUR_MS = 3_600_000;

describe.each(STORES)('D16: a draft on %s', (kind) => {
  it('changes in what is named, any number of times, and the trail keeps what it said', async () => {
    const { ctx, send } = engineWorld(kind);
    const { id } = await send(DRAFT);
    const first = { title: 'Another page', inputFields: { purpose: 'because' }, terms: { criteria: ['fast'] } };
    expect(await revise(ctx, me, id, first)).toMatchObject({ ok: true, value: { state: 'draft', revision: 2 } });
    expect(await revise(ctx, OPERATOR, id, { priority: 'high', input: ['all new'] })).toMatchObject({ ok: true });
    const whole = await ctx.store.load(id);
    const terms = { deliverables: ['page'], criteria: ['fast'] };
    expect(whole?.handoff).toMatchObject({ title: 'Another page', priority: 'high', terms, revision: 3 });
    expect(JSON.parse(whole?.body ?? '')).toMatchObject({ input: ['all new'] });
    const facts = await factsOf(ctx, id);
    expect(facts.map(({ detail }) => (JSON.parse(detail) as JsonObject)['was'])).toEqual([
      undefined,
      { title: 'A page', criteria: [], input: { purpose: 'why' } },
      { priority: 'normal', input: { purpose: 'because', n: 1 } },
    ]);
    expect(whole === null ? 'lost' : flawOf(whole.handoff, facts, whole.body)).toBeNull();
  });

  it('is not revised by others, for nothing, too late, or once it is on offer', async () => {
    const { ctx, clock, send } = engineWorld(kind);
    const { id } = await send({ ...DRAFT, kind: 'document', task: 'T-1' });
    const other = { title: 'Another page' };
    const stranger = await revise(ctx, agentPrincipal(DEV), id, other);
    expect(stranger).toMatchObject({ refusal: { code: 'not-entitled', op: 'revise' } });
    // The same again says what is so already.
    expect(await revise(ctx, me, id, { title: 'A page' })).toMatchObject({ ok: true, value: { revision: 1 } });
    clock.advance(HOUR_MS + 1);
    expect(await revise(ctx, me, id, other)).toMatchObject({ refusal: { code: 'overdue' } });
    const { id: second } = await send(DRAFT);
    expect(await activate(ctx, me, second)).toMatchObject({ ok: true });
    const late = await revise(ctx, me, second, other);
    expect(late).toMatchObject({ refusal: { code: 'move-not-allowed', state: 'offered', move: 'revise' } });
  });

  it('two who revise it at once both get their part', async () => {
    const world = engineWorld(kind);
    const { id } = await world.send(DRAFT);
    const names = Array.from({ length: 6 }, (_, index) => `field${index}`);
    const done = await Promise.all(
      names.map(async (name) => revise(world.another(), me, id, { inputFields: { [name]: name } })),
    );
    expect(done.map(({ ok }) => ok)).toEqual(names.map(() => true));
    const { input } = JSON.parse((await world.ctx.store.load(id))?.body ?? '') as { input: JsonObject };
    expect(Object.keys(input)).toEqual(expect.arrayContaining(['purpose', 'n', ...names]));
  });

  it('I17: secrets are found in what is new', async () => {
    const { ctx, send } = engineWorld(kind);
    const { id } = await send(DRAFT);
    const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6'}`;
    const guarded = (policy: 'block' | 'redact') => ({
      ...ctx,
      store: guardSecrets(
        ctx.store,
        () => policy,
        () => undefined,
      ),
    });
    const asked = { title: `use ${secret}`, inputFields: { purpose: `with ${secret}` } };
    expect(await revise(guarded('block'), me, id, asked)).toMatchObject({ refusal: { code: 'secret-found' } });
    expect(await revise(guarded('redact'), me, id, asked)).toMatchObject({ ok: true });
    const whole = await ctx.store.load(id);
    const facts = await factsOf(ctx, id);
    expect(JSON.stringify([whole, facts])).not.toContain(secret);
    expect(whole === null ? 'lost' : flawOf(whole.handoff, facts, whole.body)).toBeNull();
  });
});
