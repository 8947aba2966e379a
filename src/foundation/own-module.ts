/**
 * The file from which `createRequire` resolves packages: this one. If a program bundles the library as CommonJS, there is
 * no `import.meta.url`; then it is the program's own file.
 */
import { join } from 'node:path';

export function ownModule(): string {
  const file: string | undefined = import.meta.url;
  return file ?? process.argv[1] ?? join(process.cwd(), 'program');
}
