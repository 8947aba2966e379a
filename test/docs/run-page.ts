/** A page that was written by hand, followed as a reader would. */
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'vitest';
import { folderWithBaton } from '../support/command-on-path.ts';
import { start, tempFolder, type Ended } from '../support/processes.ts';
import { ROOT } from '../support/source-files.ts';

export function blocksOf(page: string, language: string): readonly string[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return [...readFileSync(join(ROOT, page), 'utf8').matchAll(fenced)].map(([, block = '']) => block);
}

interface FollowOptions {
  readonly rewrite?: (script: string) => string;
  /** Where the reader is; default: an empty folder. */
  readonly folder?: string;
  /** Instead of the path of this process. */
  readonly path?: string;
}

/** All commands of a page, in its order, as somebody would type them who follows it. */
export async function follow(
  page: string,
  { rewrite = (script) => script, folder = tempFolder(), path = process.env['PATH'] ?? '' }: FollowOptions = {},
): Promise<Ended> {
  const script = rewrite(blocksOf(page, 'sh').join('\n'));
  expect(script).toContain('baton init');
  const env = { PATH: [await folderWithBaton(), path].join(delimiter) };
  const ended = await start('sh', ['-eu', '-c', script], { cwd: folder, env }).ended;
  if (ended.code !== 0) throw new Error(`${page} ended with ${ended.code ?? ended.signal}: ${ended.stderr}`);
  return ended;
}
