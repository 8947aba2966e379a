/**
 * By what a block is recognised when it is read again: by what it says, and by the conversation or the document it stands
 * in. Its position, the name of its file and the ends of its lines may have changed since.
 */

/** The YAML without what an editor or a checkout changes: ends of lines, blank lines, spaces at the end. */
export function contentOf(yaml: string): string {
  return yaml
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
}

/** The prose without what an editor or a checkout changes. */
export function wordsOf(prose: string): string {
  return prose.replaceAll(/\s+/g, ' ').trim();
}
