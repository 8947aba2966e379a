/**
 * The contract with the folders through which programs that only know files take part. A folder handles places and bytes;
 * the engine decides what they mean.
 *
 * Moving a file is one rename, which only one of several programs can win. Folders are a mirror of the database, and what
 * a power cut loses is restored from it. Only final files are synced, because other programs act on them.
 */
import type { Result } from '../foundation/result.ts';
import type { ArtifactId, HandoffId, TaskId } from '../domain/names.ts';
import type { OpenQueueFolder, QueueFolder } from './queue-folder-names.ts';

export interface MessageFolder {
  /** Creates missing folders. Throws if a folder of the queue is something else, such as a link. */
  prepare(): Promise<void>;
  list(place: OpenQueueFolder): Promise<readonly ListedName[]>;
  /** Only for recovery after the database was lost: these folders grow forever. */
  finished(place: 'completed' | 'failed'): AsyncIterable<ListedName>;
  /** The places that contain this name, checked in this order: files only move forward through it. */
  whereIs(id: HandoffId, among?: readonly QueueFolder[]): Promise<readonly QueueFolder[]>;
  /** Changes whenever the file changes; null: there is no file. */
  stamp(place: QueueFolder, id: HandoffId): string | null;
  /** When the file was last written or moved, by the clock of its file system; zero: there is no file. */
  changedAt(place: QueueFolder, id: HandoffId): number;
  /** Links, pipes, folders, too large files and files of untrusted users are never read: they are `unfit`. */
  read(place: QueueFolder, id: HandoffId): Promise<FileRead>;
  /** Replaces the target. False: there was nothing to move. */
  move(id: HandoffId, from: QueueFolder, to: QueueFolder): Promise<boolean>;
  /** Writes a file atomically, replacing an existing one. */
  put(place: QueueFolder, id: HandoffId, text: string): Promise<void>;
  /** Writes in place. False: the file is gone or unfit. `other`: its content is not expected, and it is left unchanged. */
  rewrite(
    place: QueueFolder,
    id: HandoffId,
    text: string,
    isExpected?: (old: string) => boolean,
  ): Promise<boolean | 'other'>;
  /**
   * Writes the final text and moves the file from `in-progress` to its end folder, synced, after `first` has resolved.
   * False: another program moved the file first.
   */
  finish(id: HandoffId, text: string, to: 'completed' | 'failed', first?: Promise<void>): Promise<boolean>;
  /** Removes a file of ours: a copy in `waiting`, or a refusal in `failed`. */
  discard(place: 'waiting' | 'failed', id: HandoffId): Promise<void>;
  /** Moves a file to the quarantine, with a reason file beside it. False: the file is gone. */
  quarantine(place: QueueFolder, name: string, reason: string): Promise<boolean>;
  /** Moves finished files that are too old or too many to `archive/`, a few thousand at a time. Returns how many. */
  archiveFinished(): Promise<number>;
  /** Whether the file of a handoff that ended at this time is in the archive. */
  isArchived(id: HandoffId, endedMs: number): boolean;
  /** Writes a file below `artifacts/`. False: the path leads elsewhere, or another file has that name. */
  putArtifact(path: string, text: string, isOurs: (text: string) => boolean): Promise<PutArtifact | false>;
  /** For the doctor. Creates and moves nothing, and reads only reason files. */
  inspect(): Inspection;
  /** Up to which fact these folders are up to date. It is stored beside the folders, because it describes them. */
  readonly bookmark: { load(): Promise<string | null>; save(cursor: string): Promise<void> };
  /** Notifies of possible changes until it is closed. A notification is only a hint. */
  watch(changed: (place: QueueFolder, id: HandoffId | null) => void): { close(): void };
}

export interface PutArtifact {
  /** False: the file already existed. */
  readonly isNew: boolean;
  /** Resolves when the file survives a power cut. */
  readonly onDisk: Promise<void>;
}

export interface ListedName {
  readonly name: string;
  /** Null: the name is no handoff id. */
  readonly id: HandoffId | null;
}

export interface Inspection {
  /** Queue folders that are missing or no folders. */
  readonly wrong: readonly { readonly name: string; readonly is: 'missing' | 'a link' | 'no folder' }[];
  readonly open: readonly {
    readonly place: OpenQueueFolder;
    readonly files: readonly (ListedName & { readonly isFile: boolean })[];
  }[];
  readonly quarantined: readonly Quarantined[];
  /** Lock files of processes that are gone. */
  readonly dead: readonly string[];
}

export interface Quarantined {
  readonly name: string;
  /** Null: there is no reason file. */
  readonly says: string | null;
  readonly sinceMs: number;
  readonly isFile: boolean;
}

