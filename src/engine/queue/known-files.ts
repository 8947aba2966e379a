/** What a process has seen to itself. Whoever hears of it again looks at one stamp first, and mostly at nothing else. */
import type { HandoffId } from '../../domain/names.ts';
import type { MessageFolder } from '../../folders/folder.ts';
import { OPEN_QUEUE_FOLDERS, QUEUE_FOLDERS, type QueueFolder } from '../../folders/queue-folder-names.ts';
import { isNativeId } from './native-id.ts';

/** Enough for what rings back within a second or two; the rest is looked at once more. */
const LEFT_MAX = 10_000;

export interface KnownFile {
  readonly revision: number;
  readonly place: QueueFolder;
}

export interface KnownFiles {
  /** Runs what puts one handoff in its place, one at a time for each; it answers where it came to rest, or null. */
  during(id: HandoffId, act: () => Promise<KnownFile | null>): Promise<void>;
  /** The revision that this process has put in its place; 0: none. */
  revisionOf(id: HandoffId): number;
  /** Where this process has left the file; null: it has not, or no longer knows. */
  placeOf(id: HandoffId): QueueFolder | null;
  /** True: this process is putting it in its place at this moment. */
  isAtWork(id: HandoffId): boolean;
  /** Ends when what it does to it at this moment is over. */
  atRest(id: HandoffId): Promise<void>;
  /** True: what has just happened in this place was done by this process, as far as it can tell without reading. */
  isOwnEvent(id: HandoffId, place: QueueFolder): boolean;
  /** True: we have seen to this revision, and nothing has happened to the file where something was heard. */
  isAsLeft(id: HandoffId, told: Told): Promise<boolean>;
}

/** What was told about one handoff since the last pass. */
interface Told {
  /** Of its newest fact; 0: there was none. */
  readonly revision: number;
  readonly places: ReadonlySet<QueueFolder>;
}

export function openKnownFiles(folder: MessageFolder): KnownFiles {
  const left = new Map<HandoffId, KnownFile & { readonly stamp: string | null }>();
  const underWay = new Map<HandoffId, Promise<unknown>>();

  const keep = (id: HandoffId, rest: KnownFile | null): void => {
    left.delete(id);
    if (rest === null) return;
    left.set(id, { ...rest, stamp: folder.stamp(rest.place, id) });
    const [oldest] = left.size > LEFT_MAX ? left.keys() : [];
    if (oldest !== undefined) left.delete(oldest);
  };

  const atRest = async (id: HandoffId): Promise<void> => {
    // Its fault is told to whoever began it.
    await underWay.get(id)?.catch(() => undefined);
  };

  return {
    async during(id, act) {
      const before = underWay.get(id);
      const begun = before === undefined ? act() : before.then(act, act);
      const acting = begun.then((rest) => keep(id, rest));
      underWay.set(id, acting);
      try {
        await acting;
      } finally {
        if (underWay.get(id) === acting) underWay.delete(id);
      }
    },
    revisionOf: (id) => left.get(id)?.revision ?? 0,
    placeOf: (id) => left.get(id)?.place ?? null,
    isAtWork: (id) => underWay.has(id),
    atRest,
    isOwnEvent(id, place) {
      const known = left.get(id);
      if (known === undefined) return false;
      // Nobody else makes files with ids of ours, and files only move forward.
      if (isNativeId(id)) return place === known.place || isOpenBefore(place, known.place);
      return folder.stamp(place, id) === (place === known.place ? known.stamp : null);
    },
    async isAsLeft(id, { revision, places }) {
      await atRest(id);
      const known = left.get(id);
      if (known === undefined || known.revision < revision) return false;
      // Where it was before, our own moves were heard; another file there is found by the next list of that folder.
      const asked = isNativeId(id) ? [...places].filter((place) => !isOpenBefore(place, known.place)) : [...places];
      return asked.every((place) => folder.stamp(place, id) === (place === known.place ? known.stamp : null));
    },
  };
}

/** Whether it is listed, and a file passes it on the way there. */
function isOpenBefore(place: QueueFolder, known: QueueFolder): boolean {
  const at = OPEN_QUEUE_FOLDERS.findIndex((each) => each === place);
  return at !== -1 && at < QUEUE_FOLDERS.indexOf(known);
}
