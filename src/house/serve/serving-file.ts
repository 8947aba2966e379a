/**
 * `.baton/serve.json`: who serves this workspace, where, and the token with which others of the same user reach it. Its
 * making is what decides between two who want to serve, and only its owner can read it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileExists, draftBeside, putInPlace } from '../../foundation/whole-file.ts';
import type { Liveness } from '../../engine/surroundings.ts';
import type { ProcessIdentity } from '../../stores/store.ts';
import type { Workspace } from '../workspace.ts';

export interface ServingFile {
  readonly url: string;
  readonly process: ProcessIdentity;
  /** An operator's; it ends with the server. */
  readonly token: string;
  readonly tokenId: string;
}

const NAME = 'serve.json';
const ASK_MS = 2_000;

export function readServingFile({ privateFolder }: Workspace): ServingFile | null {
  try {
    return JSON.parse(readFileSync(join(privateFolder, NAME), 'utf8')) as ServingFile;
  } catch {
    return null;
  }
}

/** Whoever serves here and lives, if it is not us. */
export function servedBy(workspace: Workspace, liveness: Liveness): ServingFile | null {
  const found = readServingFile(workspace);
  if (found === null || isSame(found.process, liveness.self)) return null;
  return liveness.of(found.process) === 'gone' ? null : found;
}

/** Null: it is ours now. Otherwise who was faster. */
export function claimServing(workspace: Workspace, liveness: Liveness, file: ServingFile): ServingFile | null {
  const path = join(workspace.privateFolder, NAME);
  for (;;) {
    const draft = draftBeside(path);
    writeFileSync(draft, `${JSON.stringify(file)}\n`, { mode: 0o600 });
    try {
      putInPlace(draft, path, { replace: false });
    } catch (error) {
      rmSync(draft, { force: true });
      if (!(error instanceof FileExists)) throw error;
      const first = servedBy(workspace, liveness);
      if (first !== null) return first;
      // Its process is gone, and could not put it away.
      rmSync(path, { force: true });
      continue;
    }
    const kept = readServingFile(workspace);
    if (kept?.tokenId === file.tokenId) return null;
  }
}

export function leaveServing(workspace: Workspace, file: ServingFile): void {
  if (readServingFile(workspace)?.tokenId === file.tokenId)
    rmSync(join(workspace.privateFolder, NAME), { force: true });
}

/** Asks the one that serves for a link; null: it does not answer. */
export async function newLinkFrom({ url, token }: ServingFile): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/api/login-links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ASK_MS),
    });
    if (!answer.ok) return null;
    const { path } = (await answer.json()) as { readonly path: string };
    return `${url}${path}`;
  } catch {
    return null;
  }
}

function isSame(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt && a.boot === b.boot;
}
