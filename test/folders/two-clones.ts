/** One bare repository and two clones of it, with a database each. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/processes.ts';
import { documentsWorld, gitIn, ON, type DocumentsWorld } from './documents-world.ts';

export interface Clones {
  readonly a: DocumentsWorld;
  readonly b: DocumentsWorld;
}

/** One repository, two clones with a database each: @grok sits at one, @claude at the other. */
export async function twoClones(databaseOfB?: string): Promise<Clones> {
  const root = tempFolder();
  const [origin, one, two] = ['origin.git', 'one', 'two'].map((name) => join(root, name)) as [string, string, string];
  mkdirSync(origin);
  gitIn(origin, 'init', '-q', '--bare');
  gitIn(root, 'clone', '-q', origin, one);
  writeFileSync(join(one, '.git', 'mail'), 'grok@example.org');
  const a = await documentsWorld(one, ON);
  await a.sync();
  commit(a, 'the workspace');
  a.git('push', '-q', 'origin', 'HEAD:main');
  gitIn(root, 'clone', '-q', '-b', 'main', origin, two);
  writeFileSync(join(two, '.git', 'mail'), 'claude@example.org');
  a.git('checkout', '-q', '-B', 'main');
  a.git('branch', '-q', '--set-upstream-to=origin/main');
  return { a, b: await documentsWorld(two, ON, databaseOfB) };
}

export function commit(world: DocumentsWorld, message: string): void {
  world.git('add', '-A');
  world.git('commit', '-qm', message, '--allow-empty');
}

export function push(world: DocumentsWorld, message: string): void {
  commit(world, message);
  world.git('push', '-q', 'origin', 'HEAD:main');
}

export async function pull(world: DocumentsWorld): Promise<void> {
  world.git('pull', '-q', '--no-rebase');
  await world.sync();
}
