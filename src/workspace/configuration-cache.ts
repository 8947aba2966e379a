/**
 * The configuration of a workspace, without its parser where that can be: commands start on every turn of an agent, and
 * the parser takes longer than all the rest. What it made of the file is kept beside the database, for as long as the
 * file's text is the same; nobody can write there who could not write the database.
 */
import { writeWhole } from '../foundation/atomic-file.ts';
import type { ConfigurationText } from './configuration-shape.ts';
import { keptConfiguration, type Kept } from './kept-configuration.ts';
import type { Workspace } from './workspace.ts';

export interface CachedConfiguration {
  /** What the file says. */
  readonly text: ConfigurationText;
  /** For the next command; to be called when the place has proved to be ours. */
  keep(): void;
}

export async function cachedConfiguration(workspace: Workspace): Promise<CachedConfiguration> {
  const { source, mark, place, text } = keptConfiguration(workspace);
  if (text !== null) return { text, keep: () => undefined };
  const { parseConfiguration } = await import('./configuration.ts');
  const parsed = parseConfiguration(source, workspace.configurationPath);
  return { text: parsed.text, keep: () => keep(place, { mark, text: parsed.text }) };
}

/** A courtesy to the next command; where it cannot be written, that one parses again. */
function keep(place: string, kept: Kept): void {
  try {
    writeWhole(place, JSON.stringify(kept), { mode: 0o600 });
  } catch {
    // Read-only, or not there yet.
  }
}
