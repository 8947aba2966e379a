/** Files in quarantine. */
import type { VNode } from 'preact';
import type { QuarantineAnswer } from '../api.ts';
import { BY_TIME, usePolled } from '../polled.ts';
import { visible } from '../text.ts';
import { whole } from '../time.ts';
import { Pending } from './labels.tsx';

export function Quarantine(): VNode {
  const { answer, error } = usePolled<QuarantineAnswer>('/api/quarantine', BY_TIME);
  return (
    <section class="panel" aria-label="Quarantine">
      <h2>Quarantine</h2>
      {answer === null ? <Pending error={error} rows={1} /> : null}
      {answer?.items.length === 0 ? (
        <p class="empty">Empty. Files in the queue folder that cannot be read are kept here with the reason.</p>
      ) : null}
      <Files items={answer?.items ?? []} />
    </section>
  );
}

export function QuarantinePanel(): VNode | null {
  const { answer } = usePolled<QuarantineAnswer>('/api/quarantine', BY_TIME);
  if (answer === null || answer.items.length === 0) return null;
  return (
    <section class="shelf" aria-label="Quarantine">
      <h2>
        Quarantine <span class="count">{answer.items.length}</span>{' '}
        <span class="soft">
          Files that could not be read. Correct them, and move them back to <code>pending/</code>.
        </span>
      </h2>
      <Files items={answer.items} />
    </section>
  );
}

function Files({ items }: QuarantineAnswer): VNode {
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
