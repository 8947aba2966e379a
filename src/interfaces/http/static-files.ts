/** The built dashboard: files of one folder, and nothing outside of it. */
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Only letters, digits, `_`, `.` and `-`, so that no path can mean another file. */
const SAFE = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** Null: there is no such file. A path without an extension is a page of the dashboard. */
export async function staticFile(folder: string, path: string): Promise<Response | null> {
  const isView = path === '/' || (SAFE.test(path) && extname(path) === '');
  const name = isView ? '/index.html' : path;
  const type = TYPES[extname(name)];
  if (!SAFE.test(name) || name.includes('..') || type === undefined) return null;
  const bytes = await contentOf(join(folder, ...name.split('/')));
  if (bytes === null) return null;
  // The names of files below assets/ contain a digest of their content.
  const cache = name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  return new Response(bytes, { headers: { 'content-type': type, 'cache-control': cache } });
}

async function contentOf(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size > FILE_BYTES_MAX) return null;
  return new Uint8Array(await readFile(path));
}
