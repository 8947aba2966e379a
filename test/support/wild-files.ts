/** Files of strangers, where `BATON_WILD` says where they are. They belong to others and are not kept with the project. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface WildFile {
  /** As the expectations name it. */
  readonly path: string;
  /** As it was called where it comes from. */
  readonly name: string;
  readonly text: string;
}

export interface WildExpectation {
  readonly file: string;
  readonly [field: `expect_${string}`]: string | null | undefined;
}

const folder = process.env['BATON_WILD'] ?? '';

export function wildFiles(): readonly WildFile[] {
  return expectationsOf().map(({ file }) => ({
    path: file,
    name: file.replace(/^.*?__/, '').replaceAll('~', '/'),
    text: readFileSync(join(folder, file), 'utf8'),
  }));
}

export function expectationsOf(): readonly WildExpectation[] {
  const list = join(folder, 'EXPECTED.jsonl');
  if (folder === '' || !existsSync(list)) return [];
  const known = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  const lines = readFileSync(list, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as WildExpectation).filter(({ file }) => known.has(file));
}
