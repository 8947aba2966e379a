/** Moves finished files out of the folders that naive waiters look into: `handoffs/archive/2026-01/NAME`. */
import { randomUUID } from 'node:crypto';
import { lstatSync, renameSync, type Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../foundation/or-null.ts';
import { isRealFolder } from './artifact-file.ts';

const FINISHED = ['completed', 'failed'] as const;
const ARCHIVE = 'archive';
const ENDING = '.json';
/** One turn moves so many; the next one goes on. */
const MOVED_MAX = 5_000;

interface Archiving {
  readonly root: string;
  readonly keep: { readonly ageMs: number | null; readonly files: number | null };
  readonly quietMsOf: (found: Stats) => number;
}

/** Answers how many were moved. */
export async function archiveFinished({ root, keep, quietMsOf }: Archiving): Promise<number> {
  if (keep.ageMs === null && keep.files === null) return 0;
  let moved = 0;
  for (const place of FINISHED) {
    const old = await oldOnes(join(root, place), keep, quietMsOf);
    for (const name of old.slice(0, MOVED_MAX - moved)) {
      if (archive(root, place, name)) moved += 1;
    }
  }
  return moved;
}

async function oldOnes(
  folder: string,
  { ageMs, files }: Archiving['keep'],
  quietMsOf: Archiving['quietMsOf'],
): Promise<readonly string[]> {
  const found: { readonly name: string; readonly quietMs: number }[] = [];
  for await (const { name } of await opendir(folder)) {
    if (name.startsWith('.') || !name.endsWith(ENDING)) continue;
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stats?.isFile() === true) found.push({ name, quietMs: quietMsOf(stats) });
  }
  const oldestFirst = found.toSorted((a, b) => b.quietMs - a.quietMs);
  const tooMany = files === null ? 0 : Math.max(0, oldestFirst.length - files);
  return oldestFirst
    .filter(({ quietMs }, index) => index < tooMany || (ageMs !== null && quietMs > ageMs))
    .map(({ name }) => name);
}

function archive(root: string, place: string, name: string): boolean {
  const from = join(root, place, name);
  const found = lstatSync(from, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const month = join(root, ARCHIVE, monthOf(found.ctimeMs));
  // A link would lead us out of the workspace.
  if (!isRealFolder(join(root, ARCHIVE)) || !isRealFolder(month)) return false;
  const to = join(month, name);
  const isTaken = lstatSync(to, { throwIfNoEntry: false }) !== undefined;
  return unlessMissing(() => renameSync(from, isTaken ? `${to}.${randomUUID()}` : to)) !== null;
}

/** A file is finished a moment after its handoff, at worst in the next month. */
const NEXT_MONTH_MS = 24 * 60 * 60_000;

export function isArchived(root: string, name: string, endedMs: number): boolean {
  const months = new Set([monthOf(endedMs), monthOf(endedMs + NEXT_MONTH_MS)]);
  return [...months].some(
    (month) => lstatSync(join(root, ARCHIVE, month, name), { throwIfNoEntry: false }) !== undefined,
  );
}

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
