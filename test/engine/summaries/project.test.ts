/** A project of 200 summaries, from the first to the last. */
import { describe, expect, it } from 'vitest';
import { firstBrokenRevision } from '../../../src/domain/facts.ts';
import type { JsonObject } from '../../../src/foundation/json.ts';
import { summaryProject } from '../../support/summary-project.ts';
import { summaryWorld } from './summary-world.ts';

describe.each([1, 2, 3])('a project of 200 summaries by eight agents (seed %i)', (seed) => {
  const { summaries, expected, project } = summaryProject(seed);

  it('S4, S5, S9: every summary stands in the trail once, in order, and nothing is left open', async () => {
    const world = summaryWorld();
    for (const { name, text } of summaries) {
      const answers = await world.tell(text, { source: { file: name }, project });
      expect({ name, answers }).toMatchObject({ name, answers: [{ fate: 'done', problems: [], warnings: [] }] });
    }
    const told = await world.summaries();
    expect(told.map(({ from, to, phase, status }) => ({ from, to, phase, status }))).toEqual(
      summaries.map(({ from, to, phase, status }) => ({ from, to, phase, status })),
    );
    expect(await world.openLegs()).toEqual([]);
    const facts = await world.facts();
    for (const { id } of await world.handoffs()) {
      expect(firstBrokenRevision(facts.filter(({ handoff }) => handoff === id))).toBeNull();
    }
    const details = facts.filter(({ detail }) => detail !== '').map(({ detail }) => JSON.parse(detail) as JsonObject);
    const escalated = details.map((detail) => detail['escalated'] as JsonObject | undefined);
    expect({
      retries: facts.filter(({ deed }) => deed === 'retry').length,
      routes: details.filter((detail) => 'routedTo' in detail).length,
      escalations: escalated.filter((each) => each?.['why'] === 'failures').length,
      stops: escalated.filter((each) => each?.['why'] === 'hops').length,
    }).toEqual(expected);
  });
});
