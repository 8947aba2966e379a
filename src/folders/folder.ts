/**
 * The seam to the folders in which programs that only know files take part. A folder knows places and bytes; what they
 * mean is the engine's to decide.
 *
 * A name is in a place or it is not: moving is one rename, which of several programs only one can win. Folders are a
 * mirror, and whatever a power cut takes from them is put right from the database; only what is final is synced, because
 * others act on it.
 */
import type { Result } from '../foundation/result.ts';
import type { ArtifactId, HandoffId, TaskId } from '../domain/names.ts';
import type { OpenQueueFolder, QueueFolder } from './queue-folder-names.ts';

export interface MessageFolder {
  /** Makes what is missing. A fault where a folder of the queue is something else, such as a link to elsewhere. */
  prepare(): Promise<void>;
  list(place: OpenQueueFolder): Promise<readonly ListedName[]>;
  /** For whoever has lost the database: these grow for ever. */
  finished(place: 'completed' | 'failed'): AsyncIterable<ListedName>;
  /** In which places there is something of this name, looked at in this order: files only ever move forward through it. */
  whereIs(id: HandoffId, among?: readonly QueueFolder[]): Promise<readonly QueueFolder[]>;
  /** Differs as soon as anything has happened to what is called like that; null where nothing is. */
  stamp(place: QueueFolder, id: HandoffId): string | null;
  /** When it was last written or moved, by its file system; zero where nothing is. */
  changedAt(place: QueueFolder, id: HandoffId): number;
  /** Links, pipes, folders, giants and what belongs to strangers are never read: they are `unfit`. */
  read(place: QueueFolder, id: HandoffId): Promise<FileRead>;
  /** False: there was nothing to move. Replaces what is at the other end. */
  move(id: HandoffId, from: QueueFolder, to: QueueFolder): Promise<boolean>;
  /** A new file, whole when it appears; replaces what is there. */
  put(place: QueueFolder, id: HandoffId, text: string): Promise<void>;
  /** In place. False: it is gone, or unfit to be written. Other: it says something unexpected, and stays as it is. */
  rewrite(
    place: QueueFolder,
    id: HandoffId,
    text: string,
    isExpected?: (old: string) => boolean,
  ): Promise<boolean | 'other'>;
  /**
   * From `in-progress` to an end: whole there, on the disk, and for good, once `first` is over. False: somebody was
   * faster, and has it.
   */
  seal(id: HandoffId, text: string, to: 'completed' | 'failed', first?: Promise<void>): Promise<boolean>;
  /** Takes a file of ours away: a copy in `waiting`, where nobody else looks, or a refusal in `failed`. */
  discard(place: 'waiting' | 'failed', id: HandoffId): Promise<void>;
  /** Out of everybody's way, with the reason beside it; nothing is lost. False: it is no longer there. */
  quarantine(place: QueueFolder, name: string, reason: string): Promise<boolean>;
  /** Moves finished files that are old or too many to `archive/`, a few thousand at a time. Answers how many. */
  tidy(): Promise<number>;
  /** Whether what ended at this time lies in the archive. */
  isArchived(id: HandoffId, endedMs: number): boolean;
  /** A file below `artifacts/`. False: the path leads elsewhere, or something else has that name. */
  putArtifact(path: string, text: string, isOurs: (text: string) => boolean): Promise<PutArtifact | false>;
  /** What is there, for a doctor: nothing is made, moved or read but reasons. */
  inspect(): Inspection;
  /** Up to which fact these folders are right. It describes the folders and not the database, so it lies beside them. */
  readonly bookmark: { load(): Promise<string | null>; save(cursor: string): Promise<void> };
  /** Tells what may have changed, until it is closed: a hint. */
  watch(changed: (place: QueueFolder, id: HandoffId | null) => void): { close(): void };
}

export interface PutArtifact {
  /** False: it was there already. */
  readonly isNew: boolean;
  /** Ends when it is there after a power cut, too. */
  readonly onDisk: Promise<void>;
}

export interface ListedName {
  readonly name: string;
  /** Null: the name cannot be that of a handoff. */
  readonly id: HandoffId | null;
}

export interface Inspection {
  /** Folders of the queue that are none. */
  readonly wrong: readonly { readonly name: string; readonly is: 'missing' | 'a link' | 'no folder' }[];
  readonly open: readonly {
    readonly place: OpenQueueFolder;
    readonly files: readonly (ListedName & { readonly isFile: boolean })[];
  }[];
  readonly quarantined: readonly Quarantined[];
  /** What processes that are gone have left of their locks. */
  readonly dead: readonly string[];
}

export interface Quarantined {
  readonly name: string;
  /** Null: there is no reason beside it. */
  readonly says: string | null;
  readonly sinceMs: number;
  readonly isFile: boolean;
}

