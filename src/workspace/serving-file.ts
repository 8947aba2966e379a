/**
 * `.baton/serve.json`: the process that serves this workspace, its address, and a token for programs of the same user. The
 * process that creates the file serves; only the owner can read it.
 */
import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Timers } from '../foundation/clock.ts';
import { isSameProcess, type ProcessIdentity, type ProcessJudge } from '../foundation/process-identity.ts';
import { writeAtomically } from '../foundation/atomic-file.ts';
import type { Workspace } from './workspace.ts';

export interface ServingFile {
  readonly url: string;
  readonly process: ProcessIdentity;
  /** An operator token that ends with the server. */
  readonly token: string;
  readonly tokenId: string;
}

const NAME = 'serve.json';
const REQUEST_TIMEOUT_MS = 2_000;
/** A server that has been silent for this long is gone; several beats may be late. */
const SERVING_LEASE_MS = 10_000;
const SERVING_HEARTBEAT_MS = 2_000;

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
 * The live server of this workspace, if it is another process. A server that cannot be judged (from before a reboot, or in
 * another container) counts as live as long as it touches its file.
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
export async function touchServingFile(workspace: Workspace, timers: Timers, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = new Date();
    try {
      utimesSync(join(workspace.privateFolder, NAME), now, now);
    } catch {
      // The file was removed; the server continues.
    }
    await timers.sleep(SERVING_HEARTBEAT_MS, signal);
  }
}

/** Null: this process serves now. Otherwise the server that claimed the file first. */
export function claimServing(workspace: Workspace, judge: ProcessJudge, file: ServingFile): ServingFile | null {
  const path = join(workspace.privateFolder, NAME);
  for (;;) {
    if (!writeAtomically(path, `${JSON.stringify(file)}\n`, { mode: 0o600, replace: false, durably: true })) {
      const first = servedBy(workspace, judge);
      if (first !== null) return first;
      // The process of the file is gone.
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

/** Asks the server for a login link; null: it does not answer. */
export async function requestLoginLink({ url, token }: ServingFile): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/api/login-links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (!answer.ok) return null;
    const { path } = (await answer.json()) as { readonly path: string };
    return `${url}${path}`;
  } catch {
    return null;
  }
}
