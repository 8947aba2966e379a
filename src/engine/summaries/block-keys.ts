/**
 * The request keys of a summary block. A conversation is identified by session and turn; a document by its name or by the
 * prose before the block. So a block is taken once, even if another one is inserted above it, its file is renamed or
 * copied, or a checkout changes line endings.
 */
import { digestOf } from '../../foundation/digest.ts';
import type { SummarySource } from '../../domain/summary.ts';
import { contentOf, wordsOf } from '../../formats/summary-block/identity.ts';
import type { RequestKey } from '../../stores/store.ts';

export interface BlockKeys {
  /** The key for new writes. The ids of legs follow from it. */
  readonly request: RequestKey;
  /** All keys under which the block may have been read before, including those of older versions. */
  readonly all: readonly RequestKey[];
}

interface Words {
  readonly content: string;
  readonly prose: string;
  /** For keys of older versions. */
  readonly text: string;
  readonly entry: string | undefined;
}

/** For the blocks of one text, in order: a repeated block in one place counts as another block. */
export function keyMaker(): (words: Words, source: SummarySource) => BlockKeys {
  const seen = new Map<string, number>();
  const keyOf = (...parts: readonly string[]): string => {
    const place = digestOf(JSON.stringify(parts));
    const nth = seen.get(place) ?? 0;
    seen.set(place, nth + 1);
    return nth === 0 ? place : digestOf(JSON.stringify([place, nth]));
  };
  return ({ content, prose, text, entry }, source) => {
    const former = requestFor(formerKey(text, source, entry));
    if ('session' in source) {
      const request = requestFor(keyOf('conversation', content, source.session, source.turn));
      return { request, all: [request, former] };
    }
    const own = keyOf('document', content, wordsOf(prose));
    if (source.file === STANDARD_INPUT) return { request: requestFor(own), all: [requestFor(own), former] };
    const also = keyOf('file', content, source.file);
    const request = { ...requestFor(own), also };
    return { request, all: [request, requestFor(also), former] };
  };
}

/** For a whole file in a legacy form: two files are two handoffs, even with the same content. */
export function fileKeys(text: string, source: Extract<SummarySource, { readonly file: string }>): BlockKeys {
  const request = requestFor(digestOf(JSON.stringify(['whole', contentOf(text), source.file, source.index])));
  return { request, all: [request, requestFor(formerKey(text, source, undefined))] };
}

/** The file name of standard input. */
const STANDARD_INPUT = '-';

function requestFor(key: string): RequestKey {
  return { by: 'summary', key, hash: key, forEver: true };
}

/** Older versions identified a block by its bytes and its position. */
function formerKey(text: string, source: SummarySource, entry: string | undefined): string {
  const place = 'file' in source ? [source.file, source.index] : [source.session, entry ?? source.turn, source.index];
  return digestOf(JSON.stringify([text, ...place]));
}
