import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEAD_START_MS, PRIORITIES, rankOf, type Priority } from '../../src/domain/priority.ts';
import { HOUR, MINUTE, T0 } from './a-handoff.ts';

interface Waiting {
  readonly name: string;
  readonly offeredAt: number;
  readonly priority: Priority;
}

function serve(waiting: readonly Waiting[]): readonly Waiting[] {
  return waiting.toSorted((a, b) => rankOf(a.offeredAt, a.priority) - rankOf(b.offeredAt, b.priority));
}

const anInstant = fc.integer({ min: T0, max: T0 + 30 * 24 * HOUR });
const aPriority = fc.constantFrom(...PRIORITIES);

describe('priority', () => {
  it('Q12: urgent before high before normal before low, offered at the same time', () => {
    const together = ['low', 'high', 'urgent', 'normal'] as const;
    const served = serve(together.map((priority) => ({ name: priority, offeredAt: T0, priority })));
    expect(served.map((each) => each.name)).toEqual(['urgent', 'high', 'normal', 'low']);
    expect(PRIORITIES).toEqual(['urgent', 'high', 'normal', 'low']);
  });

  it('Q12: first in, first out within one priority, to the millisecond', () => {
    fc.assert(
      fc.property(aPriority, anInstant, anInstant, (priority, one, two) => {
        expect(Math.sign(rankOf(one, priority) - rankOf(two, priority))).toBe(Math.sign(one - two));
      }),
    );
  });

  it('Q12: a head start is worth a fixed time and no more', () => {
    expect(HEAD_START_MS).toEqual({ urgent: 2 * HOUR, high: 30 * MINUTE, normal: 10 * MINUTE, low: 0 });
    expect(rankOf(T0 + 10 * MINUTE - 1, 'normal')).toBeLessThan(rankOf(T0, 'low'));
    expect(rankOf(T0 + 10 * MINUTE + 1, 'normal')).toBeGreaterThan(rankOf(T0, 'low'));
  });

  it('Q12: nothing starves: all that is offered two hours later comes after it, however urgent', () => {
    fc.assert(
      fc.property(
        aPriority,
        aPriority,
        anInstant,
        fc.integer({ min: 2 * HOUR + 1, max: 90 * HOUR }),
        (a, b, at, later) => {
          expect(rankOf(at, a)).toBeLessThan(rankOf(at + later, b));
        },
      ),
    );
  });

  it('Q12: one low handoff is served in the midst of an endless stream of urgent ones', () => {
    const low: Waiting = { name: 'low', offeredAt: T0, priority: 'low' };
    const stream = Array.from({ length: 600 }, (_, minute): Waiting => {
      return { name: `urgent ${minute}`, offeredAt: T0 + minute * MINUTE, priority: 'urgent' };
    });
    // One worker takes one a minute, exactly as fast as new ones come.
    const served: string[] = [];
    let queue: readonly Waiting[] = [low];
    for (const next of stream) {
      const [first, ...rest] = serve([...queue, next]);
      served.push(first?.name ?? '');
      queue = rest;
    }
    expect(served.indexOf('low')).toBe(120);
  });

  it('Q12: age alone never changes who is before whom', () => {
    fc.assert(
      fc.property(aPriority, aPriority, anInstant, anInstant, fc.nat(HOUR), (a, b, one, two, passed) => {
        const now = Math.sign(rankOf(one, a) - rankOf(two, b));
        expect(Math.sign(rankOf(one + passed, a) - rankOf(two + passed, b))).toBe(now);
      }),
    );
  });
});
