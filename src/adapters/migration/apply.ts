/**
 * Carries out a plan, one handoff after the other: writes the task and the document, checks that the document holds the old
 * texts to the byte, and only then removes the old files. After an interruption the next run goes on: it finds the document
 * that holds the content, and removes what is left.
 */
import { lstat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { keyText, valueText, type YamlValue } from '../../formats/document/yaml-text.ts';
import { originalsIn, type Original } from '../../formats/legacy/originals.ts';
import { TASK_FIELDS_FOR } from '../../formats/task/vocabulary.ts';
import { migratedDocument } from '../../engine/migration/migrated-document.ts';
import type { Migrate, Source, Step } from '../../engine/migration/plan.ts';
import { writeDurably } from '../../foundation/atomic-file.ts';
import { hexDigestOf } from '../../foundation/digest.ts';
import { instantOrNull } from '../../foundation/instant-text.ts';
import { removeEmptyFolders, isWithin, realFolder } from './real-folder.ts';
import { DOCUMENT_BYTES_MAX, readPlain } from './scan.ts';

export interface Applied {
  readonly migrated: number;
  readonly tasks: number;
  readonly cleared: number;
  /** Files that changed since the plan was made, and stay as they are. */
  readonly left: readonly { readonly path: string; readonly because: string }[];
}

export interface ApplyOptions {
  readonly root: string;
  /** The folder in which files are written before they get their name. */
  readonly drafts: string;
  readonly nowMs: number;
  readonly progress: (done: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export async function applyPlan(steps: readonly Step[], options: ApplyOptions): Promise<Applied> {
  const counts = { migrated: 0, tasks: 0, cleared: 0 };
  const left: { path: string; because: string }[] = [];
  for (const [index, step] of steps.entries()) {
    options.progress(index);
    options.signal?.throwIfAborted();
    if (step.do !== 'migrate' && step.do !== 'clear') continue;
    const failed = step.do === 'migrate' ? await migrateOne(step, options, counts) : null;
    if (failed !== null) left.push({ path: step.sources[0]?.path ?? '', because: failed });
    const kept = step.do === 'migrate' ? documentPath(step) : step.keptIn;
    for (const source of failed === null ? step.sources : []) {
      if (source.path === kept) continue;
      const because = await clear(options.root, source);
      if (because === null) counts.cleared += 1;
      else left.push({ path: source.path, because });
    }
  }
  return { ...counts, left };
}

export function documentPath({ place, id }: Migrate): string {
  return `_handoffs/${place}/${id}.md`;
}

/** Null: it is done and on the disk. */
async function migrateOne(
  step: Migrate,
  options: ApplyOptions,
  counts: { migrated: number; tasks: number },
): Promise<string | null> {
  const { root, nowMs } = options;
  const path = documentPath(step);
  const originals = originalsOf(root, step.sources);
  if (typeof originals === 'string') return originals;
  const isOwnPlace = step.sources.some((source) => source.path === path);
  const isTaken = (await lstat(join(root, path)).catch(() => null)) !== null;
  if (isTaken && !isOwnPlace) return `${path} is there already`;
  const text = step.verbatim ? (originals[0]?.bytes.toString('utf8') ?? '') : migratedDocument(step, originals, nowMs);
  if (Buffer.byteLength(text) > DOCUMENT_BYTES_MAX)
    return `its texts together have more than ${DOCUMENT_BYTES_MAX} bytes`;
  if (step.task.isNew && (await makeTask(options, step))) counts.tasks += 1;
  await realFolder(root, `_handoffs/${step.place}`);
  await writeDurably(join(root, path), text, { draftFolder: options.drafts });
  const because = missingIn(root, path, step, originals);
  if (because === null) counts.migrated += 1;
  return because;
}

/** Creates the file of the task that a migrated handoff needs. False: the file is there already. */
async function makeTask({ root, drafts }: ApplyOptions, { task, mapped, id }: Migrate): Promise<boolean> {
  await realFolder(root, 'tasks');
  const path = join(root, 'tasks', `${task.id}.md`);
  if ((await lstat(path).catch(() => null)) !== null) return false;
  const standing = TASK_FIELDS_FOR[mapped.state];
  const fields: { readonly [key: string]: YamlValue } = {
    id: task.id,
    title: mapped.title,
    status: standing?.status ?? 'Created',
    owner: standing?.owner === 'sender' ? mapped.from : mapped.to,
    created: new Date(mapped.createdAt).toISOString().slice(0, 10),
    source: `migrated with ${id}`,
    migrated_for: task.madeFor,
  };
  const lines = Object.entries(fields).map(([key, value]) => `${keyText(key)}:${valueText(value)}`);
  await writeDurably(path, `---\n${lines.join('\n')}\n---\n\n# ${task.id}: ${mapped.title}\n`, { draftFolder: drafts });
  return true;
}

/** One original for each content: copies have the same text. */
function originalsOf(root: string, sources: readonly Source[]): readonly Original[] | string {
  const originals: Original[] = [];
  for (const { path, sha256, changedAt, is } of sources) {
    const bytes = readPlain(join(root, path));
    if (!Buffer.isBuffer(bytes) || hexDigestOf(bytes) !== sha256) return 'has changed since the plan was made';
    const changed = instantOrNull(changedAt) ?? '';
    if (is !== 'copy') originals.push({ path, bytes: Buffer.from(bytes), changed });
  }
  return originals;
}

/** Reads the document back from the disk, because the only other copy is removed next. */
function missingIn(root: string, path: string, { verbatim }: Migrate, originals: readonly Original[]): string | null {
  const written = readPlain(join(root, path), DOCUMENT_BYTES_MAX);
  if (!Buffer.isBuffer(written)) return `${path} could not be read back`;
  const held = verbatim ? new Map([[hexDigestOf(written), written]]) : originalsIn(written.toString('utf8'));
  const isWhole = originals.every(({ bytes }) => held.get(hexDigestOf(bytes))?.equals(bytes) === true);
  return isWhole ? null : `${path} does not hold it whole`;
}

/** Null: the file is gone. */
async function clear(root: string, { path, sha256 }: Source): Promise<string | null> {
  const bytes = readPlain(join(root, path));
  if (bytes === null)
    return (await lstat(join(root, path)).catch(() => null)) === null ? null : 'cannot be read any more';
  if (bytes === 'too-large' || hexDigestOf(bytes) !== sha256) return 'has changed since the plan was made';
  if (!(await isWithin(root, path))) return 'lies behind a link';
  await unlink(join(root, path));
  await removeEmptyFolders(root, path);
  return null;
}
