/** The JSON Schemas of artifacts, of their registry and of the phase status, for other programs. */
import * as z from 'zod';
import { ARTIFACT_STATUSES } from '../../../src/domain/artifacts.ts';
import { PHASE_WORDS } from '../../../src/formats/artifact/phase-status.ts';
import { ArtifactShape } from '../../../src/formats/artifact/shape.ts';
import { publishedSchema } from '../../support/published-schema.ts';

const { artifact_id: Id, artifact_type: Name } = ArtifactShape.shape;
const Phase = z.number().min(0).max(1_000);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Instant = z.string().max(40);
const Path = z.string().min(1).max(1_000);

const EntryShape = z.strictObject({
  artifact_id: Id,
  artifact_type: Name,
  artifact_version: z.string().max(100),
  status: z.enum(ARTIFACT_STATUSES),
  status_since: Instant,
  created_at: Instant,
  phase: Phase.nullable(),
  agent_id: z.string().max(66).nullable(),
  handoff_id: z.string().max(128).nullable(),
  path: Path,
  sha256: Sha256,
  dependencies: z.strictObject({ required: z.array(Id), optional: z.array(Id) }),
  files: z.array(z.strictObject({ path: Path, sha256: Sha256 })),
  flaw: z.string().nullable().describe('Why it is not active.'),
});

const RegistryShape = z.strictObject({
  schema_version: z.literal('1.0'),
  digest: z.string().describe('Of the entries: whoever edits them by hand is found out, and the list is made anew.'),
  artifacts: z.array(EntryShape),
});

const Count = z.int().min(0);
const PhaseStatusShape = z.strictObject({
  schema_version: z.literal('1.0'),
  as_of: z.string().describe('Up to which fact of which database this was counted.'),
  digest: z.string(),
  phases: z.array(
    z.strictObject({
      phase: Phase.nullable(),
      agent_id: z.string().max(66),
      status: z.enum(PHASE_WORDS),
      handoffs: z.strictObject({ pending: Count, in_progress: Count, completed: Count, failed: Count }),
      last_handoff_id: z.string().max(128),
      last_status: z.enum(PHASE_WORDS),
      updated_at: Instant,
    }),
  ),
});

/** As they are published in `schemas/`. */
export function artifactSchemas(): Readonly<Record<string, object>> {
  return {
    'artifact.schema.json': publishedSchema(ArtifactShape, 'An artifact, with its content'),
    'artifact-registry.schema.json': publishedSchema(RegistryShape, 'artifacts/registry.json'),
    'phase-status.schema.json': publishedSchema(PhaseStatusShape, 'context/phase-status.json'),
  };
}
