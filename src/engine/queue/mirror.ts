/** The queue folder beside the database, as the rest of the engine knows it. */
import type { HandoffId } from '../../domain/names.ts';
import type { MessageFolder } from '../../folders/folder.ts';
import type { QueueMirror, Surroundings } from '../surroundings.ts';
import { registryKeeper } from '../artifacts/registry.ts';
import { attend } from './attend.ts';
import { pass } from './pass.ts';
import { phaseKeeper } from './phase-status.ts';
import type { Queue } from './queue.ts';
import { win } from './win.ts';

/** `around` is the house without its mirror. */
export function openQueueMirror(around: Surroundings, folder: MessageFolder): QueueMirror {
  const queue: Queue = {
    around,
    folder,
    abroad: new Set(),
    again: new Set(),
    reading: { cursor: null, isBegun: false },
  };
  const hints = new Set<HandoffId>();
  const { artifacts } = around.rules;
  const keepers =
    artifacts === null
      ? []
      : [registryKeeper(artifacts, () => around.clock.monotonicMs()), phaseKeeper(around, artifacts)];

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
      for (const id of hints) queue.again.add(id);
      hints.clear();
      const passed = await pass(queue, depth);
      for (const keep of keepers) {
        // Lists for readers: what is wrong with them is no reason to stand still.
        await keep(depth === 'thorough').catch((error: unknown) =>
          around.report({ kind: 'fault', doing: 'writing what follows from the queue', error }),
        );
      }
      return passed;
    },
    watch: (changed) =>
      folder.watch((_place, id) => {
        if (id !== null) hints.add(id);
        changed();
      }),
  };
}
