/** Searches for a program as a shell does. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { orNull } from './or-null.ts';

/** The path of a program: on the PATH, or the given path itself. Null: there is no such program. */
export function findProgram(name: string): string | null {
  if (name === '') return null;
  const isWindows = process.platform === 'win32';
  if (name.includes('/') || (isWindows && name.includes('\\'))) return isProgram(resolve(name)) ? name : null;
  const extensions = isWindows ? (process.env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : [''];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return (
    folders.flatMap((folder) => extensions.map((extension) => join(folder, name + extension))).find(isProgram) ?? null
  );
}

function isProgram(path: string): boolean {
  const isAllowed = orNull(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  });
  return isAllowed === true;
}
