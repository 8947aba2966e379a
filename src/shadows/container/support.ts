/** Files on the host for containers: the support files, and the variant that worked last time. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../foundation/atomic-file.ts';
import { hexDigestOf } from '../../foundation/digest.ts';
import { orNull } from '../../foundation/or-null.ts';
import { SUPPORT_FILES } from '../redirect.ts';
import type { Variant } from './flags.ts';
import { strictSeccomp } from './seccomp.ts';

export interface Support {
  readonly folder: string;
  /** Null: the runtime's own filter stays. */
  readonly seccomp: string | null;
  /** For a program that would otherwise read the user's settings. */
  readonly emptyFolder: string;
}

/** Named after its content, so that a newer version of Baton never changes what a running shadow sees. */
export function supportIn(stateFolder: string): Support {
  const profile = strictSeccomp();
  const mark = hexDigestOf(JSON.stringify([SUPPORT_FILES, profile])).slice(0, 12);
  const place = join(stateFolder, `support-${mark}`);
  const folder = join(place, 'files');
  const seccomp = profile === null ? null : join(place, 'seccomp.json');
  const emptyFolder = join(place, 'empty');
  if (existsSync(join(place, 'complete'))) return { folder, seccomp, emptyFolder };
  mkdirSync(emptyFolder, { recursive: true, mode: 0o755 });
  for (const [path, text] of Object.entries(SUPPORT_FILES)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    writeFileSync(file, text);
    // The users inside the container are others.
    chmodSync(file, path.startsWith('bin/') ? 0o755 : 0o644);
  }
  if (seccomp !== null) writeFileSync(seccomp, profile ?? '', { mode: 0o644 });
  writeFileSync(join(place, 'complete'), '');
  return { folder, seccomp, emptyFolder };
}

interface Remembered {
  readonly key: string;
  readonly variant: Variant;
}

/** The variant that started last time is tried first. A wrong one costs one more try. */
export function rememberedVariant(stateFolder: string, key: string): Variant | null {
  const kept = orNull(() => JSON.parse(readFileSync(memoryIn(stateFolder), 'utf8')) as Remembered);
  return kept?.key === key ? kept.variant : null;
}

export function rememberVariant(stateFolder: string, remembered: Remembered): void {
  // Only saves a try next time, so a failure does not matter.
  orNull(() => writeAtomically(memoryIn(stateFolder), JSON.stringify(remembered), { mode: 0o600 }));
}

function memoryIn(stateFolder: string): string {
  return join(stateFolder, 'runtime.json');
}
