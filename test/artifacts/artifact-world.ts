/** A queue world with artifacts: files written by hand, and what the registry makes of them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { present } from '../../src/foundation/assert.ts';
import type { JsonObject } from '../../src/foundation/json.ts';
import type { ArtifactId } from '../../src/domain/names.ts';
import type { ArtifactCard } from '../../src/domain/artifacts.ts';
import { loadCard } from '../../src/engine/artifacts/cards.ts';
import { register, type RegisterRequest } from '../../src/engine/artifacts/register.ts';
import type { ArtifactFolder } from '../../src/folders/folder.ts';
import { queueWorld, type QueueWorld } from '../folders/queue-world.ts';

export interface ArtifactWorld extends QueueWorld {
  readonly artifacts: ArtifactFolder;
  /** Puts a file anywhere in the workspace. */
  readonly file: (path: string, content: string | object) => void;
  readonly textOf: (path: string) => string;
  /** Registers it: its card, or the code of the refusal. */
  readonly register: (path: string, more?: Omit<RegisterRequest, 'path'>) => Promise<ArtifactCard | string>;
  readonly card: (id: string) => Promise<ArtifactCard | null>;
  /** Writes an artifact and registers it. */
  readonly make: (id: string, parts?: object) => Promise<ArtifactCard | string>;
}

export async function artifactWorld(...where: Parameters<typeof queueWorld>): Promise<ArtifactWorld> {
  const world = await queueWorld(...where);
  const artifacts = present(world.ctx.rules.artifacts, 'there are artifacts');
  const file = (path: string, content: string | object): void => {
    mkdirSync(dirname(join(world.folder, path)), { recursive: true });
    writeFileSync(join(world.folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  const enter: ArtifactWorld['register'] = async (path, more = {}) => {
    const entered = await register(world.ctx, artifacts, { path, ...more });
    return entered.ok ? entered.value : entered.refusal.code;
  };
  return {
    ...world,
    artifacts,
    file,
    textOf: (path) => readFileSync(join(world.folder, path), 'utf8'),
    register: enter,
    card: (id) => loadCard(artifacts, id as ArtifactId),
    make: async (id, parts = {}) => {
      file(placeOf(id), anArtifact(id, parts));
      return enter(placeOf(id));
    },
  };
}

export function placeOf(id: string): string {
  return `artifacts/phase-13-react/${id}.json`;
}

export function anArtifact(id: string, parts: object = {}): JsonObject {
  return {
    artifact_id: id,
    artifact_type: 'react-components',
    artifact_version: '1.0.0',
    schema_version: '1.0',
    metadata: { phase: 13, agent_id: '@react-specialist' },
    dependencies: { required: [], optional: [] },
    content: { of: id },
    validation: { status: 'passed' },
    quality_metrics: {},
    recommendations: [],
    ...parts,
  };
}

export function requiring(...required: readonly string[]): object {
  return { dependencies: { required, optional: [] } };
}
