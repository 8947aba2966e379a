/** Reads the first page of a file with plain file calls, because even opening a database can change it. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { APPLICATION_ID } from './schema.ts';

/** Offsets in the SQLite header. */
const VERSION_AT = 60;
const APPLICATION_AT = 68;
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

export interface FileHeader {
  readonly isSqlite: boolean;
  readonly isOurs: boolean;
  /** Of the schema. */
  readonly version: number;
}

export function readFileHeader(path: string): FileHeader {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = descriptorOf(path);
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    if (!KEEPS_DESCRIPTORS) closeSync(file);
  }
  return {
    isSqlite: header.toString('latin1', 0, MAGIC.length) === MAGIC,
    isOurs: header.readUInt32BE(APPLICATION_AT) === APPLICATION_ID,
    version: header.readUInt32BE(VERSION_AT),
  };
}

/**
 * When a process closes any descriptor of a file, POSIX releases all its locks on that file, including those of SQLite.
 * Another process could then remove the log that this process still writes to. So descriptors that are opened here stay
 * open, one for each database of the process.
 */
const KEEPS_DESCRIPTORS = process.platform !== 'win32';
const descriptors = new Map<string, number>();

function descriptorOf(path: string): number {
  if (!KEEPS_DESCRIPTORS) return openSync(path, 'r');
  const known = descriptors.get(keyOf(statSync(path, { bigint: true })));
  if (known !== undefined) return known;
  const opened = openSync(path, 'r');
  descriptors.set(keyOf(fstatSync(opened, { bigint: true })), opened);
  return opened;
}

function keyOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`;
}
