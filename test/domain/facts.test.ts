import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/foundation/digest.ts';
import { firstBrokenRevision, hashOf, NO_TRAIL, appendFact, type Fact } from '../../src/domain/facts.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import { MOVES, STATES } from '../../src/domain/lifecycle.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { aHandoff, T0 } from './a-handoff.ts';

interface Story {
  readonly trail: readonly Fact[];
  readonly last: Handoff;
}

/** A trail of any content: whether a story is legal is not what the chain judges. */
const aStory: fc.Arbitrary<Story> = fc
  .array(
    fc.record({
      state: fc.constantFrom(...STATES),
      deed: fc.constantFrom(...MOVES, 'renew' as const, 'progress' as const),
      by: fc.constantFrom('@a', '@b', 'operator', 'file:1000'),
      at: fc.nat(),
      fence: fc.nat(9),
      note: fc.option(fc.string()),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((steps) => {
    const trail: Fact[] = [];
    let last: Handoff | null = null;
    for (const { state, deed, by, at, fence, note } of steps) {
      const next: Handoff = { ...(last ?? aHandoff('draft', { revision: 0 })), state, fence };
      const seen = appendFact(last, next, last === null ? 'create' : deed, by, at, note === null ? null : { note });
      trail.push(seen.fact);
      last = seen.handoff;
    }
    return { trail, last: last as Handoff };
  });

const withPlace = aStory.chain((story) => fc.record({ story: fc.constant(story), at: fc.nat(story.trail.length - 1) }));

/** Another value of the same kind for each field. */
const CHANGES: Record<keyof Fact, (fact: Fact) => Partial<Fact>> = {
  handoff: (fact) => ({ handoff: `${fact.handoff}x` as HandoffId }),
  revision: (fact) => ({ revision: fact.revision + 1 }),
  at: (fact) => ({ at: fact.at + 1 }),
  by: (fact) => ({ by: `${fact.by}x` }),
  deed: (fact) => ({ deed: fact.deed === 'verify' ? 'cancel' : 'verify' }),
  from: (fact) => ({ from: fact.from === null ? 'draft' : null }),
  to: (fact) => ({ to: fact.to === 'completed' ? 'failed' : 'completed' }),
  attempt: (fact) => ({ attempt: fact.attempt + 1 }),
  fence: (fact) => ({ fence: fact.fence - 1 }),
  detail: (fact) => ({ detail: `${fact.detail} ` }),
  hash: (fact) => ({ hash: `${fact.hash.startsWith('A') ? 'B' : 'A'}${fact.hash.slice(1)}` }),
};

/** What is wrong only at the very end still adds up: there the head in the record gives it away. */
function brokenUnder(trail: readonly Fact[], last: Handoff): number | 'head' | null {
  return firstBrokenRevision(trail) ?? ((trail.at(-1)?.hash ?? NO_TRAIL) === last.trail ? null : 'head');
}

it('the hash of a fact is that of a list in JSON, whatever its words hold', () => {
  const words = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(aStory, words, words, ({ trail }, by, detail) => {
      const fact = { ...(trail.at(-1) as Fact), by, detail };
      const { handoff, revision, at, deed, from, to, attempt, fence } = fact;
      const list = ['previous', handoff, revision, at, by, deed, from, to, attempt, fence, detail];
      expect(hashOf(fact, 'previous')).toBe(digestOf(JSON.stringify(list)));
    }),
  );
});

describe('a trail of facts', () => {
  it('I1: adds up as it was written, and its head is in the record', () => {
    fc.assert(
      fc.property(aStory, ({ trail, last }) => {
        expect(brokenUnder(trail, last)).toBeNull();
        expect([last.revision, last.trail]).toEqual([trail.length, trail.at(-1)?.hash]);
      }),
    );
    expect(firstBrokenRevision([])).toBeNull();
  });

  it.each(Object.keys(CHANGES) as (keyof Fact)[])(
    'I1: shows a change of %s at the revision where it was made',
    (field) => {
      fc.assert(
        fc.property(withPlace, ({ story, at }) => {
          const forged = story.trail.map((fact, index) => (index === at ? { ...fact, ...CHANGES[field](fact) } : fact));
          expect(firstBrokenRevision(forged)).toBe(at + 1);
        }),
      );
    },
  );

  it('I1: shows a changed fact also when its own hash was made to fit', () => {
    fc.assert(
      fc.property(withPlace, ({ story: { trail, last }, at }) => {
        const forged = { ...(trail[at] as Fact), by: '@somebody-else' };
        const fitting = { ...forged, hash: hashOf(forged, trail[at - 1]?.hash ?? NO_TRAIL) };
        const changed = trail.with(at, fitting);
        expect(brokenUnder(changed, last)).toBe(at < trail.length - 1 ? at + 2 : 'head');
      }),
    );
  });

  it('I1: shows what was taken out; of the end, by the head in the record', () => {
    fc.assert(
      fc.property(withPlace, ({ story: { trail, last }, at }) => {
        const shorter = trail.toSpliced(at, 1);
        expect(brokenUnder(shorter, last)).toBe(at < trail.length - 1 ? at + 1 : 'head');
      }),
    );
  });

  it('I1: shows a gap that was closed by counting again', () => {
    fc.assert(
      fc.property(withPlace, ({ story: { trail }, at }) => {
        fc.pre(at < trail.length - 1);
        const recounted = trail.toSpliced(at, 1).map((fact, index) => ({ ...fact, revision: index + 1 }));
        expect(firstBrokenRevision(recounted)).toBe(at + 1);
      }),
    );
  });

  it('I1: shows a number that was left out, also when every hash was made to fit', () => {
    fc.assert(
      fc.property(withPlace, ({ story: { trail }, at }) => {
        const forged: Fact[] = [];
        for (const fact of trail) {
          const counted = { ...fact, revision: fact.revision > at ? fact.revision + 1 : fact.revision };
          forged.push({ ...counted, hash: hashOf(counted, forged.at(-1)?.hash ?? NO_TRAIL) });
        }
        expect(firstBrokenRevision(forged)).toBe(at + 1);
      }),
    );
  });

  it('I1: shows two facts that changed places', () => {
    fc.assert(
      fc.property(aStory, fc.nat(), fc.nat(), ({ trail }, a, b) => {
        const [one, two] = [a % trail.length, b % trail.length];
        fc.pre(one !== two);
        const swapped = trail.with(one, trail[two] as Fact).with(two, trail[one] as Fact);
        expect(firstBrokenRevision(swapped)).toBe(Math.min(one, two) + 1);
      }),
    );
  });

  it('I1: shows what was put in, a repetition as well as a fact of another trail', () => {
    fc.assert(
      fc.property(withPlace, aStory, ({ story: { trail }, at }, other) => {
        expect(firstBrokenRevision(trail.toSpliced(at + 1, 0, trail[at] as Fact))).toBe(at + 2);
        const foreign = { ...(other.trail[0] as Fact), revision: at + 1, handoff: 'other' as HandoffId };
        expect(firstBrokenRevision(trail.toSpliced(at, 0, foreign))).toBe(at + 1);
      }),
    );
  });
});

describe('witness', () => {
  it('I1: counts from one and says what happened', () => {
    const first = appendFact(null, aHandoff('offered', { revision: 0 }), 'create', '@sender', T0);
    expect(first.fact).toMatchObject({ revision: 1, from: null, to: 'offered', deed: 'create', detail: '', at: T0 });
    expect(first.handoff).toMatchObject({ revision: 1, trail: first.fact.hash });
    const next = { ...first.handoff, state: 'accepted' as const, attempt: 1, fence: 1 };
    const second = appendFact(first.handoff, next, 'accept', '@recipient', T0 + 1, { note: 'mine' });
    expect(second.fact).toMatchObject({ revision: 2, from: 'offered', to: 'accepted', attempt: 1, fence: 1 });
    expect(second.fact.detail).toBe('{"note":"mine"}');
    expect(second.fact.hash).toMatch(/^[\w-]{43}$/);
  });

  it('keeps neighbouring fields apart: no two facts share the text that is hashed', () => {
    const { hash, ...fact } = appendFact(null, aHandoff('offered'), 'create', '@a', T0).fact;
    expect(hash).not.toBe(hashOf({ ...fact, by: '@a","create' }, NO_TRAIL));
    expect(hashOf({ ...fact, attempt: 1, fence: 23 }, 'x')).not.toBe(hashOf({ ...fact, attempt: 12, fence: 3 }, 'x'));
    expect(hashOf(fact, 'x')).not.toBe(hashOf(fact, 'y'));
  });
});
