/**
 * Cards of results as lines of an append-only file: every result of a worker makes one, and a line costs a tenth of a
 * separate file. Several processes append, and each reads incrementally. A partial line is skipped, and the next entry
 * begins on a new line.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, writeSync } from 'node:fs';
import { readArtifactId, type ArtifactId } from '../domain/names.ts';
import { openPlain } from './plain-file.ts';

interface Line {
  readonly at: number;
  readonly length: number;
}

const CHUNK_BYTES = 1024 * 1024;
const LINE_ID = /^\{"artifact_id":"([^"]{1,128})",/;
const NEW_LINE = 0x0a;
const CLOSING_BRACE = 0x7d;

export function openCardLog(path: string) {
  const lines = new Map<ArtifactId, Line>();
  let inode = 0;
  let readTo = 0;

  const readMore = (): void => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.ino !== inode || found.size < readTo) {
      lines.clear();
      [inode, readTo] = [found?.ino ?? 0, 0];
    }
    if (found === undefined || found.size === readTo) return;
    withFile(path, (file) => {
      while (readTo < fstatSync(file).size) {
        const chunk = bytesAt(file, readTo, CHUNK_BYTES);
        const end = chunk.lastIndexOf(NEW_LINE) + 1;
        // The last line is still being written. None of our lines is as long as a chunk.
        if (end === 0 && chunk.length < CHUNK_BYTES) return;
        indexLines(chunk.subarray(0, end), readTo);
        readTo += end === 0 ? chunk.length : end;
      }
    });
  };
  const indexLines = (chunk: Buffer, from: number): void => {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(NEW_LINE, at);
      const head = LINE_ID.exec(chunk.toString('latin1', at, Math.min(end, at + HEAD_BYTES)));
      const isWhole = chunk[end - 1] === CLOSING_BRACE;
      const id = head === null || !isWhole ? null : readArtifactId(head[1] ?? '');
      if (id !== null) lines.set(id, { at: from + at, length: end - at });
      at = end + 1;
    }
  };

  return {
    append(added: readonly string[]) {
      const file = openSync(path, APPENDING, 0o644);
      try {
        const bytes = Buffer.from(added.map((line) => `\n${line}\n`).join(''));
        if (writeSync(file, bytes) < bytes.length) throw new Error(`${path} could not be written to its end`);
      } finally {
        closeSync(file);
      }
    },
    load(id: ArtifactId) {
      readMore();
      const line = lines.get(id);
      return line === undefined ? null : withFile(path, (file) => bytesAt(file, line.at, line.length).toString('utf8'));
    },
    ids() {
      readMore();
      return [...lines.keys()];
    },
    /** The ids that were added after this mark; all of them if the mark is of another log. */
    since(mark: string | null) {
      readMore();
      const [of, to = 0] = (mark ?? '').split(':').map(Number);
      const from = of === inode && to <= readTo ? to : 0;
      const ids = [...lines].filter(([, { at }]) => at >= from).map(([id]) => id);
      return { ids, mark: `${inode}:${readTo}` };
    },
    /** Changes whenever a line is added. */
    mark() {
      const found = lstatSync(path, { throwIfNoEntry: false });
      return `${found?.ino ?? 0}:${found?.size ?? 0}`;
    },
  };
}

/** Enough to read the id of a card. */
const HEAD_BYTES = 200;
const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

function withFile<Answer>(path: string, act: (file: number) => Answer): Answer | null {
  const file = openPlain(path, constants.O_RDONLY);
  if (file === null) return null;
  try {
    return act(file);
  } finally {
    closeSync(file);
  }
}

function bytesAt(file: number, at: number, max: number): Buffer {
  const bytes = Buffer.allocUnsafe(max);
  const length = readSync(file, bytes, 0, max, at);
  return bytes.subarray(0, length);
}
