/**
 * `artifacts/registry.json`: everything that is registered, as one list for readers. It is made of the cards and decides
 * nothing. What has changed since is merged in; a list that was edited, broken or deleted is made anew.
 */
import type { ArtifactId } from '../../domain/names.ts';
import { readCard, readRegistry, writeCard, writeRegistry, type RegistryLines } from '../../formats/artifact/card.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';

export async function refreshRegistry(folder: ArtifactFolder): Promise<RegistryLines> {
  if ((await folder.cards.all()).length === 0 && (await folder.registry.load()) === null) return new Map();
  return folder.alone('registry', async () => {
    const text = await folder.registry.load();
    const lines = text === null ? null : readRegistry(text);
    const [news, all] = [await folder.cards.news(), await folder.cards.all()];
    const isWhole = lines !== null && lines.size + news.filter((id) => !lines.has(id)).length === all.length;
    const read = await readAll(folder, isWhole ? news : all);
    const next = new Map([...(isWhole ? lines : []), ...[...read].map(([id, { line }]) => [id, line] as const)]);
    const wanted = isWhole && read.size === 0 ? text : writeRegistry(next);
    if (wanted !== null && wanted !== text) await folder.registry.save(wanted);
    for (const id of news) {
      const filed = read.get(id);
      if (filed !== undefined) await folder.cards.filed(id, filed.text);
    }
    return next;
  });
}

interface Read {
  readonly text: string;
  /** As we would write it, whoever has had it in hand. */
  readonly line: string;
}

const AT_ONCE = 16;

async function readAll(folder: ArtifactFolder, ids: readonly ArtifactId[]): Promise<ReadonlyMap<ArtifactId, Read>> {
  const read = new Map<ArtifactId, Read>();
  const rest = [...ids];
  const work = async (): Promise<void> => {
    for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
      const text = await folder.cards.load(id);
      // What is not whole, or a card of another, is not listed.
      const card = text === null ? null : readCard(text);
      if (text !== null && card?.id === id) read.set(id, { text, line: writeCard(card) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return read;
}

const SELDOM_MS = 1_000;
/** However long the list is, keeping it takes a small part of the time. */
const REST_FACTOR = 30;

/** For whoever keeps the folder: not more often than once in a second, and only when a card has changed. */
export function registryKeeper(folder: ArtifactFolder, monotonicMs: () => number): (isSure: boolean) => Promise<void> {
  let mark = '';
  let nextMs = Number.NEGATIVE_INFINITY;
  return async (isSure) => {
    const beganMs = monotonicMs();
    if (!isSure && (beganMs < nextMs || (await folder.cards.mark()) === mark)) return;
    await refreshRegistry(folder);
    mark = await folder.cards.mark();
    nextMs = monotonicMs() + Math.max(SELDOM_MS, (monotonicMs() - beganMs) * REST_FACTOR);
  };
}
