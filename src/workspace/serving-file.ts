/**
 * `.baton/serve.json`: who serves this workspace, where, and the token with which others of the same user reach it. Its
 * making is what decides between two who want to serve, and only its owner can read it.
 */
import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Timers } from '../foundation/clock.ts';
import { isSameProcess, type ProcessIdentity, type ProcessJudge } from '../foundation/process-identity.ts';
import { writeWhole } from '../foundation/atomic-file.ts';
import type { Workspace } from './workspace.ts';

export interface ServingFile {
  readonly url: string;
  readonly process: ProcessIdentity;
  /** An operator's; it ends with the server. */
  readonly token: string;
  readonly tokenId: string;
}

const NAME = 'serve.json';
const ASK_MS = 2_000;
/** A server that shows no sign of life for this long has left; several beats may be late. */
const SERVING_LEASE_MS = 10_000;
const SERVING_BEAT_MS = 2_000;

/** Another process serves this workspace. */
export class AlreadyServing extends Error {
  override readonly name = 'AlreadyServing';
  readonly first: ServingFile;

  constructor(first: ServingFile) {
    super(`served already at ${first.url}`);
    this.first = first;
  }
}

export function readServingFile({ privateFolder }: Workspace): ServingFile | null {
  try {
    return JSON.parse(readFileSync(join(privateFolder, NAME), 'utf8')) as ServingFile;
  } catch {
    return null;
  }
}

/**
 * Whoever serves here and lives, if it is not us. A server that cannot be judged (it ran before a restart of the machine,
 * or runs in another container) is believed to live for as long as it touches its file.
 */
export function servedBy(workspace: Workspace, judge: ProcessJudge): ServingFile | null {
  const found = readServingFile(workspace);
  if (found === null || isSameProcess(found.process, judge.self)) return null;
  const verdict = judge.of(found.process);
  return verdict === 'gone' || (verdict === 'unknown' && isSilent(workspace)) ? null : found;
}

function isSilent({ privateFolder }: Workspace): boolean {
  const stat = statSync(join(privateFolder, NAME), { throwIfNoEntry: false });
  return stat === undefined || Date.now() - stat.mtimeMs > SERVING_LEASE_MS;
}

/** Touches the file until the signal is aborted. */
export async function keepServing(workspace: Workspace, timers: Timers, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = new Date();
    try {
      utimesSync(join(workspace.privateFolder, NAME), now, now);
    } catch {
      // Somebody has removed it; the server goes on.
    }
    await timers.sleep(SERVING_BEAT_MS, signal);
  }
}

/** Null: it is ours now. Otherwise who was faster. */
export function claimServing(workspace: Workspace, judge: ProcessJudge, file: ServingFile): ServingFile | null {
  const path = join(workspace.privateFolder, NAME);
  for (;;) {
    if (!writeWhole(path, `${JSON.stringify(file)}\n`, { mode: 0o600, replace: false, durably: true })) {
      const first = servedBy(workspace, judge);
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
