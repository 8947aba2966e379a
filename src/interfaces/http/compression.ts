/** Compresses answers that are large enough, for clients that accept gzip. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const COMPRESS_MIN_BYTES = 1_400;
const COMPRESSED =
  /^(?:application\/(?:json|problem\+json|manifest\+json)|text\/(?:html|css|javascript|plain)|image\/svg\+xml)/;
/** These answers hold secrets beside text that an attacker can choose, and the compressed length would reveal them. */
const UNCOMPRESSED_PATHS: readonly string[] = ['/api/session', '/api/v1/session', '/api/tokens', '/api/v1/tokens'];

const gzipAsync = promisify(gzip);

export async function compressed(answer: Response, path: string, accepts: string | undefined): Promise<Response> {
  const type = answer.headers.get('content-type') ?? '';
  const isWanted = /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1|0\.[0-9]*[1-9]))?\s*(?:,|$)/.test(accepts ?? '');
  if (!COMPRESSED.test(type) || answer.body === null || UNCOMPRESSED_PATHS.includes(path)) return answer;
  answer.headers.append('vary', 'accept-encoding');
  if (!isWanted) return answer;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  const { status } = answer;
  if (bytes.length < COMPRESS_MIN_BYTES) return new Response(bytes, { status, headers });
  headers.set('content-encoding', 'gzip');
  return new Response(new Uint8Array(await gzipAsync(bytes)), { status, headers });
}
