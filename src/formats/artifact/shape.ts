/** The shapes of an artifact's file, of the registry and of the phase status; what is published is made from these. */
import * as z from 'zod';
import { ARTIFACT_STATUSES } from '../../domain/artifacts.ts';
import { AGENT_NAME_RULE, HANDOFF_ID_RULE, readAgentId, readArtifactId } from '../../domain/names.ts';
import { publishedSchema } from '../published-schema.ts';
import { PHASE_WORDS } from './phase-status.ts';

const LINKS_MAX = 100;
const FILES_MAX = 1_000;

const Id = z
  .string()
  .max(128)
  .refine((text) => readArtifactId(text) !== null, HANDOFF_ID_RULE);
const AgentName = z
  .string()
  .min(1)
  .max(66)
  .refine((text) => readAgentId(text) !== null, AGENT_NAME_RULE);
const Phase = z.number().min(0).max(1_000);
const Name = z.string().min(1).max(200);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a sha256 in 64 hexadecimal digits');
const Instant = z.string().max(40);
const Path = z.string().min(1).max(1_000);

const Links = z.looseObject({
  required: z.array(Id).max(LINKS_MAX).nullish(),
  optional: z.array(Id).max(LINKS_MAX).nullish(),
});

/** Unknown fields are allowed. */
export const ArtifactShape = z.looseObject({
  artifact_id: Id,
  artifact_type: Name,
  artifact_version: z.string().min(1).max(100).nullish(),
  schema_version: z.string().min(1).max(100).nullish(),
  metadata: z
    .looseObject({
      phase: Phase.nullish(),
      agent_id: AgentName.nullish(),
      handoff_id: z.string().max(128).nullish(),
      created_at: Instant.nullish(),
      schema: Name.nullish().describe('The name of the schema that the content follows.'),
      supersedes: z.array(Id).max(LINKS_MAX).nullish(),
    })
    .nullish(),
  dependencies: Links.nullish(),
  content: z.json(),
  validation: z.looseObject({ status: z.string().max(100).nullish() }).nullish(),
  quality_metrics: z.record(z.string(), z.json()).nullish(),
  recommendations: z.array(z.json()).nullish(),
});

/** Generated files are named in the content. A file with inline text need not exist. */
export const GeneratedShape = z.looseObject({
  files: z.array(z.union([Path, z.looseObject({ path: Path })])).max(FILES_MAX),
});

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
