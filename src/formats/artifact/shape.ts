/** The shape of an artifact's file; the published JSON Schema is made from this. */
import * as z from 'zod';
import { AGENT_NAME_RULE, HANDOFF_ID_RULE, readAgentId, readArtifactId } from '../../domain/names.ts';

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
