/** Files that could not be understood. */
import type { VNode } from 'preact';
import { usePolled, type Polled } from '../polled.ts';
import { visible } from '../text.ts';
import { whole } from '../time.ts';
import { Failed, Loading } from './labels.tsx';

interface Quarantined {
  readonly name: string;
  readonly says: string;
  readonly at: string;
}

interface Answer {
  readonly items: readonly Quarantined[];
}

function useQuarantine(): Polled<Answer> {
  return usePolled<Answer>('/api/quarantine', { everyMs: 5_000, always: true });
}

export function Quarantine(): VNode {
  const { answer, error } = useQuarantine();
  return (
    <section class="panel" aria-label="Quarantine">
      <h2>Quarantine</h2>
      {answer === null ? error === null ? <Loading rows={1} /> : <Failed error={error} /> : null}
      {answer?.items.length === 0 ? (
        <p class="empty">
          Empty. Files in the queue folder that cannot be understood are kept here with the reason; nothing is lost.
        </p>
      ) : null}
      <Files items={answer?.items ?? []} />
    </section>
  );
}

/** Nothing where nothing is. */
export function QuarantineShelf(): VNode | null {
  const { answer } = useQuarantine();
  if (answer === null || answer.items.length === 0) return null;
  return (
    <section class="shelf" aria-label="Quarantine">
      <h2>
        Quarantine <span class="count">{answer.items.length}</span>{' '}
        <span class="soft">
          Files that could not be understood. Put right what is wrong, and move them back to <code>pending/</code>.
        </span>
      </h2>
      <Files items={answer.items} />
    </section>
  );
}

function Files({ items }: Answer): VNode {
  return (
    <ul class="plain">
      {items.map(({ name, says, at }) => (
        <li key={name}>
          <code>{visible(name).text}</code> <span class="soft">since {whole(at)}</span>
          <p>{visible(says).text}</p>
        </li>
      ))}
    </ul>
  );
}
