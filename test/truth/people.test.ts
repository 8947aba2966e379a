/** Who agrees, and who only seems to. Each row: the lie, the interface, and the answer it has to get. */
import { describe, expect, it } from 'vitest';
import { OPERATOR, SYSTEM, type Principal } from '../../src/domain/principal.ts';
import type { Terms } from '../../src/domain/handoff.ts';
import { answerOf, byUser, local, named, proven, PROVEN_OPERATOR, truthWorld, type Attempt } from './world.ts';

function judged(lie: string, answer: string, by: Principal, deliverer: Principal = local('dev')): Attempt {
  const attempt = async (): Promise<string> => {
    const world = await truthWorld();
    world.write('page.html', 'done');
    const handoff = await world.ask();
    const delivered = await world.deliver(handoff, [{ kind: 'file', value: 'page.html' }], deliverer);
    return delivered.ok ? answerOf(await world.verify(handoff.id, by)) : `delivery ${answerOf(delivered)}`;
  };
  return { lie, through: 'library', answer, attempt };
}

const IDENTITY: readonly Attempt[] = [
  judged('no lie: a verifier with a token', 'completed verified', proven('qa')),
  judged('only the word of a local user', 'completed attested', local('qa')),
  judged('the operator without a token', 'completed attested', OPERATOR),
  judged('no lie: the operator with a token', 'completed verified', PROVEN_OPERATOR),
  judged('one user of the machine with two tokens', 'completed attested', byUser('qa', '1000'), byUser('dev', '1000')),
  judged('one user who delivers without a token', 'completed attested', byUser('qa', '1000')),
  judged('no lie: two users with tokens', 'completed verified', byUser('qa', '1001'), byUser('dev', '1000')),
  judged('the sender', 'refused own-work', proven('pm')),
  judged('the doer', 'refused own-work', proven('dev')),
  judged('a stranger', 'refused no-such-handoff', proven('cook')),
  judged('the rule that completes by itself', 'refused not-entitled', SYSTEM),
];

function asked(lie: string, answer: string, terms: Partial<Terms>, more: object = {}): Attempt {
  const attempt = async (): Promise<string> => {
    const world = await truthWorld('verifiers: [qa]\nfolders: { documents: off }\n');
    const handoff = await world.ask({ deliverables: [], ...terms }, more);
    return answerOf(await world.deliver(handoff, []));
  };
  return { lie, through: 'library', answer, attempt };
}

async function chained(of: 'child' | 'sibling'): Promise<string> {
  const world = await truthWorld();
  const root = await world.ask({ verifiers: [], deliverables: [] });
  await world.take(root);
  const own = await world.ask(
    { deliverables: [] },
    { from: named('dev'), to: named('helper'), parent: root.id, terms: { verifiers: [named('qa')] } },
  );
  const parent = of === 'child' ? own.id : root.id;
  const other = await world.ask(
    {},
    { from: named(of === 'child' ? 'helper' : 'dev'), to: named('qa'), parent, terms: { verifiers: [] } },
  );
  const fence = (await world.take(other, local('qa'))).fence;
  expect(fence).toBe(1);
  const taken = await world.take(own, local('helper'));
  const { deliver } = await import('../../src/engine/handoffs/deliver.ts');
  await deliver(world.ctx, local('helper'), { target: own.id, fence: taken.fence, result: null });
  return answerOf(await world.verify(own.id, proven('qa')));
}

const POLICY: readonly Attempt[] = [
  asked('no verifiers at all: nobody was asked', 'completed unverified', { verifiers: [] }),
  {
    lie: '`verifiers: []` for a document of a workspace that has some',
    through: 'library',
    answer: 'qa',
    attempt: async () => {
      const world = await truthWorld('verifiers: [qa]\n');
      const { terms } = await world.ask({ verifiers: [] }, { kind: 'document', task: 'T-1' });
      return terms.verifiers.join(' ');
    },
  },
  {
    lie: 'another verifier instead of the one of the workspace',
    through: 'library',
    answer: 'qa friend',
    attempt: async () => {
      const world = await truthWorld('verifiers: [qa]\n');
      const { terms } = await world.ask({ verifiers: [named('friend')] }, { kind: 'document', task: 'T-1' });
      return terms.verifiers.join(' ');
    },
  },
  {
    lie: 'work for oneself, with nobody to verify it',
    through: 'library',
    answer: 'delivered',
    attempt: async () => {
      const world = await truthWorld();
      const handoff = await world.ask(
        {},
        { from: named('dev'), to: named('dev'), terms: { verifiers: [], deliverables: [] } },
      );
      return answerOf(await world.deliver(handoff, []));
    },
  },
  {
    lie: 'whoever did a part of it below',
    through: 'library',
    answer: 'refused own-work',
    attempt: () => chained('child'),
  },
  {
    lie: 'whoever did a part of it beside',
    through: 'library',
    answer: 'refused own-work',
    attempt: () => chained('sibling'),
  },
  {
    lie: 'completed without deliverables',
    through: 'library',
    answer: 'completed attested',
    attempt: async () => {
      const world = await truthWorld();
      const handoff = await world.ask({ deliverables: [] });
      await world.deliver(handoff, []);
      return answerOf(await world.verify(handoff.id));
    },
  },
  {
    lie: 'criteria that nobody judged',
    through: 'library',
    answer: 'refused criteria-open',
    attempt: async () => {
      const world = await truthWorld();
      const handoff = await world.ask({ deliverables: [], criteria: ['works on a phone'] });
      await world.deliver(handoff, []);
      return answerOf(await world.verify(handoff.id));
    },
  },
  {
    lie: 'the automatic step is called by its own name, and judges nothing',
    through: 'library',
    answer: 'complete by system, criteria not judged',
    attempt: async () => {
      const world = await truthWorld();
      const handoff = await world.ask({ verifiers: [], deliverables: [], criteria: ['works'] });
      await world.deliver(handoff, []);
      const facts = await world.ctx.store.facts({ handoff: handoff.id, max: 100 });
      const last = facts.at(-1)?.fact;
      return `${last?.deed} by ${last?.by}, criteria ${last?.detail === '' ? 'not judged' : last?.detail}`;
    },
  },
];

describe('people', () => {
  it.each([...IDENTITY, ...POLICY])('$through: $lie → $answer', async ({ attempt, answer }) => {
    expect(await attempt()).toBe(answer);
  });
});
