import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STATES } from '../../src/domain/lifecycle.ts';
import { NO_LIMITS, slotsNeeded, usesCapacity, type Limits } from '../../src/domain/limits.ts';
import type { AgentId } from '../../src/domain/names.ts';

const [A, B, C] = ['a', 'b', 'c'] as [AgentId, AgentId, AgentId];

const LIMITS: Limits = {
  agents: new Map([
    [A, { outgoingMax: 2, incomingMax: 3 }],
    [C, { outgoingMax: null, incomingMax: 0 }],
  ]),
  everyone: { outgoingMax: 5, incomingMax: 7 },
};

/** As `agent direction max counted`, in the order in which they are locked. */
function places(limits: Limits, from: AgentId, to: AgentId, kind: 'queue' | 'document'): readonly string[] {
  return slotsNeeded(limits, from, to, kind).map(
    (each) => `${each.agent} ${each.direction} ${each.max} ${each.counts}`,
  );
}

describe('the places a handoff needs', () => {
  it('D5: one at its sender and one at its recipient', () => {
    expect(places(LIMITS, A, B, 'document')).toEqual(['a outgoing 2 all', 'b incoming 7 documents']);
    expect(places(LIMITS, B, A, 'document')).toEqual(['a incoming 3 all', 'b outgoing 5 documents']);
  });

  it('D5: an own limit counts everything, the default for all others only documents', () => {
    expect(places(LIMITS, A, B, 'queue')).toEqual(['a outgoing 2 all']);
    expect(places(LIMITS, B, A, 'queue')).toEqual(['a incoming 3 all']);
    expect(places(LIMITS, B, B, 'queue')).toEqual([]);
  });

  it('D5: a direction without an own limit has the default, and zero is a limit', () => {
    expect(places(LIMITS, C, B, 'document')).toEqual(['b incoming 7 documents', 'c outgoing 5 documents']);
    expect(places(LIMITS, B, C, 'queue')).toEqual(['c incoming 0 all']);
  });

  it('needs none where there is no limit', () => {
    expect(places(NO_LIMITS, A, B, 'document')).toEqual([]);
    expect(places({ ...LIMITS, everyone: NO_LIMITS.everyone }, B, C, 'document')).toEqual(['c incoming 0 all']);
  });

  it('D5: two different ones when an agent hands work to itself', () => {
    expect(places(LIMITS, A, A, 'queue')).toEqual(['a incoming 3 all', 'a outgoing 2 all']);
  });

  it('D5: always in one order, so that nobody who locks them can deadlock', () => {
    const names = fc.constantFrom(...['a', 'B', 'a-b', 'a.b', 'a0', 'b', 'z', '0'].map((name) => name as AgentId));
    fc.assert(
      fc.property(names, names, fc.nat(3), (from, to, max) => {
        const everyone = { outgoingMax: max, incomingMax: max };
        const keys = slotsNeeded({ agents: new Map(), everyone }, from, to, 'document').map(
          (each) => `${each.agent}\u0000${each.direction}`,
        );
        expect(keys).toEqual(keys.toSorted());
        expect(new Set(keys).size).toBe(2);
      }),
    );
  });
});

describe('takesPlace', () => {
  it('D5: everything open counts, except what itself waits for a place', () => {
    const counted = STATES.filter((state) => usesCapacity({ state, blockedOn: null }));
    expect(counted).toEqual(['draft', 'offered', 'blocked', 'accepted', 'delivered']);
    expect(usesCapacity({ state: 'blocked', blockedOn: { reason: 'place' } })).toBe(false);
    expect(usesCapacity({ state: 'blocked', blockedOn: { reason: 'dependency' } })).toBe(true);
    expect(usesCapacity({ state: 'blocked', blockedOn: { reason: 'question', text: '?' } })).toBe(true);
  });
});
