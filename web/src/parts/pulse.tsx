/** A line of numbers on every page. Each number links to what it counts. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AttentionView } from '../../../src/interfaces/http/attention.ts';
import { usePolled } from '../polled.ts';
import { now, span } from '../time.ts';
import { place, workHref } from '../location.ts';

const HOME_MAX = 200;
/** For the rows that come first in the table. */
const WORK_MAX = 30;

/** Every page shows a part of this answer. */
export const attention = signal<AttentionView | null>(null);
export const attentionError = signal<Error | null>(null);

export function Pulse(): VNode {
  const isHome = place.value.page === 'attention';
  const limit = isHome ? HOME_MAX : place.value.page === 'work' ? WORK_MAX : 0;
  const { answer, error } = usePolled<AttentionView>(`/api/attention?limit=${limit}`);
  useEffect(() => {
    attentionError.value = error;
    if (answer === null) return;
    const { items = [], atWork = [] } = attention.value ?? {};
    // A page that asks for no list keeps the earlier one.
    attention.value = limit > 0 ? answer : { ...answer, items, atWork };
  }, [answer, error]);
  const seen = answer ?? attention.value;
  if (seen === null) return <div class="pulse skeleton" aria-busy="true" aria-label="Loading" />;
  const { needYou, atWork, waiting, waitingSince, failing: retrying, perMinute } = seen.pulse;
  const { failed } = seen.counts;
  const oldest =
    waitingSince === null ? '' : `, oldest ${span(Math.max(0, now.value - new Date(waitingSince).getTime()))}`;
  return (
    <div class="pulse" role="group" aria-label="Pulse">
      <a href="#/attention" class={needYou > 0 ? 'tone-person' : ''}>
        <b>{needYou}</b> need you
      </a>
      <a href={workHref('state:accepted')} class={atWork > 0 ? 'tone-running' : ''}>
        <b>{atWork}</b> at work
      </a>
      <a href={workHref('state:offered sort:oldest')}>
        <b>{waiting}</b> waiting{oldest}
      </a>
      <a href="#/attention?why=failed" class={failed > 0 ? 'tone-broken' : ''}>
        <b>{failed}</b> failed
      </a>
      <a href="#/attention?why=failing" class={retrying > 0 ? 'tone-broken' : ''}>
        <b>{retrying}</b> retrying
      </a>
      <a href="#/metrics">
        <b>{perMinute}</b> finished/min
      </a>
    </div>
  );
}
