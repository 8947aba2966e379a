/** Answers that are read again after each event, and on a timer after a failure. */
import { useEffect, useState } from 'preact/hooks';
import { errorOf } from '../../src/foundation/error-message.ts';
import { getJson } from './api.ts';
import { noteFailing, version } from './live.ts';

const RETRY_MS = 2_000;

interface Options {
  readonly everyMs?: number;
  /** Reads again on the timer even without an event. */
  readonly always?: boolean;
}

/** For answers that no fact announces. */
export const BY_TIME: Options = { everyMs: 5_000, always: true };

/** The last answer stays while a newer one cannot be read. A path of null asks nothing. */
export function usePolled<Answer>(path: string | null, { everyMs = 1_500, always = false }: Options = {}) {
  const [state, setState] = useState<{ path: string | null; answer: Answer | null; error: Error | null }>({
    path,
    answer: null,
    error: null,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === null) return undefined;
    const over = new AbortController();
    let asked = -1;
    let isAsking = false;
    let failedAtMs: number | null = null;
    const poll = (): void => {
      const isDue = failedAtMs === null ? always || asked !== version.value : Date.now() - failedAtMs >= RETRY_MS;
      if (document.hidden || isAsking || !isDue) return;
      isAsking = true;
      asked = version.value;
      getJson<Answer>(path, over.signal)
        .then(
          (answer) => {
            failedAtMs = null;
            noteFailing(path, false);
            setState({ path, answer, error: null });
          },
          (error: unknown) => {
            if (over.signal.aborted) return;
            failedAtMs = Date.now();
            noteFailing(path, true);
            setState((before) => ({
              path,
              answer: before.path === path ? before.answer : null,
              error: errorOf(error),
            }));
          },
        )
        .finally(() => {
          isAsking = false;
        });
    };
    poll();
    const timer = setInterval(poll, everyMs);
    document.addEventListener('visibilitychange', poll);
    return () => {
      over.abort();
      noteFailing(path, false);
      clearInterval(timer);
      document.removeEventListener('visibilitychange', poll);
    };
  }, [path, round]);
  const { answer, error } = state.path === path ? state : { answer: null, error: null };
  return { answer, error, again: () => setRound((before) => before + 1) };
}
