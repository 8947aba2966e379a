/**
 * `artifacts/registry.json`: everything that is registered, as one list for readers. It is made of the cards and decides
 * nothing. What has changed since is merged in; a list that was edited, broken or deleted is made anew.
 */
import type { ArtifactCard } from '../../domain/artifacts.ts';
import type { ArtifactId } from '../../domain/names.ts';
import { readCard, readRegistry, writeRegistry } from '../../dialects/artifact/card.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';

export type Registry = ReadonlyMap<ArtifactId, ArtifactCard>;

export async function refreshRegistry(folder: ArtifactFolder): Promise<Registry> {
  if ((await folder.cards.all()).length === 0 && (await folder.registry.load()) === null) return new Map();
  return folder.alone('registry', async () => {
    const text = await folder.registry.load();
    const cards = text === null ? null : readRegistry(text);
    const [news, all] = [await folder.cards.news(), await folder.cards.all()];
    const isWhole = cards !== null && cards.size + news.filter((id) => !cards.has(id)).length === all.length;
    const next = isWhole ? cards : new Map<ArtifactId, ArtifactCard>();
    const read = await readAll(folder, isWhole ? news : all);
    for (const [id, { card }] of read) next.set(id, card);
    const wanted = writeRegistry(next.values());
    if (wanted !== text) await folder.registry.save(wanted);
    for (const id of news) {
      const filed = read.get(id);
      if (filed !== undefined) await folder.cards.filed(id, filed.text);
    }
    return next;
  });
}

interface Read {
  readonly text: string;
  readonly card: ArtifactCard;
}

const AT_ONCE = 16;

async function readAll(folder: ArtifactFolder, ids: readonly ArtifactId[]): Promise<Map<ArtifactId, Read>> {
  const read = new Map<ArtifactId, Read>();
  const rest = [...ids];
  const work = async (): Promise<void> => {
    for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
      const text = await folder.cards.load(id);
      const card = text === null ? null : readCard(text);
      if (text !== null && card?.id === id) read.set(id, { text, card });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return read;
}

const SELDOM_MS = 1_000;

/** For whoever keeps the folder: not more often than once in a second, and only when a card has changed. */
export function registryKeeper(folder: ArtifactFolder, monotonicMs: () => number): (isSure: boolean) => Promise<void> {
  let mark = '';
  let lookedMs = Number.NEGATIVE_INFINITY;
  return async (isSure) => {
    if (!isSure && monotonicMs() - lookedMs < SELDOM_MS) return;
    lookedMs = monotonicMs();
    const now = await folder.cards.mark();
    if (!isSure && now === mark) return;
    await refreshRegistry(folder);
    mark = await folder.cards.mark();
  };
}
