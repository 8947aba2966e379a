import type { VNode } from 'preact';
import type { Row } from '../api.ts';
import { titleOf } from '../text.ts';
import { handoffHref } from '../location.ts';
import { isOver, markOf, STATES, toneOf } from '../states.ts';
import { AssuranceTag, FailureLine, QuestionLine, When } from './labels.tsx';

export function Card({ handoff }: { readonly handoff: Row }): VNode {
  const { id, state, assurance, from, to, title, task, priority, attempt, attemptsMax, since, progress } = handoff;
  return (
    <a class={`card ${toneOf(handoff)}${isOver(state) ? ' over' : ''}`} href={handoffHref(id)} data-id={id} data-row>
      <span class="card-title">
        <span class="mark" aria-hidden="true">
          {markOf(handoff)}
        </span>
        <span class="words">{titleOf(handoff)}</span>
      </span>
      <span class="card-way" title={`${from} → ${to}`}>
        {from} → {to}
      </span>
      <QuestionLine row={handoff} />
      <FailureLine row={handoff} />
      {progress === undefined ? null : (
        <span class="soft cut">
          {progress.fraction === null ? '' : `${Math.round(progress.fraction * 100)} % `}
          {progress.says}
        </span>
      )}
      <span class="card-foot">
        {priority === 'normal' ? null : <span class={`tag priority-${priority}`}>{priority}</span>}
        {attempt > 1 ? (
          <span class="tag">
            attempt {attempt}
            {attemptsMax === undefined ? '' : `/${attemptsMax}`}
          </span>
        ) : null}
        {task === null || title === null ? null : <span class="tag cut">{task}</span>}
        {isOver(state) && state !== 'completed' ? <span class="tag">{STATES[state].name}</span> : null}
        {assurance === undefined ? null : <AssuranceTag assurance={assurance} />}
        <When at={since} />
      </span>
    </a>
  );
}
