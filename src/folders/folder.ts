/**
 * The seam to the folders in which programs that only know files take part. A folder knows places and bytes; what they
 * mean is the engine's to decide.
 *
 * A name is in a place or it is not: moving is one rename, which of several programs only one can win. Folders are a
 * mirror, and whatever a power cut takes from them is put right from the database; only what is final is synced, because
 * others act on it.
 */
import type { HandoffId, TaskId } from '../domain/names.ts';

export const PLACES = ['waiting', 'pending', 'in-progress', 'completed', 'failed'] as const;
export type Place = (typeof PLACES)[number];
/** Those that hold what is open, and so may be listed; the others grow for ever. */
export const OPEN_PLACES = ['waiting', 'pending', 'in-progress'] as const satisfies readonly Place[];
export type OpenPlace = (typeof OPEN_PLACES)[number];

export interface MessageFolder {
  /** Makes what is missing. A fault where a folder of the queue is something else, such as a link to elsewhere. */
  prepare(): Promise<void>;
  list(place: OpenPlace): Promise<readonly ListedName[]>;
  /** In which places there is something of this name, looked at in this order: files only ever move forward through it. */
  whereIs(id: HandoffId): Promise<readonly Place[]>;
  /** Links, pipes, folders, giants and what belongs to strangers are never read: they are `unfit`. */
  read(place: Place, id: HandoffId): Promise<FileRead>;
  /** False: there was nothing to move. Replaces what is at the other end. */
  move(id: HandoffId, from: Place, to: Place): Promise<boolean>;
  /** A new file, whole and on the disk when it appears; replaces what is there. */
  put(place: Place, id: HandoffId, text: string): Promise<void>;
  /** In place. False: it is gone, or unfit to be written. */
  rewrite(place: Place, id: HandoffId, text: string): Promise<boolean>;
  /** Takes a copy of ours away; only ever from `waiting`, where nobody else looks. */
  discard(id: HandoffId): Promise<void>;
  /** Out of everybody's way, with the reason beside it; nothing is lost. */
  quarantine(place: Place, name: string, reason: string): Promise<void>;
  /** A file below `artifacts/`. False: the path leads elsewhere, or something else has that name. */
  putArtifact(path: string, text: string, isOurs: (text: string) => boolean): Promise<boolean>;
  /** One of our processes at a time; foreign programs do not ask. */
  alone<Answer>(id: HandoffId, act: () => Promise<Answer>): Promise<Answer>;
  /** Up to which fact these folders are right. It describes the folders and not the database, so it lies beside them. */
  readonly bookmark: { load(): Promise<string | null>; save(cursor: string): Promise<void> };
  /** Tells what may have changed, until it is closed: a hint. */
  watch(changed: (place: Place, id: HandoffId | null) => void): { close(): void };
}

export interface ListedName {
  readonly name: string;
  /** Null: the name cannot be that of a handoff. */
  readonly id: HandoffId | null;
}

export type FileRead =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unfit'; readonly says: string }
  | {
      readonly kind: 'file';
      readonly text: string;
      /** The user it belongs to. */
      readonly user: string;
      /** Since it was last written, by the clock of the machine. */
      readonly quietMs: number;
    };

/** `tasks/`: one markdown file per task. It is its owner's; we change single fields of it and make new ones. */
export interface TaskFolder {
  read(id: TaskId): Promise<FileRead>;
  /** Replaces the file that was read. False: it is another one by now. */
  replace(id: TaskId, text: string, read: string): Promise<boolean>;
  /** False: there is one already. */
  put(id: TaskId, text: string): Promise<boolean>;
  /** With the next free number of this year; of two who want the same one, the other gets the next. */
  create(year: number, textFor: (id: TaskId) => string): Promise<TaskId>;
  alone<Answer>(id: TaskId, act: () => Promise<Answer>): Promise<Answer>;
}
