/** The artifacts of a workspace, opened with the first question about them: most commands have none. */
import type { ArtifactFolder, Cards, KeptText } from '../folders/folder.ts';
import type { QueueFolderOptions } from '../folders/queue-folder.ts';

export function lazyArtifacts(place: QueueFolderOptions): ArtifactFolder {
  let opened: ArtifactFolder | null = null;
  let closed = false;
  const folder = async (): Promise<ArtifactFolder> => {
    const { openArtifactFolder } = await import('../folders/artifact-folder.ts');
    opened ??= openArtifactFolder(place);
    // Whoever asks so late leaves nothing behind either.
    if (closed) opened.close();
    return opened;
  };
  const kept = (which: 'registry' | 'phaseStatus'): KeptText => ({
    load: async () => (await folder())[which].load(),
    save: async (text) => (await folder())[which].save(text),
  });
  const cards: Cards = {
    load: async (id) => (await folder()).cards.load(id),
    save: async (id, text) => (await folder()).cards.save(id, text),
    add: async (text) => (await folder()).cards.add(text),
    all: async () => (await folder()).cards.all(),
    news: async () => (await folder()).cards.news(),
    filed: async (id, text) => (await folder()).cards.filed(id, text),
    mark: async () => (await folder()).cards.mark(),
  };
  return {
    read: async (path) => (await folder()).read(path),
    list: async () => (await folder()).list(),
    locate: async (id) => (await folder()).locate(id),
    remove: async (path) => (await folder()).remove(path),
    hash: async (path) => (await folder()).hash(path),
    cards,
    registry: kept('registry'),
    phaseStatus: kept('phaseStatus'),
    readContext: async (name) => (await folder()).readContext(name),
    alone: async (name, act) => (await folder()).alone(name, act),
    close: () => {
      closed = true;
      opened?.close();
    },
  };
}
