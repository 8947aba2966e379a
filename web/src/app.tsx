/** The frame around every page: navigation, numbers, connection, and the session. */
import { useEffect, useState } from 'preact/hooks';
import type { VNode } from 'preact';
import { errorOf } from '../../src/foundation/error-message.ts';
import { Problem, signedOut, loadSession, type Session } from './api.ts';
import { failing, followEvents, line } from './live.ts';
import { Keyboard } from './parts/keyboard.tsx';
import { Pulse } from './parts/pulse.tsx';
import { Rail } from './parts/rail.tsx';
import { SignIn } from './parts/sign-in.tsx';
import { Toasts } from './parts/toasts.tsx';
import { place } from './location.ts';
import { Agents } from './pages/agents.tsx';
import { Attention } from './pages/attention.tsx';
import { Flows } from './pages/flows.tsx';
import { HandoffPage } from './pages/handoff.tsx';
import { Inbox } from './pages/inbox.tsx';
import { Metrics } from './pages/metrics.tsx';
import { Settings } from './pages/settings.tsx';
import { Work } from './pages/work.tsx';

const PAGES: Readonly<Record<string, (props: { readonly session: Session }) => VNode>> = {
  attention: Attention,
  work: Work,
  handoffs: HandoffPage,
  agents: Agents,
  inbox: Inbox,
  flows: Flows,
  metrics: Metrics,
  settings: Settings,
};

const RETRY_MS = 2_000;

export function App(): VNode {
  const [session, setSession] = useState<Session | Error | null>(null);
  const come = (): void => void loadSession().then(setSession, (error: unknown) => setSession(errorOf(error)));
  useEffect(come, []);
  const isIn = session !== null && !(session instanceof Error);
  useEffect(() => (isIn ? followEvents() : undefined), [isIn]);
  useEffect(() => {
    // The server was not reached: try again.
    if (!(session instanceof Error) || isStranger(session)) return undefined;
    const timer = setTimeout(come, RETRY_MS);
    return () => clearTimeout(timer);
  }, [session]);
  if (session === null) return <main class="alone" aria-busy="true" />;
  if (session instanceof Error) {
    return (
      <main class="alone">
        <img src="/baton.svg" alt="" width="56" height="56" />
        <h1>Baton</h1>
        {isStranger(session) ? (
          <SignIn why="This browser is not signed in." come={come} />
        ) : (
          <p role="status">The server does not answer: {session.message}. Retrying every few seconds.</p>
        )}
      </main>
    );
  }
  const Page = PAGES[place.value.page] ?? Attention;
  return (
    <div class="frame">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The part behind # names the page, so the browser's own jump would leave it.
          event.preventDefault();
          document.querySelector<HTMLElement>('#main')?.focus();
        }}
      >
        Skip to content
      </a>
      <Rail session={session} />
      <div class="body">
        <Pulse />
        <Banner come={come} />
        <main id="main" tabIndex={-1}>
          <Page session={session} />
        </main>
      </div>
      <Keyboard />
      <Toasts />
    </div>
  );
}

function Banner({ come }: { readonly come: () => void }): VNode | null {
  if (signedOut.value !== null) {
    return (
      <div class="banner" role="alert">
        <SignIn why={`You are signed out: ${signedOut.value}. You see earlier data.`} come={come} />
      </div>
    );
  }
  const isLost = line.value === 'lost' || failing.value.size > 0;
  if (!isLost) return null;
  return (
    <p class="banner" role="status">
      The server does not respond. You see earlier data; the page retries every few seconds.
    </p>
  );
}

function isStranger(error: Error): boolean {
  return error instanceof Problem && (error.status === 401 || error.status === 403);
}
