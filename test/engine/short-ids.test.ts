import { describe, expect, it } from 'vitest';
import { agentPrincipal, OPERATOR } from '../../src/domain/principal.ts';
import { isShortId, shortIdOf, type HandoffId } from '../../src/domain/names.ts';
import { OPERATIONS } from '../../src/operations/index.ts';
import { runFor } from '../../src/operations/operation.ts';
import { withFullIds } from '../../src/operations/short-ids.ts';
import { engineWorld, made, ME, STORES, type EngineWorld } from './engine-world.ts';

const me = agentPrincipal(ME);
const ID = 'hoff-01a1ea4e-7564-74e2-811f-bfb87f7f60b5' as HandoffId;
const LIKE_IT = 'hoff-01a1ea4e-7564-74e2-811f-bfb87f000000' as HandoffId;

async function shown({ ctx }: EngineWorld, id: string, by = me): Promise<unknown> {
  const answer = await runFor(OPERATIONS.show, ctx, by, { id: id as HandoffId }, {});
  return answer.ok ? answer.value.handoff.id : answer.refusal.code;
}

it('the short form of an id is the first digits of its random part; an id that somebody chose stays whole', () => {
  expect(shortIdOf(ID)).toBe('bfb87f7f');
  expect(isShortId(shortIdOf(ID))).toBe(true);
  expect(shortIdOf('HANDOFF-me-dev-T-1')).toBe('HANDOFF-me-dev-T-1');
  expect(['bfb87', 'bfb87f7f60b5a', 'hoff-1', 'bfb87g'].filter(isShortId)).toEqual([]);
});

describe.each(STORES)('a handoff named by six or more digits, on %s', (kind) => {
  it('is the one whose random part begins so, unless the digits are the whole id of another', async () => {
    const world = engineWorld(kind);
    await world.send({ id: ID });
    expect(await shown(world, 'bfb87f')).toBe(ID);
    expect(await shown(world, 'bfb87f7f60b5')).toBe(ID);
    expect(await shown(world, 'BFB87F')).toBe(ID);
    expect(await shown(world, 'bfb87')).toBe('no-such-handoff');
    expect(await shown(world, '01a1ea4e')).toBe('no-such-handoff');
    await world.send({ id: 'bfb87f' as HandoffId });
    expect(await shown(world, 'bfb87f')).toBe('bfb87f');
  });

  it('is refused with the candidates where several begin so, and only those that the caller may read', async () => {
    const world = engineWorld(kind);
    await world.send({ id: ID });
    await world.send({ id: LIKE_IT });
    expect(await shown(world, 'bfb87f', OPERATOR)).toBe('ambiguous-id');
    expect(await shown(world, 'bfb87f7')).toBe(ID);
    expect(await shown(world, 'bfb87f', agentPrincipal('stranger' as typeof ME))).toBe('no-such-handoff');
  });

  it('may be a dependency', async () => {
    const world = engineWorld(kind);
    await world.send({ id: ID });
    const fields = OPERATIONS.send.input;
    const given = { from: ME, to: ME, dependsOn: ['bfb87f', 'other'] as unknown as HandoffId[] };
    expect(made(await withFullIds(fields, given, world.ctx, me)).dependsOn).toEqual([ID, 'other']);
  });
});
