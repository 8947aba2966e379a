/**
 * A block that is read again is recognized by its content and by its conversation or document. Its position, the name of
 * its file and its line ends may have changed since.
 */

/** The YAML without what an editor or a checkout changes: line ends, blank lines, trailing spaces. */
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
