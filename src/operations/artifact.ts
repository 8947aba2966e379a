/** The registry of artifacts. What these need of the engine is loaded when one of them runs. */
import { err, ok, type Result } from '../foundation/result.ts';
import { AGE_DAYS, ARTIFACT_STATUSES } from '../domain/artifacts.ts';
import { DAY_MS } from '../domain/duration.ts';
import type { Context } from '../engine/context.ts';
import type { ArtifactFolder } from '../folders/folder.ts';
import { agent, artifactId, choice, flag, integer, list, number, required, text } from './field.ts';
import { defineOperation, type OperationRefusal } from './operation.ts';

const DAYS_MAX = 36_500;
const PATH_MAX = 1_000;

const VISIBLE =
  'You see artifacts of handoffs that you may read, artifacts that were handed to you by name, and artifacts that belong to no handoff.';

export const findArtifacts = defineOperation({
  name: 'artifact find',
  summary: 'List artifacts by type, phase, agent or status',
  about: VISIBLE,
  example: 'artifact find --type react-components --phase 13',
  permission: 'read',
  route: { method: 'get', path: '/api/artifacts' },
  input: {
    type: text('Only of this type'),
    phase: number(0, 1_000, 'Only of this phase'),
    agent: agent('Only made by this agent'),
    status: choice(ARTIFACT_STATUSES, 'Only of this status (default: not archived, not deleted)'),
  },
  result: 'artifacts',
  run: (ctx, principal, filter) =>
    withArtifactFolder(ctx, async (folder) => {
      const { findArtifacts: find } = await import('../engine/artifacts/read.ts');
      return ok(await find(ctx, principal, folder, filter));
    }),
});

export const showArtifact = defineOperation({
  name: 'artifact show',
  summary: 'Show an artifact: its file, its dependencies, its dependents, and changes since its registration',
  about: VISIBLE,
  example: 'artifact show artifact-profile --json',
  permission: 'read',
  subject: 'id',
  route: { method: 'get', path: '/api/artifacts/{id}' },
  input: { id: required(artifactId('The artifact')) },
  result: 'artifact',
  run: (ctx, principal, { id }) =>
    withArtifactFolder(ctx, async (folder) => {
      const { showArtifact: show } = await import('../engine/artifacts/read.ts');
      const found = await show(ctx, principal, folder, id);
      return found === null ? err({ code: 'no-such-artifact', id }) : ok(found);
    }),
});

export const registerArtifact = defineOperation({
  name: 'artifact register',
  summary: 'Register a file below artifacts/',
  about:
    'Checks, in this order: the schema, the required artifacts, the generated files, the validation. An artifact\n' +
    'that passes is active. Any other stays `created`, with the reason; correct it and register it again.',
  example: 'artifact register artifacts/phase-13-react/artifact-profile.json',
  permission: 'operator',
  subject: 'path',
  route: { method: 'post', path: '/api/artifacts' },
  input: {
    path: required(text('A file below artifacts/ of the workspace', { max: PATH_MAX })),
    schema: text('The schema to check the content against, instead of the one that the file names'),
    supersedes: list(artifactId('An artifact'), 'Deprecate these artifacts when the new one is active'),
  },
  result: 'registered',
  run: (ctx, _principal, request) =>
    withArtifactFolder(ctx, async (folder) => {
      const { register } = await import('../engine/artifacts/register.ts');
      const { refreshRegistry } = await import('../engine/artifacts/registry.ts');
      const { unblockAwaiting: freeAwaiting } = await import('../engine/artifacts/awaited-artifacts.ts');
      const registered = await register(ctx, folder, request);
      await refreshRegistry(folder);
      if (registered.ok) await freeAwaiting(ctx, folder);
      return registered;
    }),
});

export const cleanArtifacts = defineOperation({
  name: 'artifact clean',
  summary: 'Show artifacts that are old enough to archive or delete; with apply, do it',
  about:
    'Only superseded and deprecated artifacts are archived, and only archived ones are deleted. A dependency of an artifact\n' +
    'in use is never deleted, and neither is a file that has changed since its registration.',
  example: 'artifact clean --apply',
  permission: 'operator',
  route: { method: 'post', path: '/api/artifacts/clean' },
  input: {
    apply: flag('Make the changes; without it, nothing is changed'),
    deprecate: list(artifactId('An artifact'), 'Mark these as no longer to be used; needs apply'),
    deprecatedDays: integer(
      0,
      DAYS_MAX,
      `Archive artifacts that have been deprecated for this long (default: ${AGE_DAYS.deprecated})`,
    ),
    archivedDays: integer(
      0,
      DAYS_MAX,
      `Delete artifacts that have been archived for this long (default: ${AGE_DAYS.archived})`,
    ),
  },
  result: 'cleaned',
  check: ({ apply, deprecate = [] }, nameOf) =>
    deprecate.length > 0 && apply !== true
      ? `${nameOf('deprecate')} changes something: it needs ${nameOf('apply')}`
      : null,
  run: (ctx, _principal, { apply = false, deprecate: deprecated = [], ...days }) =>
    withArtifactFolder(ctx, async (folder) => {
      const { deprecatedDays = AGE_DAYS.deprecated, archivedDays = AGE_DAYS.archived } = days;
      const { deprecate } = await import('../engine/artifacts/cards.ts');
      const { cleanArtifacts: clean } = await import('../engine/artifacts/clean.ts');
      const nowMs = ctx.store.nowMs();
      for (const id of deprecated) {
        const done = await deprecate(folder, id, nowMs);
        if (!done.ok) return done;
      }
      const ages = { deprecatedMs: deprecatedDays * DAY_MS, archivedMs: archivedDays * DAY_MS };
      return ok({ applied: apply, deprecated, changes: await clean(folder, ages, nowMs, { apply }) });
    }),
});

/** Runs with the artifact folder of the workspace; refuses without a workspace. */
async function withArtifactFolder<Answer>(
  ctx: Context,
  run: (folder: ArtifactFolder) => Promise<Result<Answer, OperationRefusal>>,
): Promise<Result<Answer, OperationRefusal>> {
  const folder = artifactFolderOf(ctx);
  return folder.ok ? run(folder.value) : folder;
}

export function artifactFolderOf({ rules }: Context): Result<ArtifactFolder, OperationRefusal> {
  if (rules.artifacts !== null) return ok(rules.artifacts);
  const says = 'artifacts need a workspace, and there is none here; make one with: baton init';
  return err({ code: 'no-workspace', says });
}
