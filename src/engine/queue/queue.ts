/** The state that the parts of the queue mirror share. */
import type { JsonText } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { MessageFolder } from '../../folders/folder.ts';
import type { QueueFolder } from '../../folders/queue-folder-names.ts';
import type { Context } from '../context.ts';
import type { KnownFiles } from './known-files.ts';

/** Null: not a queue handoff. */
export type PhasePart = { readonly phase: number | null; readonly agent: string } | null;

export interface Queue {
  /** Its rules have no queue mirror, so changes made here are not mirrored a second time. */
  readonly ctx: Context;
  readonly folder: MessageFolder;
  /** Handoffs that foreign workers hold, as far as known. They are always checked, because finished folders are not listed. */
  readonly heldByFile: Set<HandoffId>;
  /** Handoffs that could not be reconciled. They have to be retried before the bookmark may move. */
  readonly again: Set<HandoffId>;
  /** The newest revision of handoffs with new facts whose files this process has not checked yet. */
  readonly newRevisions: Map<HandoffId, number>;
  /** Files that a foreign program may still be writing. Every quick or full pass checks them. */
  readonly unfinished: Set<HandoffId>;
  /** Handoffs whose files Baton processes move themselves, with the time of the hint. They are checked after a delay. */
  readonly deferred: Map<HandoffId, number>;
  /** Fence, start and body of handoffs that this process works on. Body null: too large to be cached. */
  readonly started: Map<HandoffId, { readonly fence: number; readonly at: number; readonly body: JsonText | null }>;
  /** Cached phase and agent of handoffs. */
  readonly parts: Map<HandoffId, PhasePart>;
  /** The present record; null: there is none. */
  readonly newestRecord: (id: HandoffId) => Promise<Handoff | null>;
  /** Second requests that were stored under a new id and have no file yet. */
  readonly kept: HandoffId[];
  /** The files that this process wrote or moved, so that its own renames cause no work. */
  readonly knownFiles: KnownFiles;
  readonly hints: Hints;
  readonly reading: Reading;
}

/** File-system events since the last pass. */
interface Hints {
  places: Map<HandoffId, Set<QueueFolder>>;
  /** An event did not name a file. */
  isVague: boolean;
}

/** How far this process has read the facts. The bookmark follows when all files are in order. */
interface Reading {
  cursor: string | null;
  isBegun: boolean;
  /** The bookmark is from before the last boot: unsynced files may be lost. */
  isOld: boolean;
  /** Cursors and when they were reached: the bookmark follows when everything before it has been checked. */
  reached: { readonly cursor: string; readonly atMs: number }[];
  savedMs: number;
}

/** By then a program has finished writing its file, or has ended. */
export const WRITTEN_MS = 2_000;
/** For a result that is only partly written. */
export const PARTIAL_ANSWER_MS = 5_000;
/** For a file that is cut off, or moved and not written yet. */
export const UNREADABLE_MS = 60_000;

/** `again`: something changed, take another step. `later`: try again in a later pass. `done`: nothing to do. */
export type StepResult = 'again' | 'later' | 'done';

/** The beginning of every reason that refuses a result because another one counts. */
export const LATE = 'late_or_unfenced_completion';

export function byFile(user: string): Principal {
  return { kind: 'file', user };
}

/** Returns `again`, because the rest of the handoff has to be reconciled. */
export async function quarantine(
  { ctx, folder }: Queue,
  place: QueueFolder,
  name: string,
  says: string,
): Promise<'again'> {
  // Another Baton process may have moved the file since.
  if (await folder.quarantine(place, name, says)) ctx.report({ kind: 'file-quarantined', name, place, says });
  return 'again';
}

export function fileName(id: HandoffId): string {
  return `${id}.json`;
}
