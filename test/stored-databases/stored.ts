/**
 * Stored databases of every schema version, each with records in every state: SQLite files and PostgreSQL dumps. A version
 * is stored once, when the next one comes, and never again. `BATON_STORE_DATABASES=1` makes those that are missing, each
 * by its migration from the one before it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Store } from '../../src/stores/store.ts';
import { exported } from '../transfer/sample.ts';

export const mayStore = process.env['BATON_STORE_DATABASES'] === '1';

export function fixturePath(name: string): URL {
  return new URL(`../fixtures/databases/${name}`, import.meta.url);
}

export function storedBytes(name: string): Buffer {
  return gunzipSync(readFileSync(fixturePath(name)));
}

/** All records as lines of an export, without the line that tells when it was made. */
export async function recordLines(store: Store): Promise<readonly string[]> {
  const { text } = await exported(store);
  return text.trimEnd().split('\n').slice(1).filter(isRecord).map(withoutAssurance);
}

/** The last line of an export is a footer. */
function isRecord(line: string): boolean {
  return !line.startsWith('{"end":');
}

/** A migration says of older completions how far they are proven, so the line and its checksum are no longer the same. */
function withoutAssurance(line: string): string {
  const { handoff, sha256, ...rest } = JSON.parse(line) as { handoff: Record<string, unknown>; sha256: string };
  void sha256;
  const { assurance, ...record } = handoff;
  void assurance;
  return JSON.stringify({ handoff: record, ...rest });
}

export function storedLines(): readonly string[] {
  return storedBytes('records.jsonl.gz').toString('utf8').split('\n').filter(isRecord).map(withoutAssurance);
}

/** The versions of which a database is stored; of the newest one only once it is released. */
export function storedVersions(kind: 'sqlite' | 'postgres', newest: number): readonly number[] {
  const all = Array.from({ length: newest }, (_, index) => index + 1);
  if (mayStore) return all.slice(0, -1);
  const names = readdirSync(fixturePath(''));
  return all.filter((version) => names.some((name) => name.startsWith(`${kind}-${version}.`)));
}
