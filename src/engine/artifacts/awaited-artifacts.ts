/**
 * Handoffs that need artifacts: `context.*_artifact_id` names one. One that is not there blocks the handoff, and it is
 * offered when the registry has it.
 *
 * Nobody can be told in a transaction of the database that a file has appeared, so this is looked at again and again:
 * when a card has changed, and now and then in any case, because a handoff may be written just after the look.
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
import { lacking, loadCard } from './cards.ts';

const REFERENCE = /_artifact_id$/;
const REFERENCES_MAX = 100;
const PAGE = 200;
const PAGES_MAX = 50;
const IN_ANY_CASE_MS = 2_000;

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
  return (await lacking(rules.artifacts, ids)).length > 0;
}

const looks = new WeakMap<ArtifactFolder, { readonly mark: string; readonly atMs: number }>();

export async function sweepAwaiting(ctx: Context): Promise<number> {
  const { artifacts } = ctx.rules;
  if (artifacts === null) return 0;
  const last = looks.get(artifacts);
  const atMs = ctx.clock.monotonicMs();
  const mark = await artifacts.cards.mark();
  if (last?.mark === mark && atMs - last.atMs < IN_ANY_CASE_MS) return 0;
  const { freed, isAll } = await freeAwaiting(ctx, artifacts);
  // What was seen before the look may have changed during it; then the next sweep looks again.
  if (isAll) looks.set(artifacts, { mark, atMs });
  return freed;
}

export async function freeAwaiting(
  ctx: Context,
  artifacts: ArtifactFolder,
): Promise<{ readonly freed: number; readonly isAll: boolean }> {
  const present = new Map<ArtifactId, boolean>();
  let freed = 0;
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await ctx.store.find({
      by: 'filter',
      states: ['blocked'],
      max: PAGE,
      ...(after === null ? {} : { after }),
    });
    for (const handoff of found.items) {
      if (!isAwaiting(handoff) || !(await areThere(ctx, artifacts, handoff.terms.artifacts ?? [], present))) continue;
      if ((await change(ctx, handoff, decideThere)).ok) freed += 1;
    }
    after = found.next;
    if (after === null) break;
  }
  return { freed, isAll: after === null };
}

async function areThere(
  ctx: Context,
  folder: ArtifactFolder,
  ids: readonly ArtifactId[],
  present: Map<ArtifactId, boolean>,
): Promise<boolean> {
  for (const id of ids) {
    const isThere = present.get(id) ?? (await isServed(ctx, folder, id));
    present.set(id, isThere);
    if (!isThere) return false;
  }
  return true;
}

/** Whoever only knows files registers an artifact by putting it where it belongs: `artifacts/FOLDER/ID.json`. */
async function isServed(ctx: Context, folder: ArtifactFolder, id: ArtifactId): Promise<boolean> {
  if ((await lacking(folder, [id])).length === 0) return true;
  const path = (await loadCard(folder, id)) === null ? await folder.locate(id) : null;
  if (path === null) return false;
  // Nearly no command gets here, and reading artifacts takes a package that none of the others needs.
  const { register } = await import('./register.ts');
  const registered = await register(ctx, folder, { path });
  return registered.ok && registered.value.id === id;
}

function isAwaiting({ blockedOn }: Handoff): boolean {
  return blockedOn?.reason === 'artifact';
}

const unblocked = decideBy(SYSTEM, 'unblock', (handoff, nowMs) => ({
  deed: 'unblock',
  moved: unblock(handoff, nowMs),
  detail: { reason: 'its artifacts are there' },
}));

const decideThere: Decide = (handoff, nowMs) =>
  isAwaiting(handoff) ? unblocked(handoff, nowMs) : err({ code: 'not-overdue', id: handoff.id });
