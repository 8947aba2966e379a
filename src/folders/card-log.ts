/**
 * Cards of results, one line each, in one file that only grows: a line costs a tenth of a file of its own, and every
 * answer of a worker makes one. Several processes append; each reads what it has not read yet. A line that was not
 * written to its end is skipped, and the next one begins on a line of its own.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, writeSync } from 'node:fs';
import { readArtifactId, type ArtifactId } from '../domain/names.ts';
import { openPlain } from './plain-file.ts';

export interface CardLog {
  append(lines: readonly string[]): void;
  load(id: ArtifactId): string | null;
  ids(): readonly ArtifactId[];
  /** Those with a line behind this mark, which was taken earlier; all of them if it is of another log. */
  since(mark: string | null): { readonly ids: readonly ArtifactId[]; readonly mark: string };
  /** Another text whenever a line has been added. */
  mark(): string;
}

interface Line {
  readonly at: number;
  readonly length: number;
}

const CHUNK_BYTES = 1024 * 1024;
const LINE_ID = /^\{"artifact_id":"([^"]{1,128})",/;
const NEW_LINE = 0x0a;
const CLOSING_BRACE = 0x7d;

export function openCardLog(path: string): CardLog {
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
        // The last line is still being written; no line of ours is as long as a chunk.
        if (end === 0 && chunk.length < CHUNK_BYTES) return;
        learn(chunk.subarray(0, end), readTo);
        readTo += end === 0 ? chunk.length : end;
      }
    });
  };
  const learn = (chunk: Buffer, from: number): void => {
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
    append(added) {
      const file = openSync(path, APPENDING, 0o644);
      try {
        const bytes = Buffer.from(added.map((line) => `\n${line}\n`).join(''));
        if (writeSync(file, bytes) < bytes.length) throw new Error(`${path} could not be written to its end`);
      } finally {
        closeSync(file);
      }
    },
    load(id) {
      readMore();
      const line = lines.get(id);
      return line === undefined ? null : withFile(path, (file) => bytesAt(file, line.at, line.length).toString('utf8'));
    },
    ids() {
      readMore();
      return [...lines.keys()];
    },
    since(mark) {
      readMore();
      const [of, to = 0] = (mark ?? '').split(':').map(Number);
      const from = of === inode && to <= readTo ? to : 0;
      const ids = [...lines].filter(([, { at }]) => at >= from).map(([id]) => id);
      return { ids, mark: `${inode}:${readTo}` };
    },
    mark() {
      const found = lstatSync(path, { throwIfNoEntry: false });
      return `${found?.ino ?? 0}:${found?.size ?? 0}`;
    },
  };
}

/** Enough for the name of a card. */
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