export type FileRead =
  | { readonly kind: 'absent' }
  /** `isPlain`: it is a regular file with one name, so it may have been meant as a message. */
  | { readonly kind: 'unfit'; readonly says: string; readonly isPlain?: boolean }
  | {
      readonly kind: 'file';
      readonly text: string;
      /** The owner. */
      readonly user: string;
      /** How long the file has been unchanged and in its place. */
      readonly unchangedMs: number;
    };

/**
 * The folders `artifacts/` and `context/`. Paths are relative to the workspace, with `/`; a path that leads elsewhere, by
 * `..` or by a link, is unfit. Each artifact has a card, so that looking one up costs the same however many there are. The
 * registry is a list for readers, made from the cards.
 */
export interface ArtifactFolder {
  /** A file below `artifacts/`. */
  read(path: string): Promise<FileRead>;
  /** Every file below `artifacts/` that may be an artifact. */
  list(): Promise<readonly string[]>;
  /** The path of a file named after this artifact, directly in a folder of `artifacts/`; null: none. */
  locate(id: ArtifactId): Promise<string | null>;
  /** Removes a file below `artifacts/`. */
  remove(path: string): Promise<void>;
  /** SHA-256 of a regular file of the workspace, or why it cannot be read. */
  hash(path: string): Promise<Result<string, string>>;
  readonly cards: Cards;
  readonly registry: TextFile;
  /** `context/phase-status.json`. */
  readonly phaseStatus: TextFile;
  /** A file of `context/`, by its name without the extension. */
  readContext(name: string): Promise<FileRead>;
  /** Runs `act` while no other Baton process has the lock of this name. */
  withLock<Answer>(name: string, act: () => Promise<Answer>): Promise<Answer>;
  /** Leaves nothing of ours behind. */
  close(): void;
}

export interface Cards {
  load(id: ArtifactId): Promise<string | null>;
  /** Written atomically and not synced: a lost card can be made again from the artifact's file. */
  save(id: ArtifactId, text: string): Promise<void>;
  /** The same for an artifact that has no card yet, at a tenth of the cost. A saved card takes precedence. */
  add(text: string): Promise<void>;
  all(): Promise<readonly ArtifactId[]>;
  /** Ids of cards that were saved or added since they were last filed. */
  unfiled(): Promise<readonly ArtifactId[]>;
  /** Notes that the registry contains the card with this text. */
  markFiled(id: ArtifactId, text: string): Promise<void>;
  /** Changes whenever a card may have changed. */
  mark(): Promise<string>;
}

export interface TextFile {
  /** Null: there is no readable file. */
  load(): Promise<string | null>;
  save(text: string): Promise<void>;
}

/**
 * `_handoffs/`: one markdown file per document, in `active/` or in the archive folder of the month in which it was
 * settled. People and git write here too, so a file is replaced only if it has not changed since it was read.
 */
