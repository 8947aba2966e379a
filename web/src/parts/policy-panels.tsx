/** The stored policy: webhooks with their undelivered notifications, limits, and the rest. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { postJson, type PolicyAnswer, type UndeliveredAnswer } from '../api.ts';
import { BY_TIME, usePolled } from '../polled.ts';
import { visible } from '../text.ts';
import { whole } from '../time.ts';
import { handoffHref } from '../location.ts';
import { Pending, TableHead, When } from './labels.tsx';
import { toast, toastProblem } from './toasts.tsx';

interface Webhook {
  readonly name?: string;
  readonly url: string;
  readonly events?: readonly string[];
  readonly secret_env?: string;
}

export function PolicyPanels(): VNode {
  const { answer, error } = usePolled<PolicyAnswer>('/api/policy', BY_TIME);
  if (answer === null) return <Pending error={error} rows={3} />;
  const { version, storedAt, by, policy } = answer;
  const { notifications, limits, ...rest } = policy;
  return (
    <>
      <Webhooks webhooks={(notifications as { readonly webhooks?: readonly Webhook[] } | undefined)?.webhooks ?? []} />
      <section class="panel" aria-label="Limits and policy">
        <h2>Limits and policy</h2>
        <p class="soft">
          Version {version}, stored {whole(storedAt)} by {visible(by).text}. It stands in <code>baton.yaml</code>;
          change it there and run <code>baton apply</code>. Settings that are not listed have their default.
        </p>
        {limits === undefined ? (
          <p class="empty">No limits are set: every agent may have any number of open handoffs.</p>
        ) : null}
        <dl class="policy">
          {Object.entries({ ...(limits === undefined ? {} : { limits }), ...rest }).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <pre tabIndex={0} aria-label={name}>
                  <code>{visible(JSON.stringify(value, null, 2)).text}</code>
                </pre>
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}

function Webhooks({ webhooks }: { readonly webhooks: readonly Webhook[] }): VNode {
  const { answer, error, again } = usePolled<UndeliveredAnswer>('/api/undelivered', { everyMs: 3_000, always: true });
  return (
    <section class="panel" aria-label="Webhooks">
      <h2>Webhooks</h2>
      {webhooks.length === 0 ? (
        <p class="empty">
          None. They stand in <code>baton.yaml</code> under <code>notifications</code>.
        </p>
      ) : (
        <table class="cards">
          <TableHead names={['Webhook', 'Events', 'Signed with']} />
          <tbody>
            {webhooks.map(({ name, url, events, secret_env: secret }) => (
              <tr key={`${name ?? ''} ${url}`}>
                <th scope="row">
                  {name === undefined ? null : <b>{name} </b>}
                  <code>{visible(url).text}</code>
                </th>
                <td data-name="Events">{events?.join(', ') ?? 'all'}</td>
                <td data-name="Signed with">
                  {secret === undefined ? <span class="soft">not signed</span> : <code>{secret}</code>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {error === null ? null : <Pending error={error} />}
      {answer === null || answer.items.length === 0 ? (
        <p class="soft">Nothing was given up.</p>
      ) : (
        <Undelivered items={answer.items} again={again} />
      )}
    </section>
  );
}

function Undelivered({ items, again }: UndeliveredAnswer & { readonly again: () => void }): VNode {
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const resend = (key: string): void => {
    setBusy(new Set([...busy, key]));
    postJson('/api/undelivered/resend', { key }).then(() => {
      toast('good', 'It is tried again');
      again();
    }, toastProblem);
  };
  return (
    <>
      <h3 class="tone-broken">
        {items.length} could not be delivered <span class="soft">Baton does not retry them.</span>
      </h3>
      <ul class="rows">
        {items.map(({ key, target, kind, event, handoff, says, at }) => (
          <li key={key} class="row" data-row>
            <b>{target ?? kind}</b>
            <span>{event}</span>
            {handoff === null ? null : (
              <a href={handoffHref(handoff)}>
                <code>{handoff}</code>
              </a>
            )}
            <span class="failure">{visible(says).text}</span>
            <span class="soft way">
              <When at={at} />
            </span>
            <button type="button" aria-label={`Resend ${key}`} disabled={busy.has(key)} onClick={() => resend(key)}>
              Resend
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
