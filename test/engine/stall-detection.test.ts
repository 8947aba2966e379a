import { describe, expect, it } from 'vitest';
import { openStallWatch, type StallWatch } from '../../src/engine/stall-detection.ts';

const LEASE_MS = 10_000;
const RENEW_MS = 1_000;

/** A watch over a store whose clock is moved by hand. */
function watchAt(): { readonly watch: StallWatch; readonly pass: (ms: number) => void; readonly write: () => void } {
  let nowMs = 1_000_000;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const watch = openStallWatch({ store: { nowMs: clock.nowMs }, clock, report: () => undefined }, RENEW_MS);
  return {
    watch,
    pass: (ms) => (nowMs += ms),
    write: () => watch.proven(nowMs),
  };
}

/** Renews as the holder of the duty does. */
function watchFor(ms: number, { pass, write }: ReturnType<typeof watchAt>): void {
  for (let passedMs = 0; passedMs < ms; passedMs += RENEW_MS) {
    pass(RENEW_MS);
    write();
  }
}

describe('who may judge the silence of others', () => {
  it('I14: nobody who has not watched for a lease', () => {
    const world = watchAt();
    expect(world.watch.check().hasWatched(LEASE_MS)).toBe(false);
    watchFor(LEASE_MS, world);
    expect(world.watch.check().hasWatched(LEASE_MS)).toBe(true);
  });

  it('I14: nobody who was stopped or locked out, until one lease later', () => {
    const world = watchAt();
    watchFor(LEASE_MS, world);
    world.pass(30_000);
    // Before the first write after it as well: a sweep may have been in the middle when it was stopped.
    expect(world.watch.check().hasWatched(LEASE_MS)).toBe(false);
    world.write();
    expect(world.watch.check().hasWatched(LEASE_MS)).toBe(false);
    watchFor(LEASE_MS - RENEW_MS, world);
    expect(world.watch.check().hasWatched(LEASE_MS)).toBe(false);
    watchFor(RENEW_MS, world);
    expect(world.watch.check().hasWatched(LEASE_MS)).toBe(true);
  });

  it('I14: a gap matters to those for whom it is half a lease', () => {
    const world = watchAt();
    watchFor(60_000, world);
    world.pass(RENEW_MS + 4_000);
    world.write();
    expect(world.watch.check().hasWatched(LEASE_MS)).toBe(true);
    expect(world.watch.check().hasWatched(2_000)).toBe(false);
  });
});
