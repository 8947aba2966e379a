/** The queue mirror, as the rest of the engine uses it. */
import type { HandoffId } from '../../domain/names.ts';
import type { MessageFolder } from '../../folders/folder.ts';
import type { QueueMirror, Context } from '../context.ts';
import { registryRefresher } from '../artifacts/registry.ts';
import { addFile, reconcile } from './reconcile.ts';
import { openKnownFiles } from './known-files.ts';
import { syncPass } from './sync-pass.ts';
import { batchedLookup } from './batched-lookup.ts';
import { phaseStatusUpdater } from './phase-status.ts';
import { finishedFileArchiver } from './archive-finished-files.ts';
import { isNativeId } from './native-id.ts';
import type { Queue } from './queue.ts';
import { winRename } from './win-rename.ts';

/** How long a check of the folders stays valid: many handoffs pass in this time. */
const PREPARED_MS = 200;

/** The rules of `ctx` have no queue mirror, so changes made here are not mirrored a second time. */
export function openQueueMirror(ctx: Context, folder: MessageFolder): QueueMirror {
  const queue: Queue = {
    ctx,
    folder,
    heldByFile: new Set(),
    again: new Set(),
    newRevisions: new Map(),
    unfinished: new Set(),
    kept: [],
    started: new Map(),
    parts: new Map(),
    newestRecord: batchedLookup(ctx.store),
    deferred: new Map(),
    knownFiles: openKnownFiles(folder),
    hints: { places: new Map(), isVague: false },
    reading: { cursor: null, isBegun: false, isOld: false, reached: [], savedMs: Number.NEGATIVE_INFINITY },
  };

  let preparedMs = Number.NEGATIVE_INFINITY;

  const prepared = async (): Promise<void> => {
    const nowMs = ctx.clock.monotonicMs();
    if (nowMs - preparedMs < PREPARED_MS) return;
    // Set before it finishes, so that one check serves all callers of the same moment.
    preparedMs = nowMs;
    await folder.prepare().catch((error: unknown) => {
      preparedMs = Number.NEGATIVE_INFINITY;
      throw error;
    });
  };

  /** Reports a failure instead of throwing: the database has the change, and the next pass corrects the file. */
  const mirrored = async (id: HandoffId, act: () => Promise<void>): Promise<void> => {
    try {
      await prepared();
      await act();
    } catch (error) {
      preparedMs = Number.NEGATIVE_INFINITY;
      ctx.report({ kind: 'fault', doing: `mirroring ${id}`, error });
    }
  };

  const { artifacts } = ctx.rules;
  const monotonicMs = (): number => ctx.clock.monotonicMs();
  const updaters = [
    ...(artifacts === null
      ? []
      : [registryRefresher(artifacts, monotonicMs), phaseStatusUpdater(ctx, artifacts, queue.parts)]),
    finishedFileArchiver(folder, monotonicMs),
  ];

  return {
    reconcile: async (id, changed) => mirrored(id, async () => reconcile(queue, id, { changed })),
    appear: async (sent) => mirrored(sent.handoff.id, async () => addFile(queue, sent)),
    async winRename(principal, handoff, body) {
      await prepared();
      return winRename(queue, principal, handoff, body);
    },
    async sync(depth, { signal } = {}) {
      const passed = await syncPass(queue, depth, signal);
      for (const update of updaters) {
        if (signal?.aborted === true) break;
        // These only write lists for readers, so a failure must not stop the queue.
        await update(depth === 'thorough').catch((error: unknown) =>
          ctx.report({ kind: 'fault', doing: 'writing what follows from the queue', error }),
        );
      }
      return passed;
    },
    async adoptFinished(signal) {
      const { adoptFinished } = await import('./adopt-finished.ts');
      return adoptFinished(queue, signal);
    },
    async examine(signal) {
      const { examineQueue } = await import('./health-checks.ts');
      return examineQueue(queue, signal);
    },
    watch: (changed) =>
      folder.watch((place, id) => {
        const { hints, knownFiles: left } = queue;
        if (id === null) hints.isVague = true;
        else hints.places.set(id, (hints.places.get(id) ?? new Set()).add(place));
        // Events caused by Baton processes are handled with the next pass and do not start one.
        if (id !== null && isNativeId(id)) {
          if (place !== 'pending' && !left.isBusy(id) && !left.isOwnEvent(id, place)) changed();
          return;
        }
        const notify = (): void => {
          if (id === null || !left.isOwnEvent(id, place)) changed();
        };
        // Its writer may continue while we read what it has written so far.
        if (id !== null && left.isBusy(id)) void left.whenIdle(id).then(notify);
        else notify();
      }),
  };
}
