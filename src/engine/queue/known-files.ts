/** Remembers the files that this process wrote or moved, so that events about them need only compare one stamp. */
import type { HandoffId } from '../../domain/names.ts';
import type { MessageFolder } from '../../folders/folder.ts';
import { OPEN_QUEUE_FOLDERS, QUEUE_FOLDERS, type QueueFolder } from '../../folders/queue-folder-names.ts';
import { isNativeId } from './native-id.ts';

/** Enough for the events of a second or two. Forgotten files are checked once more. */
const KNOWN_MAX = 10_000;

export interface KnownFile {
  readonly revision: number;
  readonly place: QueueFolder;
}

export type KnownFiles = ReturnType<typeof openKnownFiles>;

/** Facts and events about one handoff since the last pass. */
interface Hint {
  /** The revision of its newest fact; 0: no fact. */
  readonly revision: number;
  readonly places: ReadonlySet<QueueFolder>;
}

export function openKnownFiles(folder: MessageFolder) {
  const files = new Map<HandoffId, KnownFile & { readonly stamp: string | null }>();
  const running = new Map<HandoffId, Promise<unknown>>();

  const keep = (id: HandoffId, rest: KnownFile | null): void => {
    files.delete(id);
    if (rest === null) return;
    files.set(id, { ...rest, stamp: folder.stamp(rest.place, id) });
    const [oldest] = files.size > KNOWN_MAX ? files.keys() : [];
    if (oldest !== undefined) files.delete(oldest);
  };

  const whenIdle = async (id: HandoffId): Promise<void> => {
    // The caller of `runExclusive` gets the error.
    await running.get(id)?.catch(() => undefined);
  };

  return {
    /** Runs `act` for one handoff, one at a time. `act` returns where it left the file, or null. */
    async runExclusive(id: HandoffId, act: () => Promise<KnownFile | null>) {
      const before = running.get(id);
      const begun = before === undefined ? act() : before.then(act, act);
      const acting = begun.then((rest) => keep(id, rest));
      running.set(id, acting);
      try {
        await acting;
      } finally {
        if (running.get(id) === acting) running.delete(id);
      }
    },
    /** The revision that this process last wrote; 0: none. */
    revisionOf: (id: HandoffId) => files.get(id)?.revision ?? 0,
    /** Where this process left the file; null: unknown. */
    placeOf: (id: HandoffId) => files.get(id)?.place ?? null,
    /** Whether `runExclusive` is running for this handoff. */
    isBusy: (id: HandoffId) => running.has(id),
    /** Resolves when the present `runExclusive` for this handoff is over. */
    whenIdle,
    /** Whether an event in this place was caused by this process, judged without reading the file. */
    isOwnEvent(id: HandoffId, place: QueueFolder) {
      const known = files.get(id);
      if (known === undefined) return false;
      // Only Baton creates files with generated ids, and files only move forward.
      if (isNativeId(id)) return place === known.place || isOpenBefore(place, known.place);
      return folder.stamp(place, id) === (place === known.place ? known.stamp : null);
    },
    /** Whether this process has handled the hinted revision, and the file has not changed in the hinted places. */
    async isUnchanged(id: HandoffId, { revision, places }: Hint) {
      await whenIdle(id);
      const known = files.get(id);
      if (known === undefined || known.revision < revision) return false;
      // Events in earlier places are our own moves. Another file there is found by the next listing of that folder.
      const asked = isNativeId(id) ? [...places].filter((place) => !isOpenBefore(place, known.place)) : [...places];
      return asked.every((place) => folder.stamp(place, id) === (place === known.place ? known.stamp : null));
    },
  };
}

/** Whether a file passes this listed place on its way to `known`. */
function isOpenBefore(place: QueueFolder, known: QueueFolder): boolean {
  const at = OPEN_QUEUE_FOLDERS.findIndex((each) => each === place);
  return at !== -1 && at < QUEUE_FOLDERS.indexOf(known);
}
