import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstBrokenRevision } from '../../src/domain/facts.ts';
import { countedAttempts, type Handoff } from '../../src/domain/handoff.ts';
import { nextState, isFinal, LIFECYCLE, STATES, type Move } from '../../src/domain/lifecycle.ts';
import { aWalk, walk, type Taken, type Walked } from './walk.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

const RUNS = { numRuns: campaignSize('BATON_WALKS') };

/** Deeds that only the present holder may do. */
const NEEDS_FENCE = ['deliver', 'failAttempt', 'giveBack', 'block', 'renew', 'reject'];

function isForEver({ custody }: Handoff): boolean {
  return custody?.by === 'hand' && custody.untilAt === null;
}

function everyWalk(holds: (walked: Walked) => void): void {
  fc.assert(
    fc.property(aWalk, (each) => holds(walk(each))),
    RUNS,
  );
}

function everyStep(holds: (taken: Taken) => void): void {
  everyWalk(({ taken }) => taken.forEach(holds));
}

describe('on every random walk', () => {
  it('I12: the state never leaves the table', () => {
    everyStep(({ before, after: next, deed }) => {
      const expected = deed === 'renew' ? before.state : nextState(before.state, deed as Move);
      expect(next.state).toBe(expected);
    });
  });

  it('I2: final stays final, and its fact is the only one and the last', () => {
    everyWalk(({ taken, trail }) => {
      for (const { before } of taken) expect(isFinal(before.state)).toBe(false);
      expect(trail.slice(0, -1).filter((fact) => isFinal(fact.to))).toEqual([]);
    });
  });

  it('I1: revisions are dense, each with one fact, and the chain of hashes adds up', () => {
    everyWalk(({ taken, trail, last }) => {
      expect(trail.map((fact) => fact.revision)).toEqual(Array.from({ length: taken.length + 1 }, (_, n) => n + 1));
      expect(firstBrokenRevision(trail)).toBeNull();
      expect([last.revision, last.trail]).toEqual([trail.length, trail.at(-1)?.hash]);
      for (const [index, fact] of trail.slice(1).entries()) expect(fact.from).toBe(trail[index]?.to);
    });
  });

  it('I6: attempt and fence grow with each acceptance, stand still otherwise, and no fence is given twice', () => {
    everyWalk(({ taken }) => {
      for (const { before, after: next, deed } of taken) {
        const grows = deed === 'accept' ? 1 : 0;
        expect([next.attempt, next.fence]).toEqual([before.attempt + grows, before.fence + grows]);
        expect(next.excused).toBeGreaterThanOrEqual(before.excused);
      }
      const fences = taken.filter((each) => each.deed === 'accept').map((each) => each.after.fence);
      expect(new Set(fences).size).toBe(fences.length);
    });
  });

  it('I6: a stale fence, none where there is a lease, or one for what is not held, changes nothing', () => {
    everyStep(({ tried, fence, before }) => {
      const isHeld = before.state === 'accepted';
      const holds = fence === null ? !isHeld || isForEver(before) : isHeld && fence === before.fence;
      expect(holds || !NEEDS_FENCE.includes(tried.doing)).toBe(true);
    });
  });

  it('I13: attempts that count are never more than allowed, and nobody begins before its time', () => {
    everyStep(({ before, after: next, deed, atMs }) => {
      expect(countedAttempts(next)).toBeLessThanOrEqual(next.terms.retry.retriesMax + 1);
      expect(countedAttempts(next)).toBeGreaterThanOrEqual(0);
      expect(deed !== 'accept' || atMs >= before.notBefore).toBe(true);
    });
  });

  it('I6: it is in one pair of hands at most, and only while accepted or, by hand, delivered', () => {
    everyStep(({ after: next }) => {
      const custody = next.custody === null ? 'nobody' : next.custody.by;
      const allowed = { accepted: ['process', 'hand'], delivered: ['hand', 'nobody'] };
      expect(next.state in allowed ? allowed[next.state as keyof typeof allowed] : ['nobody']).toContain(custody);
      expect(next.custody === null || next.custody.holder === next.to).toBe(true);
      expect(next.blockedOn !== null).toBe(next.state === 'blocked');
    });
  });

  it('I12: neither sender nor doer ever judges, and a stranger never changes anything', () => {
    everyWalk(({ trail, last }) => {
      const judged = trail.filter((fact) => ['verify', 'rework', 'reoffer'].includes(fact.deed));
      expect(judged.filter((fact) => [`@${last.from}`, `@${last.to}`].includes(fact.by))).toEqual([]);
      expect(trail.filter((fact) => fact.by === '@stranger')).toEqual([]);
    });
  });

  it('what was agreed at the beginning never changes', () => {
    const agreed = ({ id, kind, from, to, priority, lineage, terms, createdAt }: Handoff): unknown => {
      return { id, kind, from, to, priority, lineage, terms, createdAt };
    };
    everyWalk(({ taken, last }) => {
      for (const { before } of taken) expect(agreed(before)).toEqual(agreed(last));
    });
  });
});

describe('the walks', () => {
  const walks = fc.sample(aWalk, { numRuns: 3_000, seed: 20_261 }).map(walk);

  it('come through every cell of the table', () => {
    const seen = new Set(walks.flatMap(({ taken }) => taken.map((each) => `${each.before.state} ${each.deed}`)));
    const cells = STATES.flatMap((state) => Object.keys(LIFECYCLE[state]).map((move) => `${state} ${move}`));
    expect(cells.filter((cell) => !seen.has(cell))).toEqual([]);
  });

  it('try stale fences on what somebody else holds, and use attempts up', () => {
    const stale = walks.flatMap(({ refused }) =>
      refused.filter(({ before, fence }) => before.state === 'accepted' && fence !== null && fence < before.fence),
    );
    expect(stale.length).toBeGreaterThan(500);
    const spent = walks.filter(({ last }) => countedAttempts(last) === last.terms.retry.retriesMax + 1);
    expect(spent.length).toBeGreaterThan(500);
    expect(Math.max(...walks.map(({ trail }) => trail.length))).toBeGreaterThan(15);
  });
});
