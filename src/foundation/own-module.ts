/**
 * From where packages are looked for, as Node's `createRequire` takes it: this file. A program that bundles the library
 * as CommonJS has no `import.meta.url`; there it is the program.
 */
import { join } from 'node:path';

export function ownModule(): string {
  const file: string | undefined = import.meta.url;
  return file ?? process.argv[1] ?? join(process.cwd(), 'program');
}
