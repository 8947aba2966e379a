/** Copies files into and out of a container through a command: the runtimes' own copying includes links and pipes. */
import { err, ok, type Result } from '../../foundation/result.ts';
import { shellWord } from '../../domain/shadow.ts';
import { INSIDE } from '../../domain/shadow-plan.ts';
import type { CopiedFile, CopiedOut } from '../sandbox.ts';
import { readTar } from '../tar.ts';
import type { Container } from './exec.ts';
import { WORK_USER } from './flags.ts';
import { failureText } from './runtime.ts';

const COPY_BYTES_MAX = 50 * 1024 ** 2;
const FILES_MAX = 2_000;
const COPY_MS = 120_000;

export async function copyFrom(
  { runtime, name }: Container,
  path: string,
  signal?: AbortSignal,
): Promise<Result<CopiedOut, string>> {
  // From the folder itself, so that names are relative to it; of anything else, the thing alone.
  const place = shellWord(`${INSIDE.work}/${path}`);
  const command =
    `if [ -d ${place} ] && [ ! -L ${place} ]; then tar --format=gnu -cf - -C ${place} .; else ` +
    `tar --format=gnu -cf - -C "$(dirname ${place})" -- "$(basename ${place})"; fi`;
  const ran = await runtime.run(['exec', `--user=${WORK_USER}`, name, 'sh', '-c', command], {
    timeoutMs: COPY_MS,
    outputBytesMax: COPY_BYTES_MAX,
    signal,
  });
  if (ran.over === 'output') return err(`it holds more than ${COPY_BYTES_MAX} bytes; extract a smaller part`);
  if (ran.over !== 'ended' || ran.exitCode !== 0) return err(failureText(ran));
  const entries = readTar(ran.stdout, { filesMax: FILES_MAX });
  if (entries === null) return err(`it holds more than ${FILES_MAX} entries, or names that cannot be read`);
  const files: CopiedFile[] = [];
  const skipped: { readonly path: string; readonly says: string }[] = [];
  const isSingle = entries.length === 1 && entries[0]?.kind !== 'folder';
  for (const { path: at, kind, bytes, isExecutable } of entries) {
    const relative = at.replace(/^(?:\.\/)+/, '');
    if (kind === 'folder') continue;
    if (kind === 'other') skipped.push({ path: relative, says: 'not a regular file (a link, a pipe or a device)' });
    else if (isUnsafe(relative)) skipped.push({ path: relative, says: 'its name leads out of the folder' });
    else files.push({ path: isSingle ? '' : relative, bytes, isExecutable });
  }
  return ok({ files, skipped });
}

function isUnsafe(path: string): boolean {
  return (
    path === '' || path.startsWith('/') || path.includes('\\') || path.split('/').some((p) => p === '..' || p === '')
  );
}

export async function copyInto(
  { runtime, name }: Container,
  path: string,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<Result<null, string>> {
  if (bytes.length > COPY_BYTES_MAX) return err(`the file has more than ${COPY_BYTES_MAX} bytes`);
  const place = shellWord(`${INSIDE.work}/${path}`);
  const command = `mkdir -p "$(dirname ${place})" && cat > ${place}`;
  const ran = await runtime.run(['exec', '--interactive', `--user=${WORK_USER}`, name, 'sh', '-c', command], {
    input: bytes,
    timeoutMs: COPY_MS,
    signal,
  });
  return ran.over === 'ended' && ran.exitCode === 0 ? ok(null) : err(failureText(ran));
}
