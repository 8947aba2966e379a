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
  'You see what came out of handoffs that you may read, what was handed on to you by name, and files that belong to no handoff.';

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
    withFolder(ctx, async (folder) => {
      const { findArtifacts: find } = await import('../engine/artifacts/read.ts');
      return ok(await find(ctx, principal, folder, filter));
    }),
});

export const showArtifact = defineOperation({
  name: 'artifact show',
  summary: 'One artifact: its file, what it requires, what requires it, and what has changed since it was registered',
  about: VISIBLE,
  example: 'artifact show artifact-profile --json',
  permission: 'read',
  subject: 'id',
  route: { method: 'get', path: '/api/artifacts/{id}' },
  input: { id: required(artifactId('The artifact')) },
  result: 'artifact',
  run: (ctx, principal, { id }) =>
    withFolder(ctx, async (folder) => {
      const { showArtifact: show } = await import('../engine/artifacts/read.ts');
      const found = await show(ctx, principal, folder, id);
      return found === null ? err({ code: 'no-such-artifact', id }) : ok(found);
    }),
});

export const registerArtifact = defineOperation({
  name: 'artifact register',
  summary: 'Bring a file below artifacts/ into the registry',
  about:
    'Active is what passes, in this order: its schema, what it requires, its generated files, its validation.\n' +
    'What does not is kept as created, with the reason; register it again when that is mended.',
  example: 'artifact register artifacts/phase-13-react/artifact-profile.json',
  permission: 'operator',
  subject: 'path',
  route: { method: 'post', path: '/api/artifacts' },
  input: {
    path: required(text('A file below artifacts/ of the workspace', { max: PATH_MAX })),
    schema: text('The schema that the content follows, instead of the one that the file names'),
    supersedes: list(artifactId('An artifact'), 'Deprecate these when the new one is active'),
  },
  result: 'registered',
  run: (ctx, _principal, request) =>
    withFolder(ctx, async (folder) => {
      const { register } = await import('../engine/artifacts/register.ts');
      const { refreshRegistry } = await import('../engine/artifacts/registry.ts');
      const { freeAwaiting } = await import('../engine/artifacts/awaited-artifacts.ts');
      const registered = await register(ctx, folder, request);
      await refreshRegistry(folder);
      if (registered.ok) await freeAwaiting(ctx, folder);
      return registered;
    }),
});

export const cleanArtifacts = defineOperation({
  name: 'artifact clean',
  summary: 'Show what is old enough to go; with apply, let it go',
  about:
    'Age alone ends nothing that is in use: only what was superseded or deprecated grows old. What something in use\n' +
    'requires, and a file that has changed since it was registered, is never deleted.',
  example: 'artifact clean --apply',
  permission: 'operator',
  route: { method: 'post', path: '/api/artifacts/clean' },
  input: {
    apply: flag('Do it; without, nothing is changed'),
    deprecate: list(artifactId('An artifact'), 'Say that these should no longer be used; needs apply'),
    deprecatedDays: integer(
      0,
      DAYS_MAX,
      `Archive what has been deprecated for this long (default: ${AGE_DAYS.deprecated})`,
    ),
    archivedDays: integer(0, DAYS_MAX, `Delete what has been archived for this long (default: ${AGE_DAYS.archived})`),
  },
  result: 'cleaned',
  check: ({ apply, deprecate = [] }, nameOf) =>
    deprecate.length > 0 && apply !== true
      ? `${nameOf('deprecate')} changes something: it needs ${nameOf('apply')}`
      : null,
  run: (ctx, _principal, { apply = false, deprecate: deprecated = [], ...days }) =>
    withFolder(ctx, async (folder) => {
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

/** Runs where there is a workspace, in which artifacts lie. */
async function withFolder<Answer>(
  ctx: Context,
  run: (folder: ArtifactFolder) => Promise<Result<Answer, OperationRefusal>>,
): Promise<Result<Answer, OperationRefusal>> {
  const folder = folderOf(ctx);
  return folder.ok ? run(folder.value) : folder;
}

export function folderOf({ rules }: Context): Result<ArtifactFolder, OperationRefusal> {
  if (rules.artifacts !== null) return ok(rules.artifacts);
  const says = 'artifacts lie in a workspace, and there is none here; make one with: baton init';
  return err({ code: 'no-workspace', says });
}
