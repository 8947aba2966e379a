/**
 * The keys under which a block is remembered. A conversation is known by its session and turn; a document by its name or,
 * under another name, by the words that lead to the block. So a block is taken once, also where another one was put above
 * it, its file was renamed or copied, or a checkout has changed the ends of its lines.
 */
import { digestOf } from '../../foundation/digest.ts';
import type { SummarySource } from '../../domain/summary.ts';
import { contentOf, wordsOf } from '../../formats/summary-block/identity.ts';
import type { RequestKey } from '../../stores/store.ts';

export interface BlockKeys {
  /** What is written with the block is written under this one; the ids of its legs follow from it. */
  readonly request: RequestKey;
  /** All under which it may have been read before, those of older versions of Baton included. */
  readonly all: readonly RequestKey[];
}

interface Words {
  readonly content: string;
  readonly prose: string;
  /** As older versions knew it. */
  readonly text: string;
  readonly entry: string | undefined;
}

/** For the blocks of one text, in order: who says the same twice in one place has said it twice. */
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

/** For a whole file in a form of its own: two files are two handoffs, whatever they say. */
export function fileKeys(text: string, source: Extract<SummarySource, { readonly file: string }>): BlockKeys {
  const request = requestFor(digestOf(JSON.stringify(['whole', contentOf(text), source.file, source.index])));
  return { request, all: [request, requestFor(formerKey(text, source, undefined))] };
}

/** No document has this name: everything that is piped in does. */
const STANDARD_INPUT = '-';

function requestFor(key: string): RequestKey {
  return { by: 'summary', key, hash: key, forEver: true };
}

/** Older versions knew a block by its bytes and its position. */
function formerKey(text: string, source: SummarySource, entry: string | undefined): string {
  const place = 'file' in source ? [source.file, source.index] : [source.session, entry ?? source.turn, source.index];
  return digestOf(JSON.stringify([text, ...place]));
}