export interface DocumentFolder {
  prepare(): Promise<void>;
  /** The files in `active/`. `stamp` changes when the file may have changed. */
  list(): Promise<readonly ListedDocument[]>;
  /** Whether `active/` has more files than this, without listing all of them. */
  hasMoreThan(count: number): Promise<boolean>;
  /** Searches `active/`, then the archive from this instant on. */
  find(id: HandoffId, sinceMs: number): Promise<DocumentPlace | null>;
  /** All places that contain the document. */
  findAll(id: HandoffId, sinceMs: number): Promise<readonly DocumentPlace[]>;
  read(place: DocumentPlace, id: HandoffId): Promise<DocumentFile>;
  /** Creates a file. False: it already exists. */
  put(id: HandoffId, text: string): Promise<boolean>;
  /** Replaces the file that was read. False: the file has changed since. */
  replace(place: DocumentPlace, id: HandoffId, text: string, read: string): Promise<boolean>;
  /** Moves by one rename. False: there is nothing to move, or the target exists. */
  move(id: HandoffId, from: DocumentPlace, to: DocumentPlace): Promise<boolean>;
  /** The last text on which file and database agreed, with its revision. */
  readonly agreed: {
    load(id: HandoffId): Promise<Agreed | null>;
    save(id: HandoffId, agreed: Agreed): Promise<void>;
    forget(id: HandoffId): Promise<void>;
  };
  /** Digests of all texts on which file and database ever agreed, also of settled documents: such a text is never new again. */
  readonly agreedTexts: {
    add(id: HandoffId, text: string): Promise<void>;
    has(id: HandoffId, text: string): Promise<boolean>;
  };
  /** Keeps a refused text in a private folder. Returns its path. */
  keepRefused(id: HandoffId, text: string): Promise<string>;
  /** `_index.yaml`, which is derived from the documents. */
  readonly index: {
    load(): Promise<string | null>;
    /** False: the file was left unchanged, because git tracks it and the user did not ask: Baton must not make a tree dirty by itself. @default isAsked true */
    save(text: string, isAsked?: boolean): Promise<boolean>;
  };
  readonly notes: {
    load(name: NoteName): Promise<string | null>;
    save(name: NoteName, text: string | null): Promise<void>;
  };
  /** All months of the archive, oldest first. Slow for a large archive. */
  months(): Promise<readonly DocumentPlace[]>;
  listIn(month: DocumentPlace): Promise<readonly HandoffId[]>;
  /** A sample of the archive, newest months first, for recovery when the notes are lost. */
  archived(max: number): Promise<readonly string[]>;
  readonly git: {
    /** Why files must not be touched now; null: git is idle. */
    busy(): Promise<string | null>;
    /** The checked-out commit; null: none, or no repository. */
    head(): Promise<string | null>;
    /** Whether the checked-out commit has the file. */
    has(place: DocumentPlace, id: HandoffId): Promise<boolean>;
    /** Who committed this text; null: the checked-out commit has another text, or none. */
    authorOf(place: DocumentPlace, id: HandoffId, text: string): Promise<string | null>;
    /** The commit that introduced this text, as git stores it; null: unknown. */
    commitOf(place: DocumentPlace, id: HandoffId, text: string): Promise<string | null>;
    /** Whether the checked-out commit has exactly this text there. */
    isCommitted(place: DocumentPlace, id: HandoffId, text: string): Promise<boolean>;
    /** Documents that were changed by commits outside the history of `known`; null: git cannot say. */
    changedSince(known: readonly string[]): Promise<ReadonlySet<HandoffId> | null>;
    /** The last commit that changed the document, in the history of `commit`. */
    lastChange(commit: string, id: HandoffId): Promise<string | null>;
    /** The last commit that changed the document in this place, in the checked-out history. */
    lastChangeAt(place: DocumentPlace, id: HandoffId): Promise<string | null>;
    /** The versions of the document in the checked-out history, newest first. */
    versions(id: HandoffId): Promise<readonly DocumentVersion[]>;
    /** The text at another commit; null: it had no such document. */
    textAt(commit: string, id: HandoffId): Promise<string | null>;
    /** Whether any commit or stash of this repository has the document. */
    isAnywhere(id: HandoffId): Promise<boolean>;
    /** Whether any commit of this repository has the document in the archive. */
    isArchivedAnywhere(id: HandoffId): Promise<boolean>;
    /** The path of the workspace in the repository: empty, or ending in a slash. */
    prefix(): Promise<string>;
    isAncestor(older: string, newer: string): Promise<boolean>;
    /** Whether a remote branch contains this commit, so that other clones may have it. */
    isShared(commit: string): Promise<boolean>;
  };
  /** Removes our copy of a document that git does not have. */
  discard(place: DocumentPlace, id: HandoffId): Promise<void>;
  withLock<Answer>(name: string, act: () => Promise<Answer>): Promise<Answer>;
  /** Leaves nothing of ours behind. */
  close(): void;
  /** Notifies of possible changes, as a hint; null: not a single document. */
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
  /** The last committed revision: later ones are in no commit that this database has seen. */
  readonly committed: number;
  /** The commit that was checked out then. */
  readonly head: string | null;
}

export type DocumentFile =
  | Exclude<FileRead, { kind: 'file' }>
  | (Extract<FileRead, { kind: 'file' }> & { readonly stamp: string });

/** `tasks/`: one markdown file per task. People own these files; Baton changes single fields and creates new files. */
export interface TaskFolder {
  read(id: TaskId): Promise<FileRead>;
  /** Replaces the file that was read. False: the file has changed since. */
  replace(id: TaskId, text: string, read: string): Promise<boolean>;
  /** False: it already exists. */
  put(id: TaskId, text: string): Promise<boolean>;
  /** Creates a task with the next free number of this year. If two callers want the same number, one gets the next. */
  create(year: number, textFor: (id: TaskId) => string): Promise<TaskId>;
  /** Why files must not be touched now; null: git is idle. */
  busy(): Promise<string | null>;
  withLock<Answer>(id: TaskId, act: () => Promise<Answer>): Promise<Answer>;
  /** Leaves nothing of ours behind. */
  close(): void;
}

/** The archive of pruned handoffs: files in export format. */
export interface HandoffArchive {
  /** The names of complete archives, oldest first. */
  list(): Promise<readonly string[]>;
  read(name: string): AsyncIterable<Uint8Array>;
  /** Written atomically: when this resolves, the file survives a power cut. */
  write(name: string, lines: AsyncIterable<string>): Promise<void>;
  /** Runs `act` while no other process uses the archive. */
  withLock<Answer>(act: () => Promise<Answer>): Promise<Answer>;
  close(): void;
}
