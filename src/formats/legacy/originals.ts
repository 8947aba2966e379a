/**
 * Old texts inside the document that replaces them: each in a code block, to the byte, with its hash. In a code block no
 * heading or field of the old text is taken for one of the new document.
 */
import { hexDigestOf } from '../../foundation/digest.ts';

export interface Original {
  readonly path: string;
  readonly bytes: Buffer;
  /** When it was last changed; empty: unknown. */
  readonly changed: string;
}

const HEADING = '## Original: ';
const FENCED = /^(`{4,})(text|base64) sha256=([0-9a-f]{64})$/;

export function originalsText(originals: readonly Original[]): string {
  return originals.map((each) => `\n${blockOf(each)}`).join('');
}

function blockOf({ path, bytes, changed }: Original): string {
  const sha256 = hexDigestOf(bytes);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytes) && !hasControl(text);
  const inside = isText ? text : (bytes.toString('base64').match(/.{1,76}/g) ?? []).join('\n');
  const fence = '`'.repeat(Math.max(4, longestRun(inside) + 1));
  const end = inside === '' || inside.endsWith('\n') ? '' : '\n';
  const when = changed === '' ? '' : `Last changed ${changed}.\n\n`;
  const word = isText ? 'text' : 'base64';
  return `${HEADING}${JSON.stringify(path)}\n\n${when}${fence}${word} sha256=${sha256}\n${inside}${end}${fence}\n`;
}

/** The originals whose content has the hash beside it, by hash. */
export function originalsIn(document: string): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  if (!document.includes(HEADING)) return found;
  const lines = document.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const open = FENCED.exec(lines[index]?.replace(/\r$/, '') ?? '');
    if (open === null) continue;
    const [, fence = '', word = '', sha256 = ''] = open;
    const end = lines.findIndex((line, at) => at > index && line.replace(/\r$/, '') === fence);
    if (end < 0) continue;
    const inside = lines.slice(index + 1, end).join('\n');
    const bytes = restored(inside, word, sha256);
    if (bytes !== null) found.set(sha256, bytes);
    index = end;
  }
  return found;
}

/** The last line end may belong to the block and not to the text. */
function restored(inside: string, word: string, sha256: string): Buffer | null {
  const ways =
    word === 'base64'
      ? [Buffer.from(inside, 'base64')]
      : [Buffer.from(`${inside}\n`), Buffer.from(inside), Buffer.alloc(0)];
  return ways.find((bytes) => hexDigestOf(bytes) === sha256) ?? null;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
}

function hasControl(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- what git and editors do not keep as it is
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufeff]|\r(?!\n)/.test(text);
}

/** The same for texts that differ only in a byte order mark, line ends and trailing spaces. */
export function contentKey(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (text.includes('\uFFFD')) return hexDigestOf(bytes);
  const plain = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
  return hexDigestOf(plain);
}
