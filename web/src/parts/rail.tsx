/** The navigation: at the left, or at the bottom of a phone. */
import type { VNode } from 'preact';
import { signOut, type Session } from '../api.ts';
import { isLive, line } from '../live.ts';
import { nextTheme, theme } from '../theme.ts';
import { place } from '../location.ts';
import { attention } from './pulse.tsx';

export const PAGES: readonly (readonly [page: string, name: string, key: string])[] = [
  ['attention', 'Attention', 'g a'],
  ['work', 'Work', 'g w'],
  ['agents', 'Agents', 'g g'],
  ['flows', 'Flows', 'g f'],
  ['metrics', 'Metrics', 'g m'],
  ['settings', 'Settings', 'g s'],
];

export function Rail({ session }: { readonly session: Session }): VNode {
  const here = place.value.page === 'handoffs' ? 'work' : place.value.page === 'inbox' ? 'agents' : place.value.page;
  const isNow = isLive();
  const needYou = attention.value?.pulse.needYou ?? 0;
  return (
    <header class="rail">
      <a class="logo" href="#/attention" aria-label="Baton, attention">
        <img src="/baton.svg" alt="" width="22" height="22" />
        <strong>Baton</strong>
      </a>
      <p class="project">{session.project ?? ''}</p>
      <nav aria-label="Pages">
        {PAGES.map(([page, name, key]) => (
          <a key={page} href={`#/${page}`} title={key} aria-current={here === page ? 'page' : undefined}>
            {name}
            {page === 'attention' && needYou > 0 ? (
              <span class="badge">
                {needYou}
                <span class="unseen"> need you</span>
              </span>
            ) : null}
          </a>
        ))}
      </nav>
      <div class="rail-foot">
        <span class={`line ${isNow ? 'line-live' : line.value === 'connecting' ? '' : 'line-lost'}`} role="status">
          <i aria-hidden="true" /> {isNow ? 'live' : line.value === 'connecting' ? 'connecting…' : 'not live'}
        </span>
        <span class="soft" title={`you are ${session.principal}`}>
          {session.agent ?? 'operator'}
        </span>
        <button type="button" class="quiet" onClick={nextTheme} title="Light, dark, or as the system has it">
          Theme: {theme.value}
        </button>
        <button type="button" class="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </header>
  );
}
