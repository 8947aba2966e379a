/** A migration from end to end: look, plan, and where it is wanted, do. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { skimDocument, writeIndex, type Skimmed } from '../../dialects/document/index-text.ts';
import { NO_LIMITS, type Limits } from '../../domain/limits.ts';
import type { AgentId } from '../../domain/names.ts';
import { openCounts, planMigration, type Step } from '../../engine/migration/plan.ts';
import { openDocumentFolder } from '../../folders/document-folder.ts';
import type { Workspace } from '../workspace.ts';
import { applyPlan, type Applied } from './apply.ts';
import { findFiles } from './find-files.ts';
import { scan, type Scanned } from './scan.ts';

export interface MigrationOptions {
  readonly workspace: Workspace;
  /** Only files below this folder, as a path from the workspace; empty: all. */
  readonly below: string;
  readonly nowMs: number;
  readonly offeredMs: number | null;
  readonly from: AgentId | null;
  readonly to: AgentId | null;
  readonly newest: boolean;
  readonly limits?: Limits | undefined;
  readonly progress?: (what: 'scanned' | 'done', count: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface Planned {
  readonly steps: readonly Step[];
  readonly scanned: Scanned;
  readonly overLimit: readonly string[];
}

/** What the specification gives an open document to be acknowledged. */
const OFFERED_MS = 4 * 60 * 60 * 1000;
/** For the list of what was completed last. */
const SAMPLE_MAX = 500;

export async function planWorkspace(options: MigrationOptions): Promise<Planned> {
  const { workspace, below, nowMs, from, to, newest, progress, signal } = options;
  const found = await findFiles(workspace.folder);
  const scanned = await scan({
    root: workspace.folder,
    found,
    progress: (count) => progress?.('scanned', count),
    signal,
  });
  const candidates = scanned.candidates.filter(({ path }) => below === '' || path.startsWith(`${below}/`));
  const offeredMs = options.offeredMs ?? OFFERED_MS;
  const steps = planMigration({ ...scanned, candidates }, { nowMs, offeredMs, from, to, newest });
  return { steps, scanned, overLimit: overLimit(steps, scanned, options.limits ?? NO_LIMITS) };
}

export async function applyToWorkspace(steps: readonly Step[], options: MigrationOptions): Promise<Applied> {
  const { workspace, nowMs, progress, signal } = options;
  const drafts = join(workspace.privateFolder, 'drafts');
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  const applied = await applyPlan(steps, {
    root: workspace.folder,
    drafts,
    nowMs,
    progress: (count) => progress?.('done', count),
    signal,
  });
  if (applied.migrated + applied.cleared > 0) await renewIndex(workspace);
  return applied;
}

/** The same text as the documents' own keeper writes, made from what lies in the folders now. */
async function renewIndex({ folder: root, privateFolder }: Workspace): Promise<void> {
  const folder = openDocumentFolder({ folder: root, privateFolder });
  await folder.prepare();
  // What was completed before is remembered there; what has come over was completed as well.
  await folder.notes.save('completed', null);
  const active: Skimmed[] = [];
  for (const { id } of await folder.list()) {
    const file = id === null ? null : await folder.read('active', id);
    const skimmed = file?.kind === 'file' ? skimDocument(file.text) : null;
    if (skimmed !== null) active.push(skimmed);
  }
  const settled = (await folder.archived(SAMPLE_MAX)).map(skimDocument);
  const completed = settled.flatMap((each) =>
    each?.status === 'Complete' && each.completedAt !== null ? [{ id: each.id, completedAt: each.completedAt }] : [],
  );
  const text = writeIndex(active, completed);
  if (text !== (await folder.index.load())) await folder.index.save(text);
}

function overLimit(steps: readonly Step[], { documents }: Scanned, limits: Limits): readonly string[] {
  return [...openCounts(steps, documents)].flatMap(([agent, counts]) => {
    const own = limits.agents.get(agent as AgentId);
    return (['outgoing', 'incoming'] as const).flatMap((direction) => {
      const max = own?.[`${direction}Max`] ?? limits.everyone[`${direction}Max`];
      const count = counts[direction];
      return max === null || count <= max
        ? []
        : [`@${agent} will have ${count} ${direction} open, at most ${max} are allowed`];
    });
  });
}
