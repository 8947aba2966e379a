/** What `shadow:` in `baton.yaml` may say. */
import * as z from 'zod';
import { LIMIT_NAMES, PROJECT_TYPES } from '../domain/shadow.ts';
import { optionalFields } from './optional-fields.ts';

const DAY_SECONDS = 24 * 60 * 60;
const Command = z.string().min(1).max(4_000);
const Place = z.string().min(1).max(1_000);

export const ShadowShape = optionalFields({
  runtime: z.enum(['podman', 'docker']).describe('Which one; default: the first that is installed.'),
  image: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._/:@-]{0,254}$/, 'the name of an image, such as docker.io/library/node:22')
    .describe('An image of yours, used as it is. It needs sh, git and the tools of the project.'),
  containerfile: Place.describe(
    'Builds the image; relative to the workspace. FROM localhost/baton-shadow:base is the default one.',
  ),
  cache: Place.describe('A folder with prefetched packages: npm/ (a cache of npm), wheels/ (of Python).'),
  project_type: z.enum(PROJECT_TYPES).describe('Instead of what is detected.'),
  commands: optionalFields({
    install: Command,
    import: Command,
    cli: Command,
    test: Command,
  }).describe('Instead of what is detected; each runs in the folder of the source.'),
  require_limits: z
    .array(z.enum(LIMIT_NAMES))
    .max(LIMIT_NAMES.length)
    .describe('Limits without which no shadow is made.'),
  host_only: z.enum(['allow', 'refuse']).describe('Whether a source is judged without a shadow.'),
  memory_mb: z.int().min(128).max(1_048_576).describe('Default 2048.'),
  processes: z.int().min(32).max(65_536).describe('Default 512.'),
  command_seconds: z.number().min(1).max(DAY_SECONDS).describe('For one command; default 300.'),
  test_seconds: z.number().min(1).max(DAY_SECONDS).describe('For a whole test; default 900.'),
  life_seconds: z.number().min(60).max(DAY_SECONDS).describe('A shadow ends by itself; default 3600.'),
}).describe('Shadow environments: where work is tried before it is passed on.');

export type ShadowText = z.infer<typeof ShadowShape>;
