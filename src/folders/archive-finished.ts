/** Moves finished files of the queue to `handoffs/archive/2026-01/NAME`, away from where foreign programs wait for results. */
import { randomUUID } from 'node:crypto';
import { lstatSync, renameSync, type Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../foundation/or-null.ts';
import { isRealFolder } from './artifact-file.ts';

const FINISHED = ['completed', 'failed'] as const;
const ARCHIVE = 'archive';
const EXTENSION = '.json';
/** The most files that one call moves. */
const MOVED_MAX = 5_000;

interface Archiving {
  readonly root: string;
  readonly keep: { readonly ageMs: number | null; readonly files: number | null };
  readonly unchangedMsOf: (found: Stats) => number;
}

/** Returns the number of moved files. */
export async function archiveFinished({ root, keep, unchangedMsOf }: Archiving): Promise<number> {
  if (keep.ageMs === null && keep.files === null) return 0;
  let moved = 0;
  for (const place of FINISHED) {
    const old = await findOld(join(root, place), keep, unchangedMsOf);
    for (const name of old.slice(0, MOVED_MAX - moved)) {
      if (archive(root, place, name)) moved += 1;
    }
  }
  return moved;
}

async function findOld(
  folder: string,
  { ageMs, files }: Archiving['keep'],
  unchangedMsOf: Archiving['unchangedMsOf'],
): Promise<readonly string[]> {
  const found: { readonly name: string; readonly unchangedMs: number }[] = [];
  for await (const { name } of await opendir(folder)) {
    if (name.startsWith('.') || !name.endsWith(EXTENSION)) continue;
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stats?.isFile() === true) found.push({ name, unchangedMs: unchangedMsOf(stats) });
  }
  const oldestFirst = found.toSorted((a, b) => b.unchangedMs - a.unchangedMs);
  const tooMany = files === null ? 0 : Math.max(0, oldestFirst.length - files);
  return oldestFirst
    .filter(({ unchangedMs }, index) => index < tooMany || (ageMs !== null && unchangedMs > ageMs))
    .map(({ name }) => name);
}

function archive(root: string, place: string, name: string): boolean {
  const from = join(root, place, name);
  const found = lstatSync(from, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const month = join(root, ARCHIVE, monthOf(found.ctimeMs));
  // A link could lead out of the workspace.
  if (!isRealFolder(join(root, ARCHIVE)) || !isRealFolder(month)) return false;
  const to = join(month, name);
  const isTaken = lstatSync(to, { throwIfNoEntry: false }) !== undefined;
  return unlessMissing(() => renameSync(from, isTaken ? `${to}.${randomUUID()}` : to)) !== null;
}

/** A file is finished a moment after its handoff, possibly in the next month. */
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
