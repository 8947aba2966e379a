/** Operations on single cards. Their cost does not depend on the number of artifacts. */
import { err, ok, type Result } from '../../foundation/result.ts';
import { applyMove, isUsable, type ArtifactCard } from '../../domain/artifacts.ts';
import type { NamedFile } from '../../domain/evidence.ts';
import type { ArtifactId } from '../../domain/names.ts';
import { readCard, writeCard } from '../../formats/artifact/card.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';
import type { ArtifactRefusal } from './refusals.ts';

/** On a file system that ignores case, the card may belong to another id. */
export async function loadCard(folder: ArtifactFolder, id: ArtifactId): Promise<ArtifactCard | null> {
  const text = await folder.cards.load(id);
  const card = text === null ? null : readCard(text);
  return card?.id === id ? card : null;
}

export async function saveCard(folder: ArtifactFolder, card: ArtifactCard): Promise<void> {
  await folder.cards.save(card.id, writeCard(card));
}

/** For an artifact that has no card yet. */
export async function addCard(folder: ArtifactFolder, card: ArtifactCard): Promise<void> {
  await folder.cards.add(writeCard(card));
}

/** The files with their digests, or the first file that cannot be read. */
export async function hashFiles(
  folder: ArtifactFolder,
  paths: readonly string[],
): Promise<Result<readonly NamedFile[], { readonly file: string; readonly says: string }>> {
  const files: NamedFile[] = [];
  for (const path of paths) {
    const hashed = await folder.hash(path);
    if (!hashed.ok) return err({ file: path, says: hashed.refusal });
    files.push({ path, sha256: hashed.value });
  }
  return ok(files);
}

/** Artifacts that are not registered or not usable. */
export async function missingArtifacts(
  folder: ArtifactFolder,
  ids: readonly ArtifactId[],
): Promise<readonly ArtifactId[]> {
  const missing: ArtifactId[] = [];
  for (const id of ids) {
    const card = await loadCard(folder, id);
    if (card === null || !isUsable(card)) missing.push(id);
  }
  return missing;
}

export async function deprecate(
  folder: ArtifactFolder,
  id: ArtifactId,
  nowMs: number,
): Promise<Result<ArtifactCard, ArtifactRefusal>> {
  return folder.withLock(id, async () => {
    const card = await loadCard(folder, id);
    if (card === null) return err({ code: 'no-such-artifact', id });
    const next = applyMove(card, 'deprecate', nowMs);
    if (next === null) return err({ code: 'artifact-status', id, status: card.status });
    await saveCard(folder, next);
    return ok(next);
  });
}
