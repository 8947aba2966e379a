/** Tokens, sessions and the policy of the server. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { sendDelete, signOut, postJson, type Session, type SessionsAnswer, type TokensAnswer } from '../api.ts';
import { PolicyPanels } from '../parts/policy-panels.tsx';
import { CopyId, Pending, TableHead, When } from '../parts/labels.tsx';
import { Quarantine } from '../parts/quarantine.tsx';
import { filledIn, onSubmit, ProblemText, useRequest } from '../parts/forms.tsx';
import { toast, toastProblem } from '../parts/toasts.tsx';
import { BY_TIME, usePolled } from '../polled.ts';
import { visible } from '../text.ts';
import { nextTheme, theme } from '../theme.ts';
import { whole } from '../time.ts';

export function Settings({ session }: { readonly session: Session }): VNode {
  return (
    <>
      <div class="bar">
        <h1>Settings</h1>
        <span class="soft">
          Baton {session.version}
          {session.project === null ? '' : `, project ${session.project}`}; you are {session.principal}
        </span>
      </div>
      {session.agent === null ? (
        <>
          <Tokens />
          <Sessions />
          <PolicyPanels />
          <Quarantine />
        </>
      ) : (
        <p class="empty">Tokens, sessions, webhooks and policy are only for the operator.</p>
      )}
      <section class="panel" aria-label="This browser">
        <h2>This browser</h2>
        <div class="inline">
          <button type="button" onClick={nextTheme}>
            Theme: {theme.value}
          </button>
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        </div>
      </section>
    </>
  );
}

function Tokens(): VNode {
  const { answer, error, again } = usePolled<TokensAnswer>('/api/tokens', BY_TIME);
  const [made, setMade] = useState<{ readonly token: string } | null>(null);
  const { problem, run } = useRequest();
  const [all, setAll] = useState(false);
  const make = async (form: HTMLFormElement): Promise<void> => {
    const { scope, ...whose } = filledIn(form);
    const body = { ...whose, ...(scope === 'read' ? { scopes: ['read'] } : {}) };
    setMade(await postJson<{ readonly token: string }>('/api/tokens', body));
    form.reset();
    again();
  };
  const revoke = (id: string): void =>
    void sendDelete(`/api/tokens/${encodeURIComponent(id)}`).then(() => {
      toast('good', `${id} is revoked`);
      again();
    }, toastProblem);
  const shown = (answer?.items ?? []).filter(({ revokedAt }) => all || revokedAt === null).toReversed();
  return (
    <section class="panel" aria-label="Tokens">
      <h2>Tokens</h2>
      <form class="inline" onSubmit={onSubmit((form) => run(() => make(form)))}>
        <input
          name="agent"
          aria-label="Agent of the token"
          placeholder="@agent, or nobody: an operator"
          autocomplete="off"
        />
        <input name="label" aria-label="Label of the token" placeholder="Label" maxLength={200} autocomplete="off" />
        <select name="scope" aria-label="What the token may">
          <option value="write">read and write</option>
          <option value="read">read</option>
        </select>
        <button type="submit">Make a token</button>
      </form>
      <ProblemText text={problem} />
      {made === null ? null : (
        <div class="note" role="status">
          The token is shown only this once: <CopyId id={made.token} />
        </div>
      )}
      {answer === null ? <Pending error={error} rows={3} /> : null}
      <table class="cards">
        <TableHead names={['Token', 'Whose', 'May', 'Made', 'Last used', '']} />
        <tbody>
          {shown.map(({ id, agent, label, scopes, createdAt, expiresAt, revokedAt, lastUsedAt }) => (
            <tr key={id} class={revokedAt === null ? '' : 'over'} data-row>
              <th scope="row">
                <code>{id}</code> <span class="soft">{visible(label ?? '').text}</span>
              </th>
              <td data-name="Whose">{agent ?? 'operator'}</td>
              <td data-name="May">{scopes.join(', ')}</td>
              <td data-name="Made">
                <When at={createdAt} />
                {expiresAt === null ? null : <span class="soft"> until {whole(expiresAt)}</span>}
              </td>
              <td data-name="Last used">
                {lastUsedAt === null ? <span class="soft">never</span> : <When at={lastUsedAt} />}
              </td>
              <td>
                {revokedAt === null ? (
                  <button type="button" class="bad" onClick={() => revoke(id)} aria-label={`Revoke ${id}`}>
                    Revoke
                  </button>
                ) : (
                  <span class="soft">
                    revoked <When at={revokedAt} />
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" class="quiet" onClick={() => setAll(!all)}>
        {all ? 'Hide revoked ones' : 'Show revoked ones'}
      </button>
    </section>
  );
}

function Sessions(): VNode {
  const { answer, error, again } = usePolled<SessionsAnswer>('/api/sessions', BY_TIME);
  return (
    <section class="panel" aria-label="Browser sessions">
      <h2>Browser sessions</h2>
      {answer === null ? <Pending error={error} rows={2} /> : null}
      <ul class="plain">
        {(answer?.items ?? []).map(({ name, own, token, until }) => (
          <li key={name}>
            <code>{name}</code> {own ? <span class="tag">this one</span> : null}{' '}
            <span class="soft">
              {token === null ? '' : `opened with ${token}, `}until {whole(until)}
            </span>{' '}
            {own ? null : (
              <button
                type="button"
                class="bad"
                aria-label={`End ${name}`}
                onClick={() => void sendDelete(`/api/sessions/${encodeURIComponent(name)}`).then(again, toastProblem)}
              >
                End
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
