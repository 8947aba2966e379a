/** Clones that share documents by git agree in the end, whatever happened and whichever clock ran first. */
import { describe, expect, it } from 'vitest';
import { campaignSize } from '../support/campaign-sizes.ts';
import { present } from '../../src/foundation/assert.ts';
import { readAgentId, type HandoffId } from '../../src/domain/names.ts';
import { activate } from '../../src/engine/handoffs/activate.ts';
import { revise } from '../../src/engine/handoffs/revise.ts';
import { as } from '../folders/documents-world.ts';
import { judged, newDocument, openClone, simulateClones } from './clones/clones.ts';
import { commitOf, type Remote } from './clones/git-model.ts';
import { BEGINNINGS, share, tellSeveral } from './clones/several-moves.ts';

const GROUP = 50;
/** Whoever makes the moves has a clock that is behind. */
const SLOWER_MS = -90 * 60_000;

describe('D17: two or three clones', () => {
  const asked = process.env['BATON_CLONES_SEED'];
  const seeds = asked === undefined ? campaignSize('BATON_CLONES_SEEDS') : 1;
  const groups = Array.from({ length: Math.ceil(seeds / GROUP) }, (_, group) => group * GROUP);

  it.each(groups)('agree after everybody has pulled and synced, seeds from %i on', async (from) => {
    let [overruled, settled] = [0, 0];
    for (let index = from; index < Math.min(from + GROUP, seeds); index += 1) {
      const seed = asked === undefined ? index : Number(asked);
      const { broken, trace, ...counted } = await simulateClones(seed);
      if (asked !== undefined) process.stdout.write(`${trace.join('\n')}\n`);
      expect(broken, `BATON_CLONES_SEED=${seed} shows how it came to this`).toEqual([]);
      overruled += counted.overruled;
      settled += counted.settled;
    }
    if (asked !== undefined) return;
    // A simulation in which nothing meets would prove nothing.
    expect(overruled).toBeGreaterThan(0);
    expect(settled).toBeGreaterThan(0);
  });

  // Seeds in which a merge went back to a text that this clone had told once and git had overruled since.
  it.each([130, 175])('agree where a merge has chosen the other side, seed %i', async (seed) => {
    expect((await simulateClones(seed)).broken).toEqual([]);
  });

  // Seeds in which one commit told of several moves: given back and accepted by a slower clock, sent back and asked about,
  // and a question that the other side had not heard of.
  it.each([484, 586, 580])('agree where a commit tells of several moves, seed %i', async (seed) => {
    expect((await simulateClones(seed)).broken).toEqual([]);
  });

  it('agree on the deadline where both have activated one draft before they heard of each other', async () => {
    const remote: Remote = { main: commitOf(new Map(), [], 'nobody') };
    const [here, there] = [openClone('here', remote, 0), openClone('there', remote, SLOWER_MS)];
    const id = (await newDocument(here, 'T')) as HandoffId;
    for (const clone of [here, there]) await share(clone);
    for (const { clock } of [here, there]) clock.advance(10 * 60_000);
    for (const { ctx } of [here, there]) expect(await activate(ctx, as('grok'), id)).toMatchObject({ ok: true });
    for (const clone of [there, here, there]) await share(clone);
    expect((await judged([here, there])).broken).toEqual([]);
    const [theirs, ours] = [await there.ctx.store.load(id), await here.ctx.store.load(id)];
    expect(Math.floor((ours?.handoff.since ?? 0) / 1000)).toBe(Math.floor((theirs?.handoff.since ?? 1) / 1000));
    const facts = (await here.ctx.store.facts({ handoff: id, max: 10 })).map(({ fact }) => fact);
    expect(facts.map(({ deed }) => deed)).toEqual(['create', 'offer', 'supersede', 'offer']);
    expect(facts.at(-1)?.by).toBe('git:there@example.org as @grok');
  });

  it('agree on the verifiers where one has revised a draft that both have activated', async () => {
    const remote: Remote = { main: commitOf(new Map(), [], 'nobody') };
    const [here, there] = [openClone('here', remote, 0), openClone('there', remote, SLOWER_MS)];
    const id = (await newDocument(here, 'T')) as HandoffId;
    for (const clone of [here, there]) await share(clone);
    const verifiers = [present(readAgentId('qa'), 'a name')];
    expect(await revise(here.ctx, as('grok'), id, { terms: { verifiers } })).toMatchObject({ ok: true });
    for (const { ctx } of [here, there]) expect(await activate(ctx, as('grok'), id)).toMatchObject({ ok: true });
    for (const clone of [there, here, there]) await share(clone);
    expect((await judged([here, there])).broken).toEqual([]);
    expect((await here.ctx.store.load(id))?.handoff.terms.verifiers).toEqual(['perplexity']);
  });

  it.each(BEGINNINGS)('agree on every way of several moves in one commit, after %s', async (beginning) => {
    const { ways, broken } = await tellSeveral(beginning, campaignSize('BATON_CLONES_MOVES'), SLOWER_MS);
    expect(broken).toEqual([]);
    expect(ways).toBeGreaterThan(0);
  });
});
