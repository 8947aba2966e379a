import type { VNode } from 'preact';
import type { HandoffView } from '../api.ts';
import { titleOf } from '../text.ts';
import { ago, now, whole } from '../time.ts';
import { handoffHref } from '../where.ts';
import { markOf, stateClass } from '../words.ts';
import { AssuranceTag } from './assurance.tsx';

/**
 * Every card of a list has the same height, so that a column of thousands knows where each one is. In a narrow column
 * agents and age have two lines each; `board.css` draws the same border.
 */
export function cardHeight(width: number): number {
  return width < 300 ? 138 : 104;
}

export function Card({ handoff }: { readonly handoff: HandoffView }): VNode {
  const { id, state, assurance, from, to, task, priority, attempt, since } = handoff;
  const isOver = state === 'failed' || state === 'rejected' || state === 'expired' || state === 'cancelled';
  const tags = [priority !== 'normal', attempt > 1, isOver, assurance !== undefined].filter(Boolean).length;
  return (
    <a
      class={`card${isOver && tags > 1 ? ' card-full' : ''} ${stateClass(handoff)}`}
      href={handoffHref(id)}
      data-id={id}
    >
      <span class="card-title">
        <span class="mark" aria-hidden="true">
          {markOf(handoff)}
        </span>
        <span class="words">{titleOf(handoff)}</span>
      </span>
      <span class="card-way" title={`${from} → ${to}`}>
        <span>{from}</span>{' '}
        <span>
          <span aria-label="to">→</span> {to}
        </span>
      </span>
      <span class="card-foot">
        {priority === 'normal' ? null : <span class={`tag priority-${priority}`}>{priority}</span>}
        {attempt > 1 ? <span class="tag">try {attempt}</span> : null}
        {task === null ? null : (
          <span class={`tag card-task${tags > 0 ? ' card-task-too' : ''}`} title={task}>
            {task}
          </span>
        )}
        {isOver ? <span class="tag bad">{state}</span> : null}
        {assurance === undefined ? null : <AssuranceTag assurance={assurance} />}
        <time dateTime={since} title={whole(since)}>
          {ago(since, now.value)}
        </time>
      </span>
    </a>
  );
}
