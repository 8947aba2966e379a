/** Tar archives: a minimal writer for images, and a strict reader for output of containers. */

export interface TarEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly mode: number;
  readonly bytes?: Uint8Array;
  readonly target?: string;
}

const BLOCK = 512;
const TYPES = { file: '0', link: '2', folder: '5' } as const;

/** The same entries make the same bytes: no names, no times. */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const bytes = entry.bytes ?? new Uint8Array();
    return [header(entry, bytes.length), Buffer.from(bytes), Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header({ path, kind, mode, target = '' }: TarEntry, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(kind === 'folder' ? `${path}/` : path, 0, 100, 'utf8');
  const numbers: readonly (readonly [value: number, at: number, digits: number])[] = [
    [mode, 100, 7],
    [0, 108, 7],
    [0, 116, 7],
    [size, 124, 11],
    [0, 136, 11],
  ];
  for (const [value, at, digits] of numbers) block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  block.write('        ', 148, 'latin1');
  block.write(TYPES[kind], 156, 'latin1');
  block.write(target, 157, 100, 'utf8');
  block.write('ustar\u000000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'latin1');
  return block;
}

export interface ReadEntry {
  readonly path: string;
  /** Anything that is neither a file nor a folder: links, pipes, devices. */
  readonly kind: 'file' | 'folder' | 'other';
  readonly isExecutable: boolean;
  readonly bytes: Uint8Array;
}

export interface TarLimits {
  readonly filesMax: number;
}

/** Null: it is no archive, it is cut off, or it holds more than is allowed. */
export function readTar(archive: Buffer, { filesMax }: TarLimits): readonly ReadEntry[] | null {
  const entries: ReadEntry[] = [];
  let longName: string | null = null;
  for (let at = 0; at + BLOCK <= archive.length;) {
    const block = archive.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) return entries;
    const size = octal(block, 124, 12);
    const end = at + BLOCK + (size ?? 0);
    if (size === null || !hasValidChecksum(block) || end > archive.length || entries.length >= filesMax) return null;
    const bytes = archive.subarray(at + BLOCK, end);
    const type = String.fromCharCode(block[156] ?? 0);
    at = end + ((BLOCK - (size % BLOCK)) % BLOCK);
    if (type === 'L') {
      longName = text(bytes, 0, bytes.length);
      continue;
    }
    // The long target of a link, or attributes of the format: nothing that we take.
    if (type === 'K' || type === 'x' || type === 'g') continue;
    const prefix = text(block, 345, 155);
    const short = text(block, 0, 100);
    const path = longName ?? (prefix !== '' && text(block, 257, 6) === 'ustar' ? `${prefix}/${short}` : short);
    longName = null;
    const kind = type === '0' || type === '\u0000' ? 'file' : type === '5' ? 'folder' : 'other';
    const mode = octal(block, 100, 8) ?? 0;
    entries.push({ path, kind, isExecutable: (mode & 0o111) !== 0, bytes: kind === 'file' ? bytes : new Uint8Array() });
  }
  return null;
}

function octal(block: Buffer, at: number, length: number): number | null {
  const digits = text(block, at, length).trim();
  return /^[0-7]{1,11}$/.test(digits) ? Number.parseInt(digits, 8) : null;
}

function text(bytes: Uint8Array, at: number, length: number): string {
  const field = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(length, bytes.length - at));
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? field.length : end).toString('utf8');
}

function hasValidChecksum(block: Buffer): boolean {
  const stored = octal(block, 148, 8);
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  return stored === sum;
}
