/**
 * Artifacts as the registry knows them, one card for each. The content lies in the artifact's file, and no decision
 * reads it.
 */
import type { NamedFile } from './evidence.ts';
import type { AgentId, ArtifactId, HandoffId } from './names.ts';

/** A deprecated artifact can still be used, so that its users have time to replace it. An archived one cannot. */
const ARTIFACT_LIFE = {
  created: { activate: 'active', deprecate: 'deprecated' },
  active: { deprecate: 'deprecated' },
  deprecated: { archive: 'archived' },
  archived: { remove: 'deleted' },
  deleted: {},
} as const satisfies Record<string, Record<string, string>>;

export type ArtifactStatus = keyof typeof ARTIFACT_LIFE;
export const ARTIFACT_STATUSES = Object.keys(ARTIFACT_LIFE) as readonly ArtifactStatus[];
export type ArtifactMove = 'activate' | 'deprecate' | 'archive' | 'remove';

export interface ArtifactCard {
  readonly id: ArtifactId;
  readonly type: string;
  readonly version: string;
  readonly status: ArtifactStatus;
  /** When the present status was entered. */
  readonly since: number;
  readonly createdAt: number;
  readonly phase: number | null;
  readonly agent: AgentId | null;
  readonly handoff: HandoffId | null;
  /** Within the workspace, below `artifacts/`. */
  readonly path: string;
  /** Digest of the file when it was registered. */
  readonly sha256: string;
  readonly required: readonly ArtifactId[];
  readonly optional: readonly ArtifactId[];
  /** Generated files that lie elsewhere in the workspace. */
  readonly files: readonly NamedFile[];
  /** Why the artifact is not active yet; null: no problem is known. */
  readonly flaw: string | null;
}

/** Null: the status does not allow this move. */
export function applyMove(card: ArtifactCard, move: ArtifactMove, nowMs: number): ArtifactCard | null {
  const row: Partial<Record<ArtifactMove, ArtifactStatus>> = ARTIFACT_LIFE[card.status];
  const status = row[move];
  return status === undefined ? null : { ...card, status, since: nowMs, flaw: null };
}

/** Whether other artifacts and handoffs may depend on it. */
export function isUsable({ status }: ArtifactCard): boolean {
  return status === 'active' || status === 'deprecated';
}

export interface Ages {
  readonly deprecatedMs: number;
  readonly archivedMs: number;
}

export const AGE_DAYS = { deprecated: 30, archived: 90 } as const;

/** The move that its age makes due; null: none. Age alone never ends an active artifact: an agent deprecates it first. */
export function dueMove(card: ArtifactCard, ages: Ages, nowMs: number): 'archive' | 'remove' | null {
  const ageMs = nowMs - card.since;
  if (card.status === 'deprecated' && ageMs >= ages.deprecatedMs) return 'archive';
  return card.status === 'archived' && ageMs >= ages.archivedMs ? 'remove' : null;
}

/** All artifacts that an artifact in use requires, directly or indirectly. */
export function requiredArtifacts(cards: readonly ArtifactCard[]): ReadonlySet<ArtifactId> {
  const known = new Map(cards.map((card) => [card.id, card]));
  const needed = new Set<ArtifactId>();
  const open = cards.filter((card) => card.status === 'created' || isUsable(card));
  for (let card = open.pop(); card !== undefined; card = open.pop()) {
    for (const id of card.required) {
      const behind = needed.has(id) ? undefined : known.get(id);
      needed.add(id);
      if (behind !== undefined) open.push(behind);
    }
  }
  return needed;
}
