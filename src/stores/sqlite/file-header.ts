/** The first page of a file, read with plain file calls, because opening a database can already change it. */
import { closeSync, openSync, readSync } from 'node:fs';
import { APPLICATION_ID } from './schema.ts';

/** Where SQLite keeps these. */
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
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return {
    isSqlite: header.toString('latin1', 0, MAGIC.length) === MAGIC,
    isOurs: header.readUInt32BE(APPLICATION_AT) === APPLICATION_ID,
    version: header.readUInt32BE(VERSION_AT),
  };
}
