import type { VNode } from 'preact';
import type { HandoffView } from '../api.ts';
import { titleOf } from '../text.ts';
import { ago, now, whole } from '../time.ts';
import { handoffHref } from '../where.ts';
import { MARKS } from '../words.ts';

/** Every card has the same height, so that a column of thousands knows where each one is. */
export const CARD_HEIGHT = 104;

export function Card({ handoff }: { readonly handoff: HandoffView }): VNode {
  const { id, state, from, to, task, priority, attempt, since } = handoff;
  return (
    <a class={`card state-${state}`} href={handoffHref(id)} data-id={id}>
      <span class="card-title">
        <span class="mark" aria-hidden="true">
          {MARKS[state]}
        </span>
        <span class="words">{titleOf(handoff)}</span>
      </span>
      <span class="card-way">
        {from} <span aria-label="to">→</span> {to}
      </span>
      <span class="card-foot">
        {priority === 'normal' ? null : <span class={`tag priority-${priority}`}>{priority}</span>}
        {attempt > 1 ? <span class="tag">try {attempt}</span> : null}
        {task === null ? null : <span class="tag">{task}</span>}
        {state === 'failed' || state === 'rejected' || state === 'expired' || state === 'cancelled' ? (
          <span class="tag bad">{state}</span>
        ) : null}
        <time dateTime={since} title={whole(since)}>
          {ago(since, now.value)}
        </time>
      </span>
    </a>
  );
}
