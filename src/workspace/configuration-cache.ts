/**
 * The configuration of a workspace, without parsing it where possible: commands start on every turn of an agent, and the
 * parser takes longer than everything else. The parsed configuration is kept beside the database until the file changes;
 * only a user who can write the database can write there.
 */
import { writeAtomically } from '../foundation/atomic-file.ts';
import { readCachedConfiguration, type Kept } from './configuration-cache-file.ts';
import type { Workspace } from './workspace.ts';

/** `keep` stores it for the next command; called once the folder has proved to be ours. */
export async function cachedConfiguration(workspace: Workspace) {
  const { source, mark, place, text } = readCachedConfiguration(workspace);
  if (text !== null) return { text, keep: () => undefined };
  const { parseConfiguration } = await import('./configuration.ts');
  const parsed = parseConfiguration(source, workspace.configurationPath);
  return { text: parsed.text, keep: () => keep(place, { mark, text: parsed.text }) };
}

/** Where this cannot be written, the next command parses again. */
function keep(place: string, kept: Kept): void {
  try {
    writeAtomically(place, JSON.stringify(kept), { mode: 0o600 });
  } catch {
    // The folder is read-only or missing.
  }
}
