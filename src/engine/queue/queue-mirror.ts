/** The queue folder beside the database, as the rest of the engine knows it. */
import type { HandoffId } from '../../domain/names.ts';
import type { MessageFolder } from '../../folders/folder.ts';
import type { QueueMirror, Context } from '../context.ts';
import { registryKeeper } from '../artifacts/registry.ts';
import { appear, reconcile } from './reconcile.ts';
import { openKnownFiles } from './known-files.ts';
import { syncPass } from './sync-pass.ts';
import { batchedLookup } from './batched-lookup.ts';
import { phaseKeeper } from './phase-status.ts';
import { retentionKeeper } from './retention.ts';
import { isNativeId } from './native-id.ts';
import type { Queue } from './queue.ts';
import { winRename } from './win-rename.ts';

/** Between two looks at the folders themselves; many handoffs pass in this time. */
const PREPARED_MS = 200;

/** The rules of `ctx` have no queue mirror: what is done here is not mirrored a second time. */
export function openQueueMirror(ctx: Context, folder: MessageFolder): QueueMirror {
  const queue: Queue = {
    ctx,
    folder,
    abroad: new Set(),
    again: new Set(),
    news: new Map(),
    unfinished: new Set(),
    kept: [],
    started: new Map(),
    parts: new Map(),
    newestRecord: batchedLookup(ctx.store),
    deferred: new Map(),
    left: openKnownFiles(folder),
    hints: { places: new Map(), isVague: false },
    reading: { cursor: null, isBegun: false, isOld: false, reached: [], savedMs: Number.NEGATIVE_INFINITY },
  };

  let preparedMs = Number.NEGATIVE_INFINITY;

  const prepared = async (): Promise<void> => {
    const nowMs = ctx.clock.monotonicMs();
    if (nowMs - preparedMs < PREPARED_MS) return;
    // Before it is over: the first look serves all who ask in the same moment.
    preparedMs = nowMs;
    await folder.prepare().catch((error: unknown) => {
      preparedMs = Number.NEGATIVE_INFINITY;
      throw error;
    });
  };

  /** The database has it; the next pass puts the file right. */
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
  const keepers = [
    ...(artifacts === null ? [] : [registryKeeper(artifacts, monotonicMs), phaseKeeper(ctx, artifacts, queue.parts)]),
    retentionKeeper(folder, monotonicMs),
  ];

  return {
    reconcile: async (id, changed) => mirrored(id, async () => reconcile(queue, id, { changed })),
    appear: async (sent) => mirrored(sent.handoff.id, async () => appear(queue, sent)),
    async winRename(principal, handoff, body) {
      await prepared();
      return winRename(queue, principal, handoff, body);
    },
    async sync(depth, { signal } = {}) {
      const passed = await syncPass(queue, depth, signal);
      for (const keep of keepers) {
        if (signal?.aborted === true) break;
        // Lists for readers: what is wrong with them is no reason to stand still.
        await keep(depth === 'thorough').catch((error: unknown) =>
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
        const { hints, left } = queue;
        if (id === null) hints.isVague = true;
        else hints.places.set(id, (hints.places.get(id) ?? new Set()).add(place));
        // What ours did is looked at with the next pass, and is no reason for one.
        if (id !== null && isNativeId(id)) {
          if (place !== 'pending' && !left.isAtWork(id) && !left.isOwnEvent(id, place)) changed();
          return;
        }
        const tell = (): void => {
          if (id === null || !left.isOwnEvent(id, place)) changed();
        };
        // Its writer may go on while we look at what it has written so far.
        if (id !== null && left.isAtWork(id)) void left.atRest(id).then(tell);
        else tell();
      }),
  };
}
