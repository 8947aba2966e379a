/** What the last command made of `baton.yaml`, for as long as the file's text is the same; without its parser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigurationText } from './configuration-shape.ts';
import type { Workspace } from './workspace.ts';

declare const __BATON_VERSION__: string;

export interface Kept {
  /** The text and the program that read it: another one may read it otherwise. */
  readonly mark: string;
  readonly text: ConfigurationText;
}

export interface KeptConfiguration {
  /** The file as it is now. */
  readonly source: string;
  readonly mark: string;
  /** Where it is kept. */
  readonly place: string;
  /** Null: nobody has read this text with this program yet. */
  readonly text: ConfigurationText | null;
}

export function keptConfiguration({ configurationPath, privateFolder }: Workspace): KeptConfiguration {
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
 * Whether a text that nobody has read yet may say something that a hook's look for work has to know: the parser takes it a
 * fifth of its time. YAML has many ways to write a name (quoted, escaped, by an alias); whoever uses one pays for the parser.
 */
export function mayConcernLook(source: string): boolean {
  const lines = source.split(/\r?\n/).filter((line) => !/^\s*(?:#.*)?$/.test(line));
  return lines.some((line) => !PLAIN_LINE.test(line) || /database|wake/.test(line));
}

/** A key of its own, or something below one; without anything that gives a name another form. Values may be quoted. */
const PLAIN_LINE = /^(?:[a-z_]+:(?: "[^"\\]*"| [^"'\\&*?{<%|>!\t]*)?| +[^"'\\&*?<%|>!\t]*)$/;
