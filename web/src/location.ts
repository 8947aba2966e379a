/** The current page, kept behind the `#` of the address, so that links and the back button work. */
import { signal } from '@preact/signals';

export interface Place {
  readonly page: string;
  readonly rest: string;
  readonly with: URLSearchParams;
}

const HOME = 'attention';
/** Former names of pages, so that old links work. */
const FORMERLY: Readonly<Record<string, string>> = { board: 'work', problems: 'attention', workflows: 'flows' };

// Commands and other programs write links as `/handoffs/ID`.
const plain = /^\/handoffs\/([^/]+)$/.exec(location.pathname);
if (plain !== null) history.replaceState(null, '', `/#/handoffs/${plain[1] ?? ''}`);

export const place = signal<Place>(read());

globalThis.addEventListener('hashchange', () => {
  const before = place.value;
  place.value = read();
  if (before.page === place.value.page && before.rest === place.value.rest) return;
  globalThis.scrollTo(0, 0);
  // Screen readers and keyboards start at the new page.
  document.querySelector<HTMLElement>('#main')?.focus();
});

function read(): Place {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [named = '', ...rest] = path.split('/');
  const page = named === '' ? HOME : (FORMERLY[named] ?? named);
  return { page, rest: safely(rest.join('/')), with: new URLSearchParams(search) };
}

function safely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function handoffHref(id: string): string {
  return `#/handoffs/${encodeURIComponent(id)}`;
}

export function workHref(filter: string): string {
  return `#/work?q=${encodeURIComponent(filter)}`;
}

export function go(href: string): void {
  location.hash = href.replace(/^#/, '');
}

/** The address of this page with other parameters. An empty value removes a parameter. */
export function withParameters(change: Readonly<Record<string, string>>): string {
  const parameters = new URLSearchParams(place.value.with);
  for (const [name, value] of Object.entries(change)) {
    if (value === '') parameters.delete(name);
    else parameters.set(name, value);
  }
  const rest = place.value.rest === '' ? '' : `/${encodeURIComponent(place.value.rest)}`;
  const search = parameters.toString();
  return `#/${place.value.page}${rest}${search === '' ? '' : `?${search}`}`;
}
