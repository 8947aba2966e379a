/** A handoff whose dependency ended badly says so, and goes on when the dependency is retried. */
import { describe, expect, it } from 'vitest';
import type { Body } from '../../src/domain/body.ts';
import { inputIn } from '../../src/domain/body.ts';
import { agentPrincipal, OPERATOR } from '../../src/domain/principal.ts';
import { examineDependencies } from '../../src/engine/health-checks.ts';
import { cancel, reject } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { retry } from '../../src/engine/handoffs/retry.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { statusFor } from '../../src/engine/handoffs/status.ts';
import { show, trace } from '../../src/engine/handoffs/read.ts';
import { OPERATIONS } from '../../src/operations/index.ts';
import { waitingEntry } from '../../src/interfaces/shared/inbox-entries.ts';
import { DEV, engineWorld, made, ME, STORES } from './engine-world.ts';

const me = agentPrincipal(ME);

describe.each(STORES)('Q9: a dependency that ends badly, on %s', (kind) => {
  it('Q9: is seen at once in inbox, status, doctor and on the record, and a retry of it frees the dependent', async () => {
    const world = engineWorld(kind);
    const { ctx } = world;
    const first = await world.send();
    const second = await world.send({ terms: { dependsOn: [first.id] } });
    expect(second).toMatchObject({ state: 'blocked', blockedOn: { reason: 'dependency' } });
    await world.fails(first.id);

    expect(await world.record(second.id)).toMatchObject({
      state: 'blocked',
      blockedOn: { reason: 'dependency', failed: first.id },
    });
    expect(await world.inbox()).toContainEqual(
      expect.objectContaining({
        event: 'dependency-failed',
        handoff: second.id,
        detail: expect.objectContaining({ dependency: first.id }) as unknown,
      }),
    );
    const { attention } = await statusFor(ctx, OPERATOR);
    expect(attention.map(({ why, handoff }) => [why, handoff.id])).toContainEqual(['dependency', second.id]);
    expect(await examineDependencies(ctx)).toMatchObject({
      verdict: 'warning',
      says: `${second.id} waits for ${first.id}, which is failed`,
    });
    const { waiting } = made(await OPERATIONS.inbox.run(ctx, agentPrincipal(DEV), { agent: DEV, limit: 10 }, {}));
    expect(waiting.map(waitingEntry)).toMatchObject([
      { event: 'waiting', handoff: second.id, detail: { reason: expect.stringContaining(first.id) as unknown } },
    ]);

    const again = made(await retry(ctx, me, { id: first.id }));
    expect((await world.record(second.id)).blockedOn).toEqual({ reason: 'dependency' });
    await world.completes(again.id, { answer: 42 });
    await world.sweep();
    expect(await world.record(second.id)).toMatchObject({ state: 'offered', blockedOn: null });
    const shown = made(await show(ctx, agentPrincipal(DEV), second.id));
    expect(inputIn(JSON.parse(shown.body) as Body)).toEqual({ dependencies: { [first.id]: { answer: 42 } } });
    expect(shown.facts.map(({ deed }) => deed)).toEqual(['create', 'reblock', 'reblock', 'unblock']);
    expect(await ctx.store.upkeep.audit()).toEqual([]);
    expect(await examineDependencies(ctx)).toMatchObject({ verdict: 'ok' });
  });

  it('Q9: is found by the sweep of another process, whoever ended it and died', async () => {
    const world = engineWorld(kind);
    const first = await world.send();
    const second = await world.send({ terms: { dependsOn: [first.id] } });
    const silent = { ...world.ctx, store: { ...world.ctx.store, find: async () => ({ items: [], next: null }) } };
    made(await cancel(silent, me, first.id));
    expect((await world.record(second.id)).blockedOn).toEqual({ reason: 'dependency' });
    await world.sweep(world.another());
    expect((await world.record(second.id)).blockedOn).toEqual({ reason: 'dependency', failed: first.id });
    const told = (await world.record(second.id)).revision;
    await world.sweep(world.another());
    expect((await world.record(second.id)).revision).toBe(told);
  });

  it('Q9: fails what depends on it where the sender wants that, and what depends on that in turn', async () => {
    const world = engineWorld(kind);
    const first = await world.send();
    const onDependencyFailure = 'fail' as const;
    const second = await world.send({ terms: { dependsOn: [first.id], onDependencyFailure } });
    const third = await world.send({ terms: { dependsOn: [second.id], onDependencyFailure } });
    made(await reject(world.ctx, agentPrincipal(DEV), first.id, { type: 'unclear', reason: 'which one?' }));
    expect((await world.record(second.id)).state).toBe('failed');
    expect((await world.record(third.id)).state).toBe('failed');
    const { outcome } = made(await show(world.ctx, me, second.id));
    expect(JSON.parse(outcome ?? '')).toMatchObject({
      code: 'DEPENDENCY_FAILED',
      message: `${first.id}, which it waits for, was rejected`,
    });
  });

  it('Q9: does not hold up what is to run all the same; its worker sees what failed and what did not', async () => {
    const world = engineWorld(kind);
    const [first, other] = [await world.send(), await world.send()];
    const second = await world.send({ terms: { dependsOn: [first.id, other.id], onDependencyFailure: 'run' } });
    await world.fails(first.id);
    expect((await world.record(second.id)).state).toBe('blocked');
    await world.completes(other.id);
    await world.sweep();
    expect((await world.record(second.id)).state).toBe('offered');
    const taken = made(await OPERATIONS.claim.run(world.ctx, agentPrincipal(DEV), { agent: DEV }, {}));
    expect(inputIn(JSON.parse(taken?.body ?? '') as Body)).toEqual({
      dependencies: {
        [first.id]: { state: 'failed', code: 'PROCESSING_ERROR', message: 'it broke' },
        [other.id]: { done: true },
      },
    });
  });

  it('Q9: a retry of a retry counts, and one of two retries is enough', async () => {
    const world = engineWorld(kind);
    const first = await world.send();
    const second = await world.send({ terms: { dependsOn: [first.id] } });
    await world.fails(first.id);
    const again = made(await retry(world.ctx, me, { id: first.id }));
    const beside = made(await retry(world.ctx, me, { id: first.id }));
    await world.fails(again.id);
    expect((await world.record(second.id)).blockedOn).toEqual({ reason: 'dependency' });
    await world.fails(beside.id);
    expect((await world.record(second.id)).blockedOn).toMatchObject({ failed: expect.any(String) as unknown });
    const last = made(await retry(world.ctx, me, { id: again.id }));
    await world.completes(last.id);
    await world.sweep();
    expect((await world.record(second.id)).state).toBe('offered');
  });

  it('Q9: cannot be waited for, unless the sender says so; what is unknown neither', async () => {
    const world = engineWorld(kind);
    const first = await world.send();
    const refused = async (id: string, more: object = {}): Promise<unknown> => {
      const input = { from: ME, to: DEV, dependsOn: [id], ...more } as never;
      const answer = await OPERATIONS.send.run(world.ctx, me, input, {});
      return answer.ok ? answer.value.state : answer.refusal;
    };
    expect(await refused('hoff-unknown')).toEqual({ code: 'dependency-unknown', id: 'hoff-unknown' });
    expect(await refused('hoff-unknown', { allowUnknown: true })).toBe('blocked');
    const asked = { requestId: 'the same' };
    expect(await refused(first.id, asked)).toBe('blocked');
    await world.fails(first.id);
    expect(await refused(first.id)).toEqual({ code: 'dependency-failed', id: first.id, state: 'failed' });
    // What was answered before is answered again, whatever has happened since.
    expect(await refused(first.id, asked)).toBe('blocked');
    expect(await refused(first.id, { allowUnknown: true })).toBe('blocked');
    expect(await refused(first.id, { onDependencyFailure: 'run' })).toBe('offered');
    made(await retry(world.ctx, me, { id: first.id }));
    expect(await refused(first.id)).toBe('blocked');
  });

  it('Q9: is drawn beside the chain, by those who wait for it too, as far as they may be read', async () => {
    const world = engineWorld(kind);
    const first = await world.send();
    const second = await world.send({ terms: { dependsOn: [first.id] } });
    const idsOf = async (id: typeof first.id): Promise<readonly string[]> =>
      made(await trace(world.ctx, me, id)).map((handoff) => handoff.id);
    expect(await idsOf(second.id)).toEqual([second.id, first.id]);
    expect(await idsOf(first.id)).toEqual([first.id, second.id]);
  });

  it('Q9: an input that is no object, or has a field of that name, is left as it is', async () => {
    const world = engineWorld(kind);
    const first = await world.send();
    const second = made(
      await send(world.ctx, me, { from: ME, to: DEV, input: 'only text', terms: { dependsOn: [first.id] } }),
    );
    await world.completes(first.id);
    await world.sweep();
    const taken = made(await OPERATIONS.claim.run(world.ctx, agentPrincipal(DEV), { agent: DEV }, {}));
    expect(taken?.handoff.id).toBe(second.id);
    expect(made(await OPERATIONS.show.run(world.ctx, me, { id: second.id }, {})).body).toContain('only text');
  });
});
