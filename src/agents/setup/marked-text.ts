/** A section of ours in a file of the user, between two marker lines. */

export interface Marks {
  readonly begin: string;
  readonly end: string;
}

export const MARKDOWN_MARKS: Marks = { begin: '<!-- baton: begin -->', end: '<!-- baton: end -->' };
export const TOML_MARKS: Marks = { begin: '# baton: begin', end: '# baton: end' };

/** `null` removes the section. The text around it stays; a text without anything else becomes null. */
export function withSection(text: string | null, section: string | null, { begin, end }: Marks): string | null {
  const before = text ?? '';
  const from = before.indexOf(begin);
  const until = from === -1 ? -1 : before.indexOf(end, from);
  const ours = section === null ? '' : `${begin}\n${section.trim()}\n${end}\n`;
  if (until === -1) {
    if (section === null) return text;
    const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
    return `${before}${gap}${ours}`;
  }
  const after = before.slice(until + end.length).replace(/^\r?\n/, '');
  const head = before.slice(0, from);
  // The empty line that was put in front of it goes with it.
  const next = section === null ? `${head.replace(/\n\n$/, '\n')}${after}` : `${head}${ours}${after}`;
  return next === '' ? null : next;
}
