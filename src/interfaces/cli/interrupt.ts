/** The first Ctrl-C asks to stop, the second insists. Exit codes are those that shells expect. */
export type Interrupts = ReturnType<typeof onInterrupt>;

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export function onInterrupt(asked: () => void) {
  const stop = new AbortController();
  const force = new AbortController();
  let code: number | null = null;
  for (const [name, exitCode] of Object.entries(SIGNALS) as [keyof typeof SIGNALS, number][]) {
    process.on(name, () => {
      code = exitCode;
      if (!stop.signal.aborted) {
        stop.abort();
        asked();
      } else if (!force.signal.aborted) force.abort();
      else process.exit(exitCode);
    });
  }
  return {
    stop: stop.signal,
    force: force.signal,
    /** Asks to stop without an interrupt, so the exit code stays. */
    requestStop: () => stop.abort(),
    /** The exit code if there was an interrupt, else null. */
    exitCode: () => code,
  };
}
