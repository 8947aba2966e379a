/**
 * Registers the result of a Baton worker automatically. It costs one line in the card log: the result was checked when it
 * was delivered, so only generated files are read here.
 */
import { hexDigestOf } from '../../foundation/digest.ts';
import { ok } from '../../foundation/result.ts';
import type { ArtifactCard } from '../../domain/artifacts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { ArtifactId } from '../../domain/names.ts';
import { readArtifact, type ReadArtifact } from '../../formats/artifact/read.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';
import type { Context } from '../context.ts';
import { addCard, hashFiles, loadCard } from './cards.ts';

export interface RegisteredResult {
  readonly id: ArtifactId;
  readonly path: string;
  /** The text of its file. */
  readonly text: string;
  readonly handoff: Handoff;
  /** The file was just created. */
  readonly isNew: boolean;
  /** Fields that the caller already knows, so that the file need not be read; null: it names generated files. */
  readonly known: Pick<ReadArtifact, 'type' | 'version' | 'phase' | 'required' | 'optional' | 'validation'> | null;
}

/** Reports a failure instead of throwing: the handoff is completed, and its file can be registered by hand. */
export async function registerResult({ rules, report }: Context, answered: RegisteredResult): Promise<void> {
  const { artifacts } = rules;
  if (artifacts === null) return;
  try {
    // A new file cannot be registered yet.
    const before = answered.isNew ? null : await loadCard(artifacts, answered.id);
    if (before === null) await addCard(artifacts, await cardOf(artifacts, answered));
  } catch (error) {
    report({ kind: 'fault', doing: `registering ${answered.id}`, error });
  }
}

async function cardOf(
  folder: ArtifactFolder,
  { id, path, text, handoff, known }: RegisteredResult,
): Promise<ArtifactCard> {
  const at = handoff.since;
  const read = known === null ? readArtifact(text) : ok({ ...known, files: [] });
  const card = {
    id,
    since: at,
    createdAt: at,
    agent: handoff.to,
    handoff: handoff.id,
    path,
    sha256: hexDigestOf(text),
  };
  if (!read.ok) {
    const unread = { type: 'result', version: '1.0.0', phase: null, required: [], optional: [], files: [] };
    return { ...card, ...unread, status: 'created', flaw: read.refusal };
  }
  const { type, version, phase, required, optional, validation } = read.value;
  const files = await hashFiles(folder, read.value.files);
  const wrong = !files.ok ? 'artifact-file' : validation === 'passed' ? null : 'artifact-not-valid';
  const said = { type, version, phase, required, optional, files: files.ok ? files.value : [] };
  return { ...card, ...said, status: wrong === null ? 'active' : 'created', flaw: wrong };
}
