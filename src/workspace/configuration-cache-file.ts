/** The configuration that the last command parsed, valid until the text of `baton.yaml` changes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigurationText } from './configuration-shape.ts';
import type { Workspace } from './workspace.ts';

declare const __BATON_VERSION__: string;

export interface Kept {
  /** The text and the version that read it: another version may read it differently. */
  readonly mark: string;
  readonly text: ConfigurationText;
}

/** `source` is the file as it is now. A `text` of null: this version has not read it yet. */
export function readCachedConfiguration({ configurationPath, privateFolder }: Workspace) {
  const source = readFileSync(configurationPath, 'utf8');
  const mark = `${__BATON_VERSION__}\n${source}`;
  const place = join(privateFolder, 'configuration.json');
  const kept = keptAt(place);
  return { source, mark, place, text: kept?.mark === mark ? kept.text : null };
}

function keptAt(place: string): Kept | null {
  try {
    return JSON.parse(readFileSync(place, 'utf8')) as Kept;
  } catch {
    return null;
  }
}

/**
 * Whether an unparsed text may hold a setting that a hook needs to check for work: parsing would take a fifth of its
 * time. A text with names in another YAML form (quoted, escaped, by an alias) is parsed.
 */
export function mayAffectWorkCheck(source: string): boolean {
  const lines = source.split(/\r?\n/).filter((line) => !/^\s*(?:#.*)?$/.test(line));
  return lines.some((line) => !PLAIN_LINE.test(line) || /database|wake/.test(line));
}

/** A key, or a line below one, without anything that gives a name another form. Values may be quoted. */
const PLAIN_LINE = /^(?:[a-z_]+:(?: "[^"\\]*"| [^"'\\&*?{<%|>!\t]*)?| +[^"'\\&*?<%|>!\t]*)$/;
