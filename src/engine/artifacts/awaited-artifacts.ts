/**
 * Handoffs that need artifacts, which `context.*_artifact_id` names. A missing artifact blocks the handoff. It is offered
 * when the artifact is registered.
 *
 * A new file cannot notify a database transaction, so a sweep polls: whenever a card has changed, and regularly in any
 * case, because a handoff may be written just after a sweep.
 */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { JsonObject } from '../../foundation/json.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { unblock } from '../../domain/moves/block.ts';
import { HANDOFF_ID_RULE, readArtifactId, type ArtifactId } from '../../domain/names.ts';
import { SYSTEM } from '../../domain/principal.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';
import { change, decideBy } from '../change.ts';
import type { Context } from '../context.ts';
import type { ReferenceRefusal } from './refusals.ts';
import { missingArtifacts, loadCard } from './cards.ts';

const REFERENCE = /_artifact_id$/;
const REFERENCES_MAX = 100;
const PAGE = 200;
const PAGES_MAX = 50;
const SWEEP_INTERVAL_MS = 2_000;

export function referencesIn(context: JsonObject | undefined): Result<readonly ArtifactId[], ReferenceRefusal> {
  const ids = new Set<ArtifactId>();
  for (const [name, value] of Object.entries(context ?? {})) {
    if (!REFERENCE.test(name) || typeof value !== 'string' || value === '') continue;
    const id = readArtifactId(value);
    if (id === null) return err({ code: 'artifact-reference', field: `context.${name}`, says: HANDOFF_ID_RULE });
    ids.add(id);
  }
  if (ids.size <= REFERENCES_MAX) return ok([...ids]);
  return err({ code: 'artifact-reference', field: 'context', says: `at most ${REFERENCES_MAX} artifacts` });
}

export async function lacksArtifact({ rules }: Context, ids: readonly ArtifactId[] | undefined): Promise<boolean> {
  if (ids === undefined || ids.length === 0 || rules.artifacts === null) return false;
  return (await missingArtifacts(rules.artifacts, ids)).length > 0;
}

const lastSweeps = new WeakMap<ArtifactFolder, { readonly mark: string; readonly atMs: number }>();

export async function sweepAwaiting(ctx: Context): Promise<number> {
  const { artifacts } = ctx.rules;
  if (artifacts === null) return 0;
  const last = lastSweeps.get(artifacts);
  const atMs = ctx.clock.monotonicMs();
  const mark = await artifacts.cards.mark();
  if (last?.mark === mark && atMs - last.atMs < SWEEP_INTERVAL_MS) return 0;
  const { unblocked, isAll } = await unblockAwaiting(ctx, artifacts);
  // The mark was taken before the sweep, so a change during the sweep causes another one.
  if (isAll) lastSweeps.set(artifacts, { mark, atMs });
  return unblocked;
}

export async function unblockAwaiting(
  ctx: Context,
  artifacts: ArtifactFolder,
): Promise<{ readonly unblocked: number; readonly isAll: boolean }> {
  const present = new Map<ArtifactId, boolean>();
  let unblocked = 0;
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await ctx.store.find({
      by: 'filter',
      states: ['blocked'],
      max: PAGE,
      ...(after === null ? {} : { after }),
    });
    for (const handoff of found.items) {
      if (!isAwaiting(handoff) || !(await areAvailable(ctx, artifacts, handoff.terms.artifacts ?? [], present)))
        continue;
      if ((await change(ctx, handoff, decideAvailable)).ok) unblocked += 1;
    }
    after = found.next;
    if (after === null) break;
  }
  return { unblocked, isAll: after === null };
}

async function areAvailable(
  ctx: Context,
  folder: ArtifactFolder,
  ids: readonly ArtifactId[],
  present: Map<ArtifactId, boolean>,
): Promise<boolean> {
  for (const id of ids) {
    const isFound = present.get(id) ?? (await isAvailable(ctx, folder, id));
    present.set(id, isFound);
    if (!isFound) return false;
  }
  return true;
}

/** A program that only knows files registers an artifact by writing `artifacts/FOLDER/ID.json`. */
async function isAvailable(ctx: Context, folder: ArtifactFolder, id: ArtifactId): Promise<boolean> {
  if ((await missingArtifacts(folder, [id])).length === 0) return true;
  const path = (await loadCard(folder, id)) === null ? await folder.locate(id) : null;
  if (path === null) return false;
  // Imported here, because few commands need it and it loads another package.
  const { register } = await import('./register.ts');
  const registered = await register(ctx, folder, { path });
  return registered.ok && registered.value.id === id;
}

function isAwaiting({ blockedOn }: Handoff): boolean {
  return blockedOn?.reason === 'artifact';
}

const decideUnblock = decideBy(SYSTEM, 'unblock', (handoff, nowMs) => ({
  deed: 'unblock',
  moved: unblock(handoff, nowMs),
  detail: { reason: 'its artifacts are there' },
}));

const decideAvailable: Decide = (handoff, nowMs) =>
  isAwaiting(handoff) ? decideUnblock(handoff, nowMs) : err({ code: 'not-overdue', id: handoff.id });
