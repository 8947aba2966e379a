/** The artifacts of a workspace, opened with the first question about them: most commands have none. */
import { lazyMethods } from '../foundation/lazy-methods.ts';
import type { ArtifactFolder } from '../folders/folder.ts';
import type { QueueFolderOptions } from '../folders/queue-folder.ts';

export function lazyArtifacts(place: QueueFolderOptions): ArtifactFolder {
  let opened: ArtifactFolder | null = null;
  let closed = false;
  const folder = async (): Promise<ArtifactFolder> => {
    const { openArtifactFolder } = await import('../folders/artifact-folder.ts');
    opened ??= openArtifactFolder(place);
    // A late call must leave no lock behind either.
    if (closed) opened.close();
    return opened;
  };
  return {
    ...lazyMethods(folder, ['read', 'list', 'locate', 'remove', 'hash', 'readContext', 'withLock']),
    cards: lazyMethods(
      async () => (await folder()).cards,
      ['load', 'save', 'add', 'all', 'unfiled', 'markFiled', 'mark'],
    ),
    registry: lazyMethods(async () => (await folder()).registry, ['load', 'save']),
    phaseStatus: lazyMethods(async () => (await folder()).phaseStatus, ['load', 'save']),
    close: () => {
      closed = true;
      opened?.close();
    },
  };
}
