/** What the parts of the mirror share: the house without its mirror, and the folder. */
import type { JsonText } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { MessageFolder } from '../../folders/folder.ts';
import type { QueueFolder } from '../../folders/queue-folder-names.ts';
import type { Context } from '../context.ts';
import type { KnownFiles } from './known-files.ts';

/** Null: not of the queue. */
export type PhasePart = { readonly phase: number | null; readonly agent: string } | null;

export interface Queue {
  /** Its rules know no queue: what is done here is not mirrored a second time. */
  readonly ctx: Context;
  readonly folder: MessageFolder;
  /** What foreign workers have, as far as this process has seen: they end it where nobody lists. */
  readonly abroad: Set<HandoffId>;
  /** What could not be put right, and has to be tried again before the bookmark may move. */
  readonly again: Set<HandoffId>;
  /** The newest revision of those of which there are facts whose file this process has not looked at yet. */
  readonly news: Map<HandoffId, number>;
  /** What a foreign program has not finished writing, as far as anybody can tell: each slow look looks again. */
  readonly unfinished: Set<HandoffId>;
  /** What ours do themselves, by when it was heard of: it is looked at when they have had time for it. */
  readonly deferred: Map<HandoffId, number>;
  /** When this process began what it works on, by fence, and what that carries; null: too much to be remembered. */
  readonly started: Map<HandoffId, { readonly fence: number; readonly at: number; readonly body: JsonText | null }>;
  /** Which phase and agent each handoff counts for, as far as this process has read it. */
  readonly parts: Map<HandoffId, PhasePart>;
  /** The record as it is now; null: there is none. */
  readonly newestRecord: (id: HandoffId) => Promise<Handoff | null>;
  /** Second requests of one id that were kept under an id of their own, and have no file yet. */
  readonly kept: HandoffId[];
  /** How this process has left what it put in its place, so that its own renames do not call it back. */
  readonly left: KnownFiles;
  readonly hints: Hints;
  readonly reading: Reading;
}

/** What the system has told since the last pass. */
interface Hints {
  places: Map<HandoffId, Set<QueueFolder>>;
  /** Something has changed, and nobody knows what. */
  isVague: boolean;
}

/** How far this process has read the facts; the bookmark follows when all is in its place. */
interface Reading {
  cursor: string | null;
  isBegun: boolean;
  /** The bookmark was written before the machine was last started: what was not synced may be lost. */
  isOld: boolean;
  /** Cursors and when they were reached: the bookmark follows when all before it has been looked at. */
  reached: { readonly cursor: string; readonly atMs: number }[];
  savedMs: number;
}

/** A program that writes a file is done with it by then, or has died. */
export const WRITTEN_MS = 2_000;
/** An end that says half of what it should. */
export const HALF_SAID_MS = 5_000;
/** What breaks off may go on; nobody pauses for longer in the middle of a file, or between moving and writing it. */
export const UNREADABLE_MS = 60_000;

/** What a look has led to: something changed and has to be looked at once more, nothing is to do yet, or nothing at all. */
export type Looked = 'again' | 'later' | 'done';

/** Begins every reason for which an answer does not count because another one does, or will. */
export const LATE = 'late_or_unfenced_completion';

export function byFile(user: string): Principal {
  return { kind: 'file', user };
}

/** What is left of the handoff has to be looked at once more. */
export async function quarantine(
  { ctx, folder }: Queue,
  place: QueueFolder,
  name: string,
  says: string,
): Promise<'again'> {
  // One of ours may have moved it on since its place was looked up.
  if (await folder.quarantine(place, name, says)) ctx.report({ kind: 'file-quarantined', name, place, says });
  return 'again';
}

export function fileName(id: HandoffId): string {
  return `${id}.json`;
}
