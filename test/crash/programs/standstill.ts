const EVERY_MS = 5;

/** The longest time for which the event loop did not get round to a timer. */
export function watchStandstill(): { stop(): number } {
  let longestMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs - EVERY_MS);
    lastMs = nowMs;
  }, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.round(longestMs * 10) / 10;
    },
  };
}
