/** A way in for whoever is out: the link that `baton serve` prints works once, wherever it is put. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { tell, wordsOf } from '../api.ts';
import { textsIn } from './texts-in.ts';

export function SignIn({ why, come }: { readonly why: string; readonly come: () => void }): VNode {
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        const given = textsIn(event.currentTarget)['link'] ?? '';
        const code = /[?&]code=([^&\s]+)/.exec(given)?.[1] ?? given;
        tell('/api/session', { code: decodeURIComponent(code) }).then(come, (error: unknown) =>
          setProblem(wordsOf(error)),
        );
      }}
    >
      <p>
        {why} <code>baton serve</code> prints a link that works once. Open it, or paste it here:
      </p>
      <div class="inline">
        <input name="link" aria-label="Sign-in link" required autocomplete="off" placeholder="http://…/login?code=…" />
        <button type="submit">Sign in</button>
      </div>
      {problem === null ? null : <p class="problem">{problem}</p>}
    </form>
  );
}
