/** Where we are, as the part of the address behind `#`: it can be shared, and the browser's back button knows it. */
import { signal } from '@preact/signals';

export interface Place {
  readonly page: string;
  readonly rest: string;
  readonly with: URLSearchParams;
}

export const place = signal<Place>(read());

globalThis.addEventListener('hashchange', () => {
  place.value = read();
  globalThis.scrollTo(0, 0);
});

function read(): Place {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [page = '', ...rest] = path.split('/');
  return { page: page === '' ? 'board' : page, rest: safely(rest.join('/')), with: new URLSearchParams(search) };
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

export function go(href: string): void {
  location.hash = href.replace(/^#/, '');
}
