/** Keyboard shortcuts, the list of them, and the command palette. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { readInto, query, type ListPage, type Row } from '../api.ts';
import { nextTheme } from '../theme.ts';
import { titleOf } from '../text.ts';
import { go, handoffHref, workHref } from '../location.ts';
import { stateNameOf } from '../states.ts';
import { useModal } from './labels.tsx';
import { PAGES } from './rail.tsx';

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['Ctrl K', 'find or do something'],
  ['/', 'filter work'],
  ['j, k', 'the next or previous of a list'],
  ['Enter', 'open it'],
  ['x', 'select it'],
  ['n', 'new handoff'],
  ...PAGES.map(([, name, key]) => [key, `go to ${name}`] as const),
  ['?', 'this page'],
  ['Esc', 'close'],
];

const help = signal(false);
const palette = signal(false);
/** Grows when a key asks for a new handoff. The component with the button opens the form. */
export const newAsked = signal(0);

export function Keyboard(): VNode {
  useEffect(() => {
    let isGoing = false;
    const onKey = (event: KeyboardEvent): void => {
      const at = event.target as HTMLElement;
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault();
        palette.value = true;
        return;
      }
      const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(at.tagName) && (at as HTMLInputElement).type !== 'checkbox';
      // While a dialog is open, keys must not act on the page behind it.
      const isElsewhere = document.querySelector('dialog[open]') !== null;
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping || isElsewhere) return;
      if (isGoing) {
        isGoing = false;
        const found = PAGES.find(([, , key]) => key === `g ${event.key}`);
        if (found !== undefined) go(`#/${found[0]}`);
        return;
      }
      switch (event.key) {
        case 'g':
          isGoing = true;
          return;
        case '?':
          help.value = true;
          return;
        case 'j':
        case 'k':
          moveIn(event.key === 'j' ? 1 : -1);
          return;
        case 'x':
          (at.closest('[data-row]')?.querySelector('input[type=checkbox]') as HTMLInputElement | null)?.click();
          return;
        case 'n':
          event.preventDefault();
          newAsked.value += 1;
          return;
        case '/': {
          event.preventDefault();
          const field = document.querySelector<HTMLInputElement>('input[type=search]');
          if (field === null) go('#/work');
          else field.focus();
          return;
        }
        default:
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      {help.value ? <Help /> : null}
      {palette.value ? <Palette /> : null}
    </>
  );
}

/** Moves the focus to the next or previous element with `data-row`. */
function moveIn(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
  next?.querySelector<HTMLElement>('a[href]')?.focus();
}

function Help(): VNode {
  const ref = useModal(() => (help.value = false));
  return (
    <dialog ref={ref} aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <dl class="facts">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="buttons">
        <button type="button" onClick={() => ref.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}

interface Choice {
  readonly key: string;
  readonly says: string;
  readonly more: string;
  readonly act: () => void;
}

const DOING: readonly Choice[] = [
  ...PAGES.map(([page, name]) => ({ key: page, says: `Go to ${name}`, more: 'page', act: () => go(`#/${page}`) })),
  { key: 'new', says: 'New handoff', more: 'action', act: () => (newAsked.value += 1) },
  { key: 'theme', says: 'Change the theme', more: 'action', act: nextTheme },
  { key: 'keys', says: 'Show the keys', more: 'action', act: () => (help.value = true) },
];
const FOUND_MAX = 8;

function Palette(): VNode {
  const ref = useModal(() => (palette.value = false));
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly Row[]>([]);
  const [at, setAt] = useState(0);
  useEffect(() => {
    setAt(0);
    if (text.trim() === '') {
      setFound([]);
      return undefined;
    }
    return readInto<ListPage>(`/api/handoffs${query({ text, limit: FOUND_MAX })}`, ({ items }) => setFound(items));
  }, [text]);
  const choices: readonly Choice[] = [
    ...found.map((row) => ({
      key: row.id,
      says: titleOf(row),
      more: `${stateNameOf(row)} · ${row.from} → ${row.to}`,
      act: () => go(handoffHref(row.id)),
    })),
    ...DOING.filter(({ says }) => says.toLowerCase().includes(text.trim().toLowerCase())),
    ...(text.trim() === ''
      ? []
      : [{ key: 'filter', says: `Filter work by “${text}”`, more: 'filter', act: () => go(workHref(text)) }]),
  ];
  const choose = (choice: Choice | undefined): void => {
    ref.current?.close();
    choice?.act();
  };
  return (
    <dialog ref={ref} class="palette" aria-label="Find or do something">
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`choice-${at}`}
        aria-label="Find or do something"
        placeholder="An id, words, @agent, or what to do"
        autocomplete="off"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            setAt(Math.min(choices.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1))));
          } else if (event.key === 'Enter') choose(choices[at]);
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Choices">
        {choices.map((choice, index) => (
          <li
            key={choice.key}
            id={`choice-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => choose(choice)}
          >
            <span class="cut">{choice.says}</span> <span class="soft">{choice.more}</span>
          </li>
        ))}
      </ul>
    </dialog>
  );
}
