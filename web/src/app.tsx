/** The frame around every page: who we are, where we can go, and whether what we see is live. */
import { useEffect, useState } from 'preact/hooks';
import type { VNode } from 'preact';
import { Problem, whoAmI, type Session } from './api.ts';
import { keepUp, line } from './collection.ts';
import { Header } from './parts/header.tsx';
import { Toasts } from './parts/toasts.tsx';
import { place } from './where.ts';
import { Agents } from './pages/agents.tsx';
import { Board } from './pages/board.tsx';
import { Inbox } from './pages/inbox.tsx';
import { HandoffPage } from './pages/handoff.tsx';
import { Metrics } from './pages/metrics.tsx';
import { Problems } from './pages/problems.tsx';
import { Workflows } from './pages/workflows.tsx';

const PAGES: Readonly<Record<string, (props: { readonly session: Session }) => VNode>> = {
  board: Board,
  handoffs: HandoffPage,
  agents: Agents,
  inbox: Inbox,
  metrics: Metrics,
  problems: Problems,
  workflows: Workflows,
};

export function App(): VNode {
  const [session, setSession] = useState<Session | Error | null>(null);
  useEffect(() => {
    whoAmI().then(setSession, setSession);
  }, []);
  useEffect(() => (session === null || session instanceof Error ? undefined : keepUp()), [session]);
  if (session === null) return <main class="alone" aria-busy="true" />;
  if (session instanceof Error) return <Outside error={session} />;
  const Page = PAGES[place.value.page] ?? Board;
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header session={session} />
      {line.value === 'lost' && (
        <p class="banner" role="status">
          The line to the server is lost. What you see may be old; it comes back by itself.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <Page session={session} />
      </main>
      <Toasts />
    </>
  );
}

function Outside({ error }: { readonly error: Error }): VNode {
  const isStranger = error instanceof Problem && (error.status === 401 || error.status === 403);
  return (
    <main class="alone">
      <img src="/baton.svg" alt="" width="56" height="56" />
      <h1>Baton</h1>
      {isStranger ? (
        <p>
          This browser is not logged in. <code>baton serve</code> prints a link that works once; a new one is made with
          every start.
        </p>
      ) : (
        <p>The server does not answer: {error.message}</p>
      )}
    </main>
  );
}
