import type { Baton, OpenBatonOptions } from '../interfaces/library/baton.ts';
import { openBatonWith } from '../interfaces/library/open-baton.ts';
import { openWorkspace } from './open-workspace.ts';

/** Opens a workspace, or a database, for programs. */
export async function openBaton(options: OpenBatonOptions = {}): Promise<Baton> {
  return openBatonWith(openWorkspace, options);
}
