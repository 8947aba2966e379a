/** What is going on, in one line on every page. Each number leads to what it counts. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Row } from '../api.ts';
import { usePolled } from '../polled.ts';
import { now, span } from '../time.ts';
import { place, workHref } from '../where.ts';

export interface AttentionAnswer {
  readonly pulse: {
    readonly needYou: number;
    readonly atWork: number;
    readonly waiting: number;
    readonly waitingSince: string | null;
    readonly failing: number;
    readonly perMinute: number;
  };
  readonly totals: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<Reason, number>>;
  readonly items: readonly { readonly why: Reason; readonly handoff: Row }[];
  readonly unattended: readonly { readonly agent: string; readonly waiting: number; readonly since: string }[];
}
export type Reason = 'question' | 'dependency' | 'review' | 'overdue' | 'failed' | 'failing';

export const attentionCount = signal(0);
/** The one answer that every page shows a part of. */
export const attention = signal<AttentionAnswer | null>(null);
export const attentionError = signal<Error | null>(null);

export function Pulse(): VNode {
  const isHome = place.value.page === 'attention';
  const { answer, error } = usePolled<AttentionAnswer>(`/api/attention?limit=${isHome ? 200 : 0}`);
  useEffect(() => {
    attentionError.value = error;
    if (answer === null) return;
    // A page without the list keeps the one that was there.
    attention.value = isHome ? answer : { ...answer, items: attention.value?.items ?? [] };
    attentionCount.value = answer.pulse.needYou;
  }, [answer, error]);
  const seen = answer ?? attention.value;
  if (seen === null) return <div class="pulse skeleton" aria-busy="true" aria-label="Loading" />;
  const { needYou, atWork, waiting, waitingSince, failing, perMinute } = seen.pulse;
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
      <a href="#/attention?why=failing" class={failing > 0 ? 'tone-broken' : ''}>
        <b>{failing}</b> failing
      </a>
      <a href="#/metrics">
        <b>{perMinute}</b>/min
      </a>
    </div>
  );
}
