/**
 * A disk whose power can be cut. Of a file, certain is what was written before the last completed sync of that file; of
 * a folder, the names that were there at its last sync. Everything later is there or not by chance, and a write can be
 * torn at the borders of sectors. Names of one folder come in the order in which they were made, as journals keep it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Chance } from './seeds.ts';
import type { Call } from './system-calls.ts';

const SECTOR = 512;

type Change = Extract<Call, { kind: 'write' | 'truncate' }>;
/** What a name in a folder leads to; null when it is gone. */
interface Naming {
  readonly path: string;
  readonly leadsTo: File | 'folder' | null;
}

interface File {
  certain: Buffer;
  later: Change[];
}

export interface Disk {
  apply(call: Call): void;
  /** Writes into `target` what would be found after a cut now; without chance, only what is certain. */
  cut(target: string, chance: Chance | null): void;
}

export function diskUnder(root: string): Disk {
  const names = new Map<string, File | 'folder'>([[root, 'folder']]);
  const certainNames = new Map(names);
  const laterNames = new Map<string, Naming[]>();
  const syncing = new Map<string, number>();

  const name = (path: string, leadsTo: Naming['leadsTo']): void => {
    if (leadsTo === null) names.delete(path);
    else names.set(path, leadsTo);
    const folder = dirname(path);
    laterNames.set(folder, [...(laterNames.get(folder) ?? []), { path, leadsTo }]);
  };

  const fileAt = (path: string): File | null => {
    const found = names.get(path);
    return found === undefined || found === 'folder' ? null : found;
  };

  const endSync = (path: string, thread: string): void => {
    const covered = syncing.get(`${thread} ${path}`) ?? 0;
    const file = fileAt(path);
    if (file !== null) {
      const arrived = file.later.slice(0, covered).map((change) => ({ change, torn: null }));
      file.certain = replayed(file.certain, arrived);
      file.later = file.later.slice(covered);
      return;
    }
    const pending = laterNames.get(path) ?? [];
    for (const naming of pending.slice(0, covered)) put(certainNames, naming);
    laterNames.set(path, pending.slice(covered));
  };

  const isOurs = (path: string): boolean => path.startsWith(`${root}/`) && !path.endsWith('-shm');

  const apply = (call: Call): void => {
    switch (call.kind) {
      case 'said':
        return;
      case 'link':
      case 'rename': {
        const moved = names.get(call.from);
        if (moved === undefined || !isOurs(call.to)) return;
        name(call.to, moved);
        if (call.kind === 'rename') name(call.from, null);
        return;
      }
      case 'sync-begins': {
        const count = fileAt(call.path)?.later.length ?? laterNames.get(call.path)?.length ?? 0;
        syncing.set(`${call.thread} ${call.path}`, count);
        return;
      }
      case 'sync-ends':
        endSync(call.path, call.thread);
        return;
      case 'create':
        if (isOurs(call.path) && !names.has(call.path)) name(call.path, { certain: Buffer.alloc(0), later: [] });
        return;
      case 'folder':
        if (isOurs(call.path) && !names.has(call.path)) name(call.path, 'folder');
        return;
      case 'unlink':
        if (names.has(call.path)) name(call.path, null);
        return;
      case 'write':
      case 'truncate':
        fileAt(call.path)?.later.push(call);
    }
  };

  const cut = (target: string, chance: Chance | null): void => {
    const found = new Map(certainNames);
    for (const pending of laterNames.values()) {
      for (const naming of pending.slice(0, chance?.below(pending.length + 1) ?? 0)) put(found, naming);
    }
    const inOrder = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [path, leadsTo] of inOrder) {
      // A name in a folder that is not there is not there either.
      if (path !== root && found.get(dirname(path)) !== 'folder') found.delete(path);
      else if (leadsTo === 'folder') mkdirSync(join(target, path.slice(root.length)), { recursive: true, mode: 0o700 });
      else writeFileSync(join(target, path.slice(root.length)), afterCut(leadsTo, chance));
    }
  };

  return { apply, cut };
}

function put(names: Map<string, File | 'folder'>, { path, leadsTo }: Naming): void {
  if (leadsTo === null) names.delete(path);
  else names.set(path, leadsTo);
}

function afterCut({ certain, later }: File, chance: Chance | null): Buffer {
  if (chance === null) return certain;
  const arrived = later.flatMap((change) => {
    const fate = chance.below(3);
    return fate === 0 ? [] : [{ change, torn: fate === 1 ? null : chance }];
  });
  return replayed(certain, arrived);
}

/** Where chance is given, only some of the sectors of a write have arrived. */
interface Arrived {
  readonly change: Change;
  readonly torn: Chance | null;
}

function replayed(before: Buffer, arrived: readonly Arrived[]): Buffer {
  const ends = arrived.map(({ change }) =>
    change.kind === 'truncate' ? change.size : change.offset + change.bytes.length,
  );
  const bytes = Buffer.alloc(ends.reduce((most, end) => Math.max(most, end), before.length));
  before.copy(bytes);
  let size = before.length;
  for (const { change, torn } of arrived) {
    if (change.kind === 'truncate') {
      bytes.fill(0, change.size, size);
      size = change.size;
    } else {
      writeSectors(bytes, change, torn);
      size = Math.max(size, change.offset + change.bytes.length);
    }
  }
  return size === bytes.length ? bytes : bytes.subarray(0, size);
}

function writeSectors(
  target: Buffer,
  { offset, bytes }: Extract<Change, { kind: 'write' }>,
  torn: Chance | null,
): void {
  for (let from = 0; from < bytes.length;) {
    const end = Math.min(bytes.length, from + SECTOR - ((offset + from) % SECTOR));
    if (torn === null || torn.unit() < 0.5) bytes.copy(target, offset + from, from, end);
    from = end;
  }
}
