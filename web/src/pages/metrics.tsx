/** How much goes through, how long it takes, what fails, who waits. */
import type { VNode } from 'preact';
import type { Row } from '../api.ts';
import { Card } from '../parts/card.tsx';
import { Bars } from '../parts/bars.tsx';
import { lazy } from '../parts/lazy.tsx';
import type { Minute } from '../parts/throughput.tsx';
import { span, whole } from '../time.ts';
import { STATE_WORDS, type State } from '../words.ts';
import { Failed, Loading } from '../parts/labels.tsx';
import { usePolled } from '../polled.ts';

const Throughput = lazy(async () => (await import('../parts/throughput.tsx')).Throughput);

interface Spent {
  readonly count: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly maxMs: number;
}

interface Summary {
  readonly since: string | null;
  readonly minutes: readonly Minute[];
  readonly timeInState: Readonly<Record<string, Spent>>;
  readonly failures: readonly { readonly code: string; readonly count: number }[];
  readonly open: Readonly<Record<string, number>>;
  readonly oldestWaiting: readonly Row[];
}

export function Metrics(): VNode {
  const { answer, error } = usePolled<Summary>('/api/metrics-summary', { everyMs: 3_000 });
  if (answer === null) return error === null ? <Loading /> : <Failed error={error} />;
  const { since, minutes, timeInState, failures, open, oldestWaiting } = answer;
  return (
    <>
      <div class="bar">
        <h1>Metrics</h1>
        <span class="soft">
          {since === null ? 'Counted from the first fact on.' : `Counted from ${whole(since)} on.`}
        </span>
      </div>
      <section class="panel">
        <h2>Handoffs a minute</h2>
        <Throughput minutes={minutes} />
      </section>
      <div class="halves">
        <section class="panel">
          <h2>Open now</h2>
          <Bars
            rows={Object.entries(open)
              .filter(([, count]) => count > 0)
              .map(([state, count]) => [STATE_WORDS[state as State] ?? state, count] as const)}
            empty="Nothing is open."
          />
        </section>
        <section class="panel">
          <h2>Failures by code</h2>
          <Bars rows={failures.map(({ code, count }) => [code, count])} empty="Nothing failed." />
        </section>
        <section class="panel">
          <h2>Time in a state</h2>
          <table>
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Half within</th>
                <th scope="col">95 % within</th>
                <th scope="col">Longest</th>
                <th scope="col">Times</th>
              </tr>
            </thead>
            <tbody>
              {Object.entries(timeInState).map(([state, { count, p50Ms, p95Ms, maxMs }]) => (
                <tr key={state}>
                  <th scope="row">{STATE_WORDS[state as State] ?? state}</th>
                  <td>{p50Ms === null ? '–' : span(p50Ms)}</td>
                  <td>{p95Ms === null ? '–' : span(p95Ms)}</td>
                  <td>{span(maxMs)}</td>
                  <td>{count}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <section class="panel">
          <h2>Waiting longest</h2>
          {oldestWaiting.length === 0 ? <p class="empty">Nobody waits.</p> : null}
          <ul class="cards-list">
            {oldestWaiting.slice(0, 6).map((handoff) => (
              <li key={handoff.id}>
                <Card handoff={handoff} />
              </li>
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}
