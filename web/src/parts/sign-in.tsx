/** A way in for whoever is out: the link that `baton serve` prints works once, wherever it is put. */
import type { VNode } from 'preact';
import { tell } from '../api.ts';
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

/** A token is not kept: it asks for a link, and the link becomes a session. */
async function signIn(given: string): Promise<void> {
  const link = TOKEN.test(given)
    ? (await tell<{ readonly path: string }>('/api/login-links', {}, { authorization: `Bearer ${given}` })).path
    : given;
  const code = /[?&]code=([^&\s]+)/.exec(link)?.[1] ?? link;
  await tell('/api/session', { code: decodeURIComponent(code) });
}
