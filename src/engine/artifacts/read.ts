/** Searches and shows artifacts of the registry. */
import { hexDigestOf } from '../../foundation/digest.ts';
import type { Json } from '../../foundation/json.ts';
import { orNull } from '../../foundation/or-null.ts';
import type { ArtifactCard, ArtifactStatus } from '../../domain/artifacts.ts';
import type { AgentId, ArtifactId } from '../../domain/names.ts';
import { cardsIn } from '../../formats/artifact/card.ts';
import type { Principal } from '../../domain/principal.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';
import type { Context } from '../context.ts';
import { refreshRegistry } from './registry.ts';
import { loadCard } from './cards.ts';
import { visibleCards } from './visibility.ts';

export interface ArtifactFilter {
  readonly type?: string;
  readonly phase?: number;
  readonly agent?: AgentId;
  /** @default everything that is not archived or deleted */
  readonly status?: ArtifactStatus;
}

export async function findArtifacts(
  ctx: Context,
  principal: Principal,
  folder: ArtifactFolder,
  filter: ArtifactFilter,
): Promise<readonly ArtifactCard[]> {
  const cards = cardsIn(await refreshRegistry(folder));
  const wanted = cards.filter((card) => matches(card, filter));
  return (await visibleCards(ctx, principal, wanted)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function matches({ type, phase, agent, status }: ArtifactCard, filter: ArtifactFilter): boolean {
  if (filter.type !== undefined && filter.type !== type) return false;
  if (filter.phase !== undefined && filter.phase !== phase) return false;
  if (filter.agent !== undefined && filter.agent !== agent) return false;
  return filter.status === undefined ? status !== 'archived' && status !== 'deleted' : filter.status === status;
}

export interface WholeArtifact {
  readonly card: ArtifactCard;
  /** The parsed file; null: it cannot be read. */
  readonly file: Json;
  /** Files that have changed since the registration. */
  readonly changed: readonly Changed[];
  readonly dependents: readonly ArtifactId[];
}

interface Changed {
  readonly path: string;
  readonly says: string;
}

/** Null: the artifact does not exist, or the principal may not read it. */
export async function showArtifact(
  ctx: Context,
  principal: Principal,
  folder: ArtifactFolder,
  id: ArtifactId,
): Promise<WholeArtifact | null> {
  const found = await loadCard(folder, id);
  const [card] = found === null ? [] : await visibleCards(ctx, principal, [found]);
  if (card === undefined) return null;
  const { file, changed } = await contentOf(folder, card);
  const cards = cardsIn(await refreshRegistry(folder));
  const all = cards.filter(({ required, optional }) => [...required, ...optional].includes(id));
  const dependents = await visibleCards(ctx, principal, all);
  return {
    card,
    file,
    changed: [...changed, ...(await changedFiles(folder, card))],
    dependents: dependents.map((each) => each.id).toSorted(),
  };
}

async function contentOf(
  folder: ArtifactFolder,
  { path, sha256, status }: ArtifactCard,
): Promise<{ readonly file: Json; readonly changed: readonly Changed[] }> {
  const read = await folder.read(path);
  if (status === 'deleted') return { file: null, changed: [] };
  if (read.kind !== 'file') {
    return { file: null, changed: [{ path, says: read.kind === 'absent' ? 'it is gone' : read.says }] };
  }
  const changed = hexDigestOf(read.text) === sha256 ? [] : [{ path, says: 'its content is not what was registered' }];
  const file = orNull(() => JSON.parse(read.text.replace(/^\uFEFF/, '')) as Json);
  return { file, changed };
}

async function changedFiles(folder: ArtifactFolder, { files, status }: ArtifactCard): Promise<readonly Changed[]> {
  if (status === 'deleted') return [];
  const found: Changed[] = [];
  for (const { path, sha256 } of files) {
    const now = await folder.hash(path);
    if (!now.ok) found.push({ path, says: now.refusal });
    else if (now.value !== sha256) found.push({ path, says: 'its content is not what was registered' });
  }
  return found;
}
