/** Throughput, time in each state, failures, and the oldest waiting handoffs. */
import type { VNode } from 'preact';
import type { MetricsAnswer } from '../api.ts';
import { Card } from '../parts/card.tsx';
import { lazy } from '../parts/lazy.tsx';
import { span, whole } from '../time.ts';
import { STATES, type State } from '../states.ts';
import { Pending, TableHead } from '../parts/labels.tsx';
import { usePolled } from '../polled.ts';

const Throughput = lazy(async () => (await import('../parts/throughput.tsx')).Throughput);

export function Metrics(): VNode {
  const { answer, error } = usePolled<MetricsAnswer>('/api/metrics-summary', { everyMs: 3_000 });
  if (answer === null) return <Pending error={error} />;
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
              .map(([state, count]) => [nameOf(state), count] as const)}
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
            <TableHead names={['State', 'Half within', '95 % within', 'Longest', 'Times']} />
            <tbody>
              {Object.entries(timeInState).map(([state, { count, p50Ms, p95Ms, maxMs }]) => (
                <tr key={state}>
                  <th scope="row">{nameOf(state)}</th>
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

function nameOf(state: string): string {
  return STATES[state as State]?.name ?? state;
}

interface BarsProps {
  readonly rows: readonly (readonly [name: string, count: number])[];
  readonly empty: string;
}

function Bars({ rows, empty }: BarsProps): VNode {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const most = Math.max(...rows.map(([, count]) => count));
  return (
    <table class="bars">
      <tbody>
        {rows.map(([name, count]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="bar-cell">
              <span class="bar-fill" style={{ width: `${(100 * count) / most}%` }} />
            </td>
            <td class="number">{count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
