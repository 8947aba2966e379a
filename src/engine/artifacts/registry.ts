/**
 * `artifacts/registry.json`: all registered artifacts as one list for readers, made from the cards. Changed cards are
 * merged into it. A list that was edited, damaged or deleted is made again.
 */
import type { ArtifactId } from '../../domain/names.ts';
import { readCard, readRegistry, writeCard, writeRegistry, type RegistryLines } from '../../formats/artifact/card.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';

export async function refreshRegistry(folder: ArtifactFolder): Promise<RegistryLines> {
  if ((await folder.cards.all()).length === 0 && (await folder.registry.load()) === null) return new Map();
  return folder.withLock('registry', async () => {
    const text = await folder.registry.load();
    const lines = text === null ? null : readRegistry(text);
    const [unfiled, all] = [await folder.cards.unfiled(), await folder.cards.all()];
    const isWhole = lines !== null && lines.size + unfiled.filter((id) => !lines.has(id)).length === all.length;
    const read = await readAll(folder, isWhole ? unfiled : all);
    const next = new Map([...(isWhole ? lines : []), ...[...read].map(([id, { line }]) => [id, line] as const)]);
    const wanted = isWhole && read.size === 0 ? text : writeRegistry(next);
    if (wanted !== null && wanted !== text) await folder.registry.save(wanted);
    for (const id of unfiled) {
      const filed = read.get(id);
      if (filed !== undefined) await folder.cards.markFiled(id, filed.text);
    }
    return next;
  });
}

interface Read {
  readonly text: string;
  /** The card in our own format, even if another program has edited it. */
  readonly line: string;
}

const CONCURRENCY = 16;

async function readAll(folder: ArtifactFolder, ids: readonly ArtifactId[]): Promise<ReadonlyMap<ArtifactId, Read>> {
  const read = new Map<ArtifactId, Read>();
  const rest = [...ids];
  const work = async (): Promise<void> => {
    for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
      const text = await folder.cards.load(id);
      // Damaged cards, and cards of another id, are not listed.
      const card = text === null ? null : readCard(text);
      if (text !== null && card?.id === id) read.set(id, { text, line: writeCard(card) });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return read;
}

const REFRESH_INTERVAL_MS = 1_000;
/** Limits the work to a small share of the time, however long the list is. */
const PAUSE_FACTOR = 30;

/** Refreshes the registry at most once a second, and only when a card has changed. */
export function registryRefresher(
  folder: ArtifactFolder,
  monotonicMs: () => number,
): (force: boolean) => Promise<void> {
  let mark = '';
  let nextMs = Number.NEGATIVE_INFINITY;
  return async (force) => {
    const beganMs = monotonicMs();
    if (!force && (beganMs < nextMs || (await folder.cards.mark()) === mark)) return;
    await refreshRegistry(folder);
    mark = await folder.cards.mark();
    nextMs = monotonicMs() + Math.max(REFRESH_INTERVAL_MS, (monotonicMs() - beganMs) * PAUSE_FACTOR);
  };
}