export type FileRead =
  | { readonly kind: 'absent' }
  /** `isPlain`: it is a file with one name, so somebody may have meant it as a message. */
  | { readonly kind: 'unfit'; readonly says: string; readonly isPlain?: boolean }
  | {
      readonly kind: 'file';
      readonly text: string;
      /** The user it belongs to. */
      readonly user: string;
      /** How long it has been as it is, where it is. */
      readonly quietMs: number;
    };

/**
 * What lies below `artifacts/` and `context/`. Paths are those within the workspace, with `/`; one that leads elsewhere, by
 * `..` or by a link, is unfit. A card says what the registry knows of one artifact, so that knowing it never costs more
 * for all the others; the registry itself is a list for readers, made of the cards.
 */
export interface ArtifactFolder {
  /** A file below `artifacts/`. */
  read(path: string): Promise<FileRead>;
  /** Every file below `artifacts/` that can be that of an artifact. */
  list(): Promise<readonly string[]>;
  /** Where in a folder of `artifacts/` a file is called like this artifact; null: nowhere. */
  locate(id: ArtifactId): Promise<string | null>;
  /** Takes a file below `artifacts/` away. */
  remove(path: string): Promise<void>;
  /** SHA-256 of a plain file of the workspace, or what is wrong with it. */
  hash(path: string): Promise<Result<string, string>>;
  readonly cards: Cards;
  readonly registry: KeptText;
  /** `context/phase-status.json`. */
  readonly phaseStatus: KeptText;
  /** A file of `context/`, by its name without the ending. */
  readContext(name: string): Promise<FileRead>;
  /** One of our processes at a time. */
  alone<Answer>(name: string, act: () => Promise<Answer>): Promise<Answer>;
  /** Leaves nothing of ours behind. */
  close(): void;
}

export interface Cards {
  load(id: ArtifactId): Promise<string | null>;
  /** Whole when it appears. A power cut may take it; the artifact's file, which it can be made of again, stays. */
  save(id: ArtifactId, text: string): Promise<void>;
  /** The same for an artifact that has no card yet, at a tenth of the price; a saved card goes before it. */
  add(text: string): Promise<void>;
  all(): Promise<readonly ArtifactId[]>;
  /** Those that were saved or added since they were last filed. */
  news(): Promise<readonly ArtifactId[]>;
  /** The registry has it now, if it still says this. */
  filed(id: ArtifactId, text: string): Promise<void>;
  /** Another text whenever a card may have changed. */
  mark(): Promise<string>;
}

export interface KeptText {
  /** Null: there is none that could be read. */
  load(): Promise<string | null>;
  save(text: string): Promise<void>;
}

/**
 * `_handoffs/`: one markdown file per document, in `active/` or in the month of the archive in which it was settled.
 * People and git write here too, so a file is replaced only while it is still the one that was read.
 */
