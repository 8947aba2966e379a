/** The sign-in form: it takes the link that `baton serve` prints, or a token. */
import type { VNode } from 'preact';
import { postJson } from '../api.ts';
import { onSubmit, ProblemText, textsIn, useRequest } from './forms.tsx';

export function SignIn({ why, come }: { readonly why: string; readonly come: () => void }): VNode {
  const { problem, run } = useRequest();
  return (
    <form class="sign-in" onSubmit={onSubmit((form) => run(() => signIn(textsIn(form)['link'] ?? '').then(come)))}>
      <p>
        {why} <code>baton serve</code> prints a link that works once. Open it, or paste it here; an agent pastes its
        token:
      </p>
      <div class="inline">
        <input
          name="link"
          aria-label="Sign-in link or token"
          required
          autocomplete="off"
          placeholder="http://…/login?code=…"
        />
        <button type="submit">Sign in</button>
      </div>
      <ProblemText text={problem} />
    </form>
  );
}

const TOKEN = /^baton_[A-Za-z0-9_-]+$/;

/** The browser does not store the token: it gets a login link with it, and the link becomes a session. */
async function signIn(given: string): Promise<void> {
  const link = TOKEN.test(given)
    ? (await postJson<{ readonly path: string }>('/api/login-links', {}, { authorization: `Bearer ${given}` })).path
    : given;
  const code = /[?&]code=([^&\s]+)/.exec(link)?.[1] ?? link;
  await postJson('/api/session', { code: decodeURIComponent(code) });
}
