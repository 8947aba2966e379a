/** What a process has seen to itself. Whoever hears of it again looks at the stamp first, and mostly at nothing else. */
import type { HandoffId } from '../../domain/names.ts';
import type { MessageFolder } from '../../folders/folder.ts';

/** Enough for what rings back within a second or two; the rest is looked at once more. */
const LEFT_MAX = 10_000;

export interface Left {
  /** Runs what puts one handoff in its place; it says which revision it has brought to rest, or null. */
  during(id: HandoffId, act: () => Promise<number | null>): Promise<void>;
  /** True: nothing has happened to the record or its files since. Waits for what is under way. */
  isAsLeft(id: HandoffId, revision: number): Promise<boolean>;
}

export function openLeft(folder: MessageFolder): Left {
  const left = new Map<HandoffId, { readonly revision: number; readonly stamp: string }>();
  const underWay = new Map<HandoffId, Promise<unknown>>();

  const keep = (id: HandoffId, revision: number | null): void => {
    left.delete(id);
    const stamp = revision === null ? null : folder.stamp(id);
    // In two places it is not at rest, whoever put it into the second.
    if (revision === null || stamp === null || stamp.isTwice) return;
    left.set(id, { revision, stamp: stamp.text });
    const [oldest] = left.size > LEFT_MAX ? left.keys() : [];
    if (oldest !== undefined) left.delete(oldest);
  };

  return {
    async during(id, act) {
      const acting = act().then((revision) => keep(id, revision));
      underWay.set(id, acting);
      try {
        await acting;
      } finally {
        if (underWay.get(id) === acting) underWay.delete(id);
      }
    },
    async isAsLeft(id, revision) {
      // Its fault is told to whoever began it.
      await underWay.get(id)?.catch(() => undefined);
      const known = left.get(id);
      return known !== undefined && known.revision >= revision && known.stamp === folder.stamp(id).text;
    },
  };
}
