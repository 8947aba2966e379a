/** What the parts of the mirror share: the house without its mirror, and the folder. */
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { MessageFolder, Place } from '../../folders/folder.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Left } from './left.ts';

export interface Queue {
  /** Its rules know no queue: what is done here is not mirrored a second time. */
  readonly around: Surroundings;
  readonly folder: MessageFolder;
  /** What foreign workers have, as far as this process has seen: they end it where nobody lists. */
  readonly abroad: Set<HandoffId>;
  /** What could not be put right, and has to be tried again before the bookmark may move. */
  readonly again: Set<HandoffId>;
  /** How this process has left what it put in its place, so that its own renames do not call it back. */
  readonly left: Left;
  readonly hints: Hints;
  readonly reading: Reading;
}

/** What the system has told since the last pass. */
interface Hints {
  places: Map<HandoffId, Set<Place>>;
  /** Something has changed, and nobody knows what. */
  isVague: boolean;
}

/** How far this process has read the facts; the bookmark follows when all is in its place. */
interface Reading {
  cursor: string | null;
  isBegun: boolean;
  /** The bookmark was written before the machine was last started: what was not synced may be lost. */
  isOld: boolean;
  /** There were some since the bookmark was saved. */
  isRead: boolean;
  savedMs: number;
}

/** A program that writes a file is done with it by then, or has died. */
export const WRITTEN_MS = 2_000;
/** What breaks off may go on; nobody pauses for longer in the middle of a file. */
export const UNREADABLE_MS = 60_000;

/** Did something change? Then it is looked at once more. */
export type LookAgain = boolean;

export function byFile(user: string): Principal {
  return { kind: 'file', user };
}

export async function quarantine({ around, folder }: Queue, place: Place, name: string, says: string): Promise<void> {
  await folder.quarantine(place, name, says);
  around.report({ kind: 'file-quarantined', name, place, says });
}

export function fileName(id: HandoffId): string {
  return `${id}.json`;
}
