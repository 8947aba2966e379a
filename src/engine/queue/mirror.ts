/** The queue folder beside the database, as the rest of the engine knows it. */
import type { HandoffId } from '../../domain/names.ts';
import type { MessageFolder } from '../../folders/folder.ts';
import type { QueueMirror, Surroundings } from '../surroundings.ts';
import { registryKeeper } from '../artifacts/registry.ts';
import { appear, attend } from './attend.ts';
import { openLeft } from './left.ts';
import { pass } from './pass.ts';
import { phaseKeeper } from './phase-status.ts';
import type { Queue } from './queue.ts';
import { win } from './win.ts';

/** Between two looks at the folders themselves; many handoffs pass in this time. */
const PREPARED_MS = 20;

/** `around` is the house without its mirror. */
export function openQueueMirror(around: Surroundings, folder: MessageFolder): QueueMirror {
  const queue: Queue = {
    around,
    folder,
    abroad: new Set(),
    again: new Set(),
    left: openLeft(folder),
    hints: { places: new Map(), isVague: false },
    reading: { cursor: null, isBegun: false, isOld: false, isRead: false, savedMs: Number.NEGATIVE_INFINITY },
  };

  let preparedMs = Number.NEGATIVE_INFINITY;

  const prepared = async (): Promise<void> => {
    const nowMs = around.clock.monotonicMs();
    if (nowMs - preparedMs < PREPARED_MS) return;
    await folder.prepare();
    preparedMs = nowMs;
  };

  /** The database has it; the next pass puts the file right. */
  const mirrored = async (id: HandoffId, act: () => Promise<void>): Promise<void> => {
    try {
      await prepared();
      await act();
    } catch (error) {
      preparedMs = Number.NEGATIVE_INFINITY;
      around.report({ kind: 'fault', doing: `mirroring ${id}`, error });
    }
  };

  const { artifacts } = around.rules;
  const keepers =
    artifacts === null
      ? []
      : [registryKeeper(artifacts, () => around.clock.monotonicMs()), phaseKeeper(around, artifacts)];

  return {
    attend: async (id) => mirrored(id, async () => attend(queue, id)),
    appear: async (sent) => mirrored(sent.handoff.id, async () => appear(queue, sent)),
    async win(principal, handoff) {
      await prepared();
      return win(queue, principal, handoff);
    },
    async pass(depth, { signal } = {}) {
      const passed = await pass(queue, depth, signal);
      for (const keep of keepers) {
        if (signal?.aborted === true) break;
        // Lists for readers: what is wrong with them is no reason to stand still.
        await keep(depth === 'thorough').catch((error: unknown) =>
          around.report({ kind: 'fault', doing: 'writing what follows from the queue', error }),
        );
      }
      return passed;
    },
    async examine(signal) {
      const { examineQueue } = await import('./examine.ts');
      return examineQueue(queue, signal);
    },
    watch: (changed) =>
      folder.watch((place, id) => {
        const { hints } = queue;
        if (id === null) hints.isVague = true;
        else hints.places.set(id, (hints.places.get(id) ?? new Set()).add(place));
        changed();
      }),
  };
}
