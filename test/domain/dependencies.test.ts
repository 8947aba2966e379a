import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allMet, findCycle } from '../../src/domain/dependencies.ts';
import { STATES } from '../../src/domain/lifecycle.ts';
import type { HandoffId } from '../../src/domain/names.ts';

type Edges = ReadonlyMap<HandoffId, readonly HandoffId[]>;

function id(number: number): HandoffId {
  return `hoff-${number}` as HandoffId;
}

function ring(start: HandoffId, edges: Edges): readonly HandoffId[] | null {
  return findCycle(start, edges.get(start) ?? [], (each) => edges.get(each) ?? []);
}

/** Edges only from a higher number to a lower one: no ring can be among them. */
const aDag = fc
  .integer({ min: 1, max: 30 })
  .chain((size) =>
    fc
      .tuple(
        ...Array.from({ length: size }, (_, number) => fc.subarray(Array.from({ length: number }, (_each, n) => n))),
      )
      .map((rows): Edges => new Map(rows.map((row, number) => [id(number), row.map(id)]))),
  );

describe('dependencies', () => {
  it('Q9: are met when every one is completed, and only then', () => {
    expect(allMet(new Map())).toBe(true);
    expect(allMet(new Map([[id(1), 'completed']]))).toBe(true);
    expect(allMet(new Map([[id(1), null]]))).toBe(false);
    for (const state of STATES) {
      const states = new Map([
        [id(1), 'completed' as const],
        [id(2), state],
      ]);
      expect(allMet(states), `with one ${state}`).toBe(state === 'completed');
    }
  });

  it('Q9: a ring of any length is found and told in order', () => {
    for (const length of [1, 2, 3, 10, 500, 9_999]) {
      const edges = new Map(Array.from({ length }, (_, n) => [id(n), [id((n + 1) % length)]]));
      const found = ring(id(0), edges);
      expect(found).toEqual([...edges.keys(), id(0)]);
    }
  });

  it('Q9: random graphs without a ring are never refused', () => {
    fc.assert(
      fc.property(aDag, (edges) => {
        for (const start of edges.keys()) expect(ring(start, edges)).toBeNull();
      }),
    );
  });

  it('Q9: one edge that closes a ring is found, and what is told is one', () => {
    fc.assert(
      fc.property(aDag, fc.nat(), fc.nat(), (edges, a, b) => {
        const [low, high] = [a % edges.size, b % edges.size].toSorted((one, two) => one - two) as [number, number];
        const closed = new Map(edges).set(id(low), [...(edges.get(id(low)) ?? []), id(high)]);
        const reachable =
          low === high || findCycle(id(low), edges.get(id(high)) ?? [], (each) => edges.get(each) ?? []);
        const found = ring(id(low), closed);
        expect(found !== null).toBe(reachable !== null);
        expect(found === null || isRing(found, id(low), closed)).toBe(true);
      }),
    );
  });

  it('Q9: rings that do not lead through the new handoff are none of its business, and do not hang it', () => {
    const edges = new Map([
      [id(0), [id(1)]],
      [id(1), [id(2)]],
      [id(2), [id(1)]],
    ]);
    expect(ring(id(0), edges)).toBeNull();
  });

  it('Q9: the walk has an end: what is too much to follow is refused as if it were a ring', () => {
    const chainOf = (length: number): Edges => new Map(Array.from({ length }, (_, n) => [id(n), [id(n + 1)]]));
    expect(ring(id(0), chainOf(10_000))).toBeNull();
    const refused = ring(id(0), chainOf(10_001));
    expect(refused?.slice(0, 2)).toEqual([id(0), id(1)]);
  });

  it('Q9: may name what is not there yet, and the later of the two closes the ring', () => {
    const edges = new Map<HandoffId, HandoffId[]>([[id(1), [id(2)]]]);
    expect(ring(id(1), edges)).toBeNull();
    edges.set(id(2), [id(1)]);
    expect(ring(id(2), edges)).toEqual([id(2), id(1), id(2)]);
  });
});

function isRing(found: readonly HandoffId[], start: HandoffId, edges: Edges): boolean {
  const steps = found.slice(0, -1).map((each, index) => edges.get(each)?.includes(found[index + 1] as HandoffId));
  const isClosed = found[0] === start && found.at(-1) === start;
  return isClosed && steps.every((step) => step === true) && new Set(found).size === found.length - 1;
}
