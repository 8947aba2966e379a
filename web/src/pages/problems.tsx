/** What needs somebody: work that ended badly, work that waits too long, files that could not be understood. */
import type { VNode } from 'preact';
import type { HandoffView } from '../api.ts';
import { all, version } from '../collection.ts';
import { Card } from '../parts/card.tsx';
import { visible } from '../text.ts';
import { whole } from '../time.ts';
import { usePolled } from './agents.tsx';

interface Quarantined {
  readonly name: string;
  readonly place: string;
  readonly says: string;
  readonly at: string;
}

export function Problems(): VNode {
  const quarantine = usePolled<{ readonly items: readonly Quarantined[] }>('/api/quarantine');
  const seen = version.value;
  const bad = [...all().values()]
    .filter(({ state }) => state === 'failed' || state === 'rejected' || state === 'expired')
    .toSorted(newest)
    .slice(0, 24);
  const stuck = [...all().values()].filter(needsAnswer).toSorted(newest).slice(0, 24);
  return (
    <div data-seen={seen}>
      <div class="bar">
        <h1>Problems</h1>
      </div>
      <Shelf title="Wants an answer or a verifier" items={stuck} empty="Nobody waits for an answer." />
      <Shelf
        title="Ended badly"
        items={bad}
        empty="Nothing failed, was rejected or expired lately."
        hint="Open one to see why, and to try it again with corrected input."
      />
      <section class="panel">
        <h2>Quarantine</h2>
        <Quarantine answer={quarantine} />
      </section>
    </div>
  );
}

function newest(a: HandoffView, b: HandoffView): number {
  return a.since < b.since ? 1 : -1;
}

function needsAnswer({ state, blockedOn }: HandoffView): boolean {
  return state === 'delivered' || blockedOn?.reason === 'question';
}

interface ShelfProps {
  readonly title: string;
  readonly items: readonly HandoffView[];
  readonly empty: string;
  readonly hint?: string;
}

function Shelf({ title, items, empty, hint }: ShelfProps): VNode {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {items.length === 0 ? <p class="empty">{empty}</p> : null}
      {items.length > 0 && hint !== undefined ? <p class="empty">{hint}</p> : null}
      <ul class="shelf">
        {items.map((handoff) => (
          <li key={handoff.id}>
            <Card handoff={handoff} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Quarantine({ answer }: { readonly answer: { readonly items: readonly Quarantined[] } | Error | null }): VNode {
  if (answer === null) return <p class="empty">One moment…</p>;
  if (answer instanceof Error) return <p class="empty">{answer.message}</p>;
  if (answer.items.length === 0) {
    return (
      <p class="empty">
        Empty. Files in the queue folder that cannot be understood are kept here with the reason; nothing is lost.
      </p>
    );
  }
  return (
    <ul class="evidence">
      {answer.items.map(({ name, says, at }) => (
        <li key={name}>
          <code>{visible(name).text}</code>
          <span class="soft"> since {whole(at)}</span>
          <p>{visible(says).text}</p>
        </li>
      ))}
    </ul>
  );
}
