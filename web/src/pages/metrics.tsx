/** How much goes through, how long it takes, what fails, who waits. */
import type { VNode } from 'preact';
import type { HandoffView } from '../api.ts';
import { Card } from '../parts/card.tsx';
import { Bars } from '../parts/bars.tsx';
import { lazy } from '../parts/lazy.tsx';
import type { Minute } from '../parts/throughput.tsx';
import { span } from '../time.ts';
import { usePolled } from './agents.tsx';

const Throughput = lazy(async () => (await import('../parts/throughput.tsx')).Throughput);

interface Spent {
  readonly count: number;
  readonly totalMs: number;
  readonly maxMs: number;
}

interface Summary {
  readonly minutes: readonly Minute[];
  readonly timeInState: Readonly<Record<string, Spent>>;
  readonly failures: readonly { readonly code: string; readonly count: number }[];
  readonly open: Readonly<Record<string, number>>;
  readonly oldestWaiting: readonly HandoffView[];
}

export function Metrics(): VNode {
  const answer = usePolled<Summary>('/api/metrics-summary', 3_000);
  if (answer === null) return <p class="empty">One moment…</p>;
  if (answer instanceof Error) return <p class="problem">{answer.message}</p>;
  const { minutes, timeInState, failures, open, oldestWaiting } = answer;
  return (
    <>
      <div class="bar">
        <h1>Metrics</h1>
        <span class="soft">Counted by this server since it started, and from the newest handoffs before.</span>
      </div>
      <section class="panel">
        <h2>Handoffs a minute</h2>
        <Throughput minutes={minutes} />
      </section>
      <div class="halves">
        <section class="panel">
          <h2>Open now</h2>
          <Bars rows={Object.entries(open).filter(([, count]) => count > 0)} empty="Nothing is open." />
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
                <th scope="col">Mean</th>
                <th scope="col">Longest</th>
                <th scope="col">Times</th>
              </tr>
            </thead>
            <tbody>
              {Object.entries(timeInState).map(([state, { count, totalMs, maxMs }]) => (
                <tr key={state}>
                  <th scope="row">{state}</th>
                  <td>{count === 0 ? '–' : span(totalMs / count)}</td>
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
          <ul class="shelf one">
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
