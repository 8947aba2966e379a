import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { leave, type Session } from '../api.ts';
import { line, pulse } from '../collection.ts';
import { go, place } from '../where.ts';
import { nextTheme, theme } from '../theme.ts';

const LINKS: readonly (readonly [page: string, name: string, key: string])[] = [
  ['board', 'Board', 'b'],
  ['workflows', 'Workflows', 'w'],
  ['agents', 'Agents', 'a'],
  ['metrics', 'Metrics', 'm'],
  ['problems', 'Problems', 'p'],
];

const LINE_WORDS = { connecting: 'connecting…', live: 'live', lost: 'line lost' } as const;

export function Header({ session }: { readonly session: Session }): VNode {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const at = event.target as HTMLElement;
      if (event.metaKey || event.ctrlKey || event.altKey || /^(?:INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) return;
      if (event.key === '/') {
        event.preventDefault();
        search.current?.focus();
        return;
      }
      const link = LINKS.find(([, , key]) => key === event.key);
      if (link !== undefined) go(`#/${link[0]}`);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const text = place.value.page === 'board' ? (place.value.with.get('text') ?? '') : '';
  return (
    <header class="top">
      <a class="logo" href="#/board" aria-label="Baton, board">
        <img src="/baton.svg" alt="" width="26" height="26" />
        <strong>Baton</strong>
        <span class="project">{session.project ?? ''}</span>
      </a>
      <nav aria-label="Pages">
        {LINKS.map(([page, name, key]) => (
          <a
            key={page}
            href={`#/${page}`}
            title={`${name} (${key})`}
            aria-current={place.value.page === page ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <form
        role="search"
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          const words = search.current?.value.trim() ?? '';
          go(words === '' ? '#/board' : `#/board?text=${encodeURIComponent(words)}`);
        }}
      >
        <input
          ref={search}
          type="search"
          placeholder="Search ( / )"
          aria-label="Search handoffs"
          defaultValue={text}
          key={text}
        />
      </form>
      <span class={`line line-${line.value}`} role="status" title={`${pulse.value} facts a second`}>
        <i aria-hidden="true" /> {LINE_WORDS[line.value]}
      </span>
      <button
        type="button"
        class="quiet"
        onClick={nextTheme}
        aria-label={`theme: ${theme.value}; change it`}
        title="Light, dark, or as the system has it"
      >
        theme: {theme.value}
      </button>
      <span class="who" title={`you are ${session.principal}`}>
        {session.agent ?? 'operator'}
      </span>
      <button
        type="button"
        class="quiet"
        onClick={() => void leave().then(() => location.reload())}
        title="End this session"
      >
        Leave
      </button>
    </header>
  );
}
