/** Text that agents wrote, shown as data. Invisible characters are removed, and their number is shown. */

/** Control characters except tab and line feed, zero-width characters, direction marks, and tags. */
const HIDDEN = /(?![\t\n])[\p{Cc}\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

export interface Visible {
  readonly text: string;
  readonly hidden: number;
}

export function visible(given: string): Visible {
  let hidden = 0;
  const text = given.replaceAll(HIDDEN, (character) => {
    if (character === '\r') return '';
    hidden += 1;
    return '';
  });
  return { text, hidden };
}

interface Named {
  readonly title: string | null;
  readonly task?: string | null;
  readonly id: string;
}

export function titleOf({ title, task, id }: Named): string {
  const { text } = visible(title ?? task ?? id);
  return text.trim() === '' ? id : text;
}
