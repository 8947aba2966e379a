/** Archives and removes old deprecated artifacts. An artifact that another one in use requires is never removed. */
import { hexDigestOf } from '../../foundation/digest.ts';
import {
  dueMove,
  applyMove,
  requiredArtifacts,
  type Ages,
  type ArtifactCard,
  type ArtifactStatus,
} from '../../domain/artifacts.ts';
import type { ArtifactId } from '../../domain/names.ts';
import { cardsIn } from '../../formats/artifact/card.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';
import { refreshRegistry } from './registry.ts';
import { loadCard, saveCard } from './cards.ts';

export interface Cleaned {
  readonly id: ArtifactId;
  readonly from: ArtifactStatus;
  readonly to: ArtifactStatus;
  /** Why it is kept although it is old enough; null: it is not kept. */
  readonly kept: string | null;
}

export async function cleanArtifacts(
  folder: ArtifactFolder,
  ages: Ages,
  nowMs: number,
  { apply }: { readonly apply: boolean },
): Promise<readonly Cleaned[]> {
  const cards = cardsIn(await refreshRegistry(folder));
  const needed = requiredArtifacts(cards);
  const cleaned: Cleaned[] = [];
  for (const card of cards.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const move = dueMove(card, ages, nowMs);
    if (move === null) continue;
    const to = move === 'archive' ? 'archived' : 'deleted';
    const kept = move === 'remove' ? await reasonToKeep(folder, card, needed) : null;
    if (apply && kept === null) await moveCard(folder, card.id, ages, nowMs);
    cleaned.push({ id: card.id, from: card.status, to, kept });
  }
  if (apply) await refreshRegistry(folder);
  return cleaned;
}

async function reasonToKeep(
  folder: ArtifactFolder,
  { id, path, sha256 }: ArtifactCard,
  needed: ReadonlySet<ArtifactId>,
): Promise<string | null> {
  if (needed.has(id)) return 'something that is in use requires it';
  const file = await folder.read(path);
  if (file.kind === 'unfit') return `${path}: ${file.says}`;
  // The file was changed since, so it is not the registered artifact.
  return file.kind === 'file' && hexDigestOf(file.text) !== sha256
    ? `${path} has changed since it was registered`
    : null;
}

/** Removes the file first: a card without a file is detected later, a file without a card is not. */
async function moveCard(folder: ArtifactFolder, id: ArtifactId, ages: Ages, nowMs: number): Promise<void> {
  await folder.withLock(id, async () => {
    const card = await loadCard(folder, id);
    const move = card === null ? null : dueMove(card, ages, nowMs);
    const next = card === null || move === null ? null : applyMove(card, move, nowMs);
    if (next === null) return;
    if (next.status === 'deleted') await folder.remove(next.path);
    await saveCard(folder, next);
  });
}
