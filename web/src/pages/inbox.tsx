/** The notifications of an agent that it has not put away. */
import type { VNode } from 'preact';
import { sendDelete } from '../api.ts';
import { knownRow } from '../live.ts';
import { Pending, When } from '../parts/labels.tsx';
import { toastProblem } from '../parts/toasts.tsx';
import { usePolled } from '../polled.ts';
import { titleOf, visible } from '../text.ts';
import { handoffHref, place } from '../location.ts';

interface Entry {
  readonly key: string;
  readonly event?: string;
  readonly handoff?: string;
  readonly title?: string | null;
  readonly from?: string;
  readonly to?: string;
  readonly at?: string;
}

export function Inbox(): VNode {
  const agent = place.value.rest;
  const path = `/api/inbox/${encodeURIComponent(agent.replace(/^@/, ''))}`;
  const { answer, error, again } = usePolled<{ readonly items: readonly Entry[] }>(path);
  return (
    <>
      <div class="bar">
        <h1>Inbox of {agent}</h1>
        <a href="#/agents">All agents</a>
        {answer !== null && answer.items.length > 0 ? (
          <button type="button" onClick={() => void sendDelete(path).then(again, toastProblem)}>
            Put all away
          </button>
        ) : null}
      </div>
      <section class="panel">
        {answer === null ? <Pending error={error} rows={2} /> : <Entries entries={answer.items} />}
      </section>
    </>
  );
}

function Entries({ entries }: { readonly entries: readonly Entry[] }): VNode {
  if (entries.length === 0) {
    return (
      <p class="empty">No notifications. An agent is notified here when it has to act on a handoff or waits for one.</p>
    );
  }
  return (
    <ul class="evidence">
      {entries.map(({ key, event = 'told', handoff, title, from, to, at }) => (
        <li key={key}>
          <span class="tag">{event}</span>{' '}
          {handoff === undefined ? (
            visible(title ?? '').text
          ) : (
            <a href={handoffHref(handoff)}>{titleOf(knownRow(handoff) ?? { title: title ?? null, id: handoff })}</a>
          )}{' '}
          <span class="soft">
            {from ?? ''} → {to ?? ''}
          </span>{' '}
          {at === undefined ? null : <When at={at} />}
        </li>
      ))}
    </ul>
  );
}