export interface DocumentFolder {
  prepare(): Promise<void>;
  /** What is in `active/`. `stamp` differs when the file may differ. */
  list(): Promise<readonly ListedDocument[]>;
  /** Whether there are more than this in `active/`, without looking at all of them. */
  hasMoreThan(count: number): Promise<boolean>;
  /** In `active/`, else in a month of the archive, looked for from this instant on. */
  find(id: HandoffId, sinceMs: number): Promise<DocumentPlace | null>;
  /** All places that have it. */
  findAll(id: HandoffId, sinceMs: number): Promise<readonly DocumentPlace[]>;
  read(place: DocumentPlace, id: HandoffId): Promise<DocumentFile>;
  /** A new file. False: there is one already. */
  put(id: HandoffId, text: string): Promise<boolean>;
  /** Replaces the file that was read. False: it is another one by now. */
  replace(place: DocumentPlace, id: HandoffId, text: string, read: string): Promise<boolean>;
  /** By one rename. False: there is nothing to move, or something at the other end. */
  move(id: HandoffId, from: DocumentPlace, to: DocumentPlace): Promise<boolean>;
  /** What both sides agreed on last: the text, and the revision that it tells. */
  readonly agreed: {
    load(id: HandoffId): Promise<Agreed | null>;
    save(id: HandoffId, agreed: Agreed): Promise<void>;
    forget(id: HandoffId): Promise<void>;
  };
  /** Every text on which both sides have agreed once, also of what is settled: none of them is ever news again. */
  readonly told: {
    add(id: HandoffId, text: string): Promise<void>;
    has(id: HandoffId, text: string): Promise<boolean>;
  };
  /** A text that was refused, kept out of everybody's way. Answers where. */
  keepRefused(id: HandoffId, text: string): Promise<string>;
  /** The derived index, and small notes of ours beside the database. */
  readonly index: {
    load(): Promise<string | null>;
    /** `isAsked` is true unless said. False: git follows it, and nobody has asked: a file that we write by ourselves never makes a tree dirty. */
    save(text: string, isAsked?: boolean): Promise<boolean>;
  };
  readonly notes: {
    load(name: NoteName): Promise<string | null>;
    save(name: NoteName, text: string | null): Promise<void>;
  };
  /** All of the archive, the oldest first, however old; slow where it is large. */
  months(): Promise<readonly DocumentPlace[]>;
  listIn(month: DocumentPlace): Promise<readonly HandoffId[]>;
  /** A sample of the archive, newest months first, for whoever has lost the notes. */
  archived(max: number): Promise<readonly string[]>;
  readonly git: {
    /** Why files are not to be touched now; null: nothing is under way. */
    busy(): Promise<string | null>;
    /** The commit that is checked out; null: none, or no repository. */
    head(): Promise<string | null>;
    /** Whether that commit has the file. */
    has(place: DocumentPlace, id: HandoffId): Promise<boolean>;
    /** Who committed this text; null: that commit has another one, or none. */
    authorOf(place: DocumentPlace, id: HandoffId, text: string): Promise<string | null>;
    /** The commit that brought this text, as git stores it; null: it is not known. */
    commitOf(place: DocumentPlace, id: HandoffId, text: string): Promise<string | null>;
    /** Whether what is checked out has exactly this text there. */
    isCommitted(place: DocumentPlace, id: HandoffId, text: string): Promise<boolean>;
    /** Documents that commits have changed which are not contained in `known`; null: git cannot say. */
    changedSince(known: readonly string[]): Promise<ReadonlySet<HandoffId> | null>;
    /** The last commit that changed the document, in the history of `commit`. */
    lastChange(commit: string, id: HandoffId): Promise<string | null>;
    /** The last commit that changed the document in this place, in the history of what is checked out. */
    lastChangeAt(place: DocumentPlace, id: HandoffId): Promise<string | null>;
    /** What the document said, the newest first: the line of history that led to what is checked out. */
    versions(id: HandoffId): Promise<readonly DocumentVersion[]>;
    /** What it said at another commit; null: it was not there. */
    textAt(commit: string, id: HandoffId): Promise<string | null>;
    /** Whether any commit or stash of this repository has it. */
    isAnywhere(id: HandoffId): Promise<boolean>;
    /** Whether any commit of this repository has it in the archive. */
    isArchivedAnywhere(id: HandoffId): Promise<boolean>;
    /** Where the workspace lies in the repository: empty, or ending in a slash. */
    prefix(): Promise<string>;
    isAncestor(older: string, newer: string): Promise<boolean>;
    /** Whether a branch of a remote contains this commit: others can have it. */
    isShared(commit: string): Promise<boolean>;
  };
  /** Takes a copy of ours away that git does not have. */
  discard(place: DocumentPlace, id: HandoffId): Promise<void>;
  alone<Answer>(name: string, act: () => Promise<Answer>): Promise<Answer>;
  /** Leaves nothing of ours behind. */
  close(): void;
  /** A hint; null: something else than one document. */
  watch(changed: (id: HandoffId | null) => void): { close(): void };
}

type NoteName = 'bookmark' | 'index-is-old' | 'completed' | 'tips';

export interface DocumentVersion {
  readonly commit: string;
  readonly author: string;
  readonly text: string;
}

/** `active`, or a month like `2026/02`. */
export type DocumentPlace = string;

export interface ListedDocument extends ListedName {
  readonly stamp: string;
}

export interface Agreed {
  readonly text: string;
  readonly revision: number;
  /** The revision that a commit told last: what came later is in no commit that this database has seen. */
  readonly committed: number;
  /** What was checked out then. */
  readonly head: string | null;
}

export type DocumentFile =
  | Exclude<FileRead, { kind: 'file' }>
  | (Extract<FileRead, { kind: 'file' }> & { readonly stamp: string });

/** `tasks/`: one markdown file per task. It is its owner's; we change single fields of it and make new ones. */
export interface TaskFolder {
  read(id: TaskId): Promise<FileRead>;
  /** Replaces the file that was read. False: it is another one by now. */
  replace(id: TaskId, text: string, read: string): Promise<boolean>;
  /** False: there is one already. */
  put(id: TaskId, text: string): Promise<boolean>;
  /** With the next free number of this year; of two who want the same one, the other gets the next. */
  create(year: number, textFor: (id: TaskId) => string): Promise<TaskId>;
  /** Why files are not to be touched now; null: git is doing nothing. */
  busy(): Promise<string | null>;
  alone<Answer>(id: TaskId, act: () => Promise<Answer>): Promise<Answer>;
  /** Leaves nothing of ours behind. */
  close(): void;
}

/** Where removed handoffs go: files in the form of an export. */
export interface HandoffArchive {
  /** The names of whole archives, oldest first. */
  list(): Promise<readonly string[]>;
  read(name: string): AsyncIterable<Uint8Array>;
  /** When it is answered, the file is there after a power cut, too; until then there is no file of this name. */
  write(name: string, lines: AsyncIterable<string>): Promise<void>;
  /** One at a time among all processes that use the folder. */
  alone<Answer>(act: () => Promise<Answer>): Promise<Answer>;
  close(): void;
}
