import { describe, expect, it } from 'vitest';
import { systemClock, systemTimers } from '../../src/foundation/clock.ts';

const FOR_EVER_MS = 2_000_000_000;

describe('the clock of the system', () => {
  it('tells the time as people read it', () => {
    const before = Date.now();
    const nowMs = systemClock.nowMs();
    expect(nowMs).toBeGreaterThanOrEqual(before);
    expect(nowMs).toBeLessThanOrEqual(Date.now());
  });

  it('measures in whole milliseconds that never go back', () => {
    const seen = Array.from({ length: 1_000 }, () => systemClock.monotonicMs());
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.every(Number.isSafeInteger)).toBe(true);
  });
});

describe('the timers of the system', () => {
  it('end by themselves', async () => {
    await expect(systemTimers.sleep(0)).resolves.toBeUndefined();
  });

  it('end at once for who no longer wants to wait, and leave nothing behind', async () => {
    await systemTimers.sleep(FOR_EVER_MS, AbortSignal.abort());
    const stop = new AbortController();
    const before = process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    const sleeping = systemTimers.sleep(FOR_EVER_MS, stop.signal);
    expect(process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length).toBe(before + 1);
    stop.abort(new Error('enough'));
    await expect(sleeping).resolves.toBeUndefined();
    expect(process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length).toBe(before);
  });

  it('take their hand from the signal when they end by themselves', async () => {
    const stop = new AbortController();
    let listeners = 0;
    const counted = new Proxy(stop.signal, {
      get(signal, name) {
        const value: unknown = Reflect.get(signal, name, signal);
        if (typeof value !== 'function') return value;
        if (name === 'addEventListener') listeners += 1;
        if (name === 'removeEventListener') listeners -= 1;
        return (value as () => unknown).bind(signal);
      },
    });
    await systemTimers.sleep(0, counted);
    expect(listeners).toBe(0);
  });
});
