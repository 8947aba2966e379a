import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is the folder itself or lies below it. Links are not followed: give real paths where they matter. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
