/** What an agent was told and has not put away. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask, discard, Problem } from '../api.ts';
import { knownRow, version } from '../live.ts';
import { say } from '../parts/toasts.tsx';
import { titleOf, visible } from '../text.ts';
import { ago, now, whole } from '../time.ts';
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
  const [entries, setEntries] = useState<readonly Entry[] | Error | null>(null);
  const seen = version.value;
  useEffect(() => {
    const over = new AbortController();
    ask<{ readonly items: readonly Entry[] }>(path, over.signal).then(
      ({ items }) => setEntries(items),
      (error: unknown) => {
        if (!over.signal.aborted) setEntries(error instanceof Problem ? error : new Error(String(error)));
      },
    );
    return () => over.abort();
  }, [path, seen]);
  return (
    <>
      <div class="bar">
        <h1>Inbox of {agent}</h1>
        <a href="#/agents">All agents</a>
        {Array.isArray(entries) && entries.length > 0 ? (
          <button
            type="button"
            onClick={() =>
              void discard(path).then(
                () => setEntries([]),
                (error: unknown) => say('bad', error instanceof Error ? error.message : String(error)),
              )
            }
          >
            Put all away
          </button>
        ) : null}
      </div>
      <section class="panel">
        <Entries entries={entries} />
      </section>
    </>
  );
}

function Entries({ entries }: { readonly entries: readonly Entry[] | Error | null }): VNode {
  if (entries === null) return <p class="empty">One moment…</p>;
  if (entries instanceof Error) return <p class="problem">{entries.message}</p>;
  if (entries.length === 0) {
    return <p class="empty">Nothing to read. Whoever has to act on a handoff, or waits for one, is told here.</p>;
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
          {at === undefined ? null : (
            <time class="soft" dateTime={at} title={whole(at)}>
              {ago(at, now.value)}
            </time>
          )}
        </li>
      ))}
    </ul>
  );
}
