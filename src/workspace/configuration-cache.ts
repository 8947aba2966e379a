/**
 * The configuration of a workspace, without its parser where that can be: commands start on every turn of an agent, and
 * the parser takes longer than all the rest. What it made of the file is kept beside the database, for as long as the
 * file's text is the same; nobody can write there who could not write the database.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../foundation/digest.ts';
import { draftBeside } from '../foundation/atomic-file.ts';
import type { ConfigurationText } from './configuration-shape.ts';
import type { Workspace } from './workspace.ts';

declare const __BATON_VERSION__: string;

interface Kept {
  /** Of the text and of the program that read it: another one may read it otherwise. */
  readonly mark: string;
  readonly text: ConfigurationText;
}

export interface CachedConfiguration {
  /** What the file says. */
  readonly text: ConfigurationText;
  /** For the next command; to be called when the place has proved to be ours. */
  keep(): void;
}

export async function cachedConfiguration({
  configurationPath,
  privateFolder,
}: Workspace): Promise<CachedConfiguration> {
  const text = readFileSync(configurationPath, 'utf8');
  const mark = digestOf(`${__BATON_VERSION__}\n${text}`);
  const place = join(privateFolder, 'configuration.json');
  const kept = keptAt(place);
  if (kept?.mark === mark) return { text: kept.text, keep: () => undefined };
  const { parseConfiguration } = await import('./configuration.ts');
  const parsed = parseConfiguration(text, configurationPath);
  return { text: parsed.text, keep: () => keep(place, { mark, text: parsed.text }) };
}

function keptAt(place: string): Kept | null {
  try {
    return JSON.parse(readFileSync(place, 'utf8')) as Kept;
  } catch {
    return null;
  }
}

/** A courtesy to the next command; where it cannot be written, that one parses again. */
function keep(place: string, kept: Kept): void {
  try {
    const draft = draftBeside(place);
    writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 });
    renameSync(draft, place);
  } catch {
    // Read-only, or not there yet.
  }
}
