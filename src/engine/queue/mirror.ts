/** The queue folder beside the database, as the rest of the engine knows it. */
import type { HandoffId } from '../../domain/names.ts';
import type { MessageFolder } from '../../folders/folder.ts';
import type { QueueMirror, Surroundings } from '../surroundings.ts';
import { attend } from './attend.ts';
import { openLeft } from './left.ts';
import { pass } from './pass.ts';
import type { Queue } from './queue.ts';
import { win } from './win.ts';

/** `around` is the house without its mirror. */
export function openQueueMirror(around: Surroundings, folder: MessageFolder): QueueMirror {
  const queue: Queue = {
    around,
    folder,
    abroad: new Set(),
    again: new Set(),
    left: openLeft(folder),
    reading: { cursor: null, isBegun: false, isOld: false, isRead: false, savedMs: Number.NEGATIVE_INFINITY },
  };
  const hints = new Set<HandoffId>();

  return {
    async attend(id) {
      try {
        await folder.prepare();
        await attend(queue, id);
      } catch (error) {
        // The database has it; the next pass puts the file right.
        around.report({ kind: 'fault', doing: `mirroring ${id}`, error });
      }
    },
    async win(principal, handoff) {
      await folder.prepare();
      return win(queue, principal, handoff);
    },
    async pass(depth) {
      const heard = [...hints];
      hints.clear();
      return pass(queue, depth, heard);
    },
    watch: (changed) =>
      folder.watch((_place, id) => {
        if (id !== null) hints.add(id);
        changed();
      }),
  };
}
