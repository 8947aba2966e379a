/** Lets time do its work on what nobody uses any more. What something in use requires is never taken away. */
import { hexDigestOf } from '../../foundation/digest.ts';
import { aged, moved, neededOf, type Ages, type ArtifactCard, type ArtifactStatus } from '../../domain/artifacts.ts';
import type { ArtifactId } from '../../domain/names.ts';
import { cardsIn } from '../../formats/artifact/card.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';
import { refreshRegistry } from './registry.ts';
import { loadCard, saveCard } from './cards.ts';

export interface Cleaned {
  readonly id: ArtifactId;
  readonly from: ArtifactStatus;
  readonly to: ArtifactStatus;
  /** Why it stays as it is, although it is old enough; null: it does not. */
  readonly kept: string | null;
}

export async function cleanArtifacts(
  folder: ArtifactFolder,
  ages: Ages,
  nowMs: number,
  { apply }: { readonly apply: boolean },
): Promise<readonly Cleaned[]> {
  const cards = cardsIn(await refreshRegistry(folder));
  const needed = neededOf(cards);
  const cleaned: Cleaned[] = [];
  for (const card of cards.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const move = aged(card, ages, nowMs);
    if (move === null) continue;
    const to = move === 'archive' ? 'archived' : 'deleted';
    const kept = move === 'remove' ? await reasonToKeep(folder, card, needed) : null;
    if (apply && kept === null) await step(folder, card.id, ages, nowMs);
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
  // Somebody has made something else of it, which nobody has asked us to delete.
  return file.kind === 'file' && hexDigestOf(file.text) !== sha256
    ? `${path} has changed since it was registered`
    : null;
}

/** The file goes first: a card without a file says so, a file without a card says nothing. */
async function step(folder: ArtifactFolder, id: ArtifactId, ages: Ages, nowMs: number): Promise<void> {
  await folder.alone(id, async () => {
    const card = await loadCard(folder, id);
    const move = card === null ? null : aged(card, ages, nowMs);
    const next = card === null || move === null ? null : moved(card, move, nowMs);
    if (next === null) return;
    if (next.status === 'deleted') await folder.remove(next.path);
    await saveCard(folder, next);
  });
}
