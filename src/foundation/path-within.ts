import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is the folder itself or lies below it. Links are not followed: pass real paths where links matter. */
export function isWithin(path: string, folder: string): boolean {
  const steps = relative(folder, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}
