/** `npm ci` refuses a lock file that leaves out a package, also one for a platform other than the one it was made on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/source-files.ts';

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Packages = Readonly<Record<string, LockedPackage>>;

describe.each(['package-lock.json', 'bench/package-lock.json'])('%s', (path) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as { readonly packages: Packages };

  it('holds every dependency of every package in it, the optional ones of other platforms too', () => {
    const missing = Object.entries(packages).flatMap(([from, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !isLocked(packages, from, name))
        .map((name) => `${name}, needed by ${from === '' ? 'the package itself' : from}`),
    );
    expect(missing).toEqual([]);
  });
});

/** Node looks beside the package and then in each folder above. */
function isLocked(packages: Packages, from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder}${folder === '' ? '' : '/'}node_modules/${name}` in packages) return true;
    if (folder === '') return false;
  }
}
