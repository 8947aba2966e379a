/** What workers made, as the registry knows it. */
import * as z from 'zod';
import { ARTIFACT_STATUSES } from '../../../domain/artifacts.ts';
import { HANDOFF_ID_RULE, readArtifactId } from '../../../domain/names.ts';
import { entryOf } from '../../../dialects/artifact/card.ts';
import { freeAwaiting } from '../../../engine/artifacts/awaited.ts';
import { findArtifacts, showArtifact } from '../../../engine/artifacts/look.ts';
import { register } from '../../../engine/artifacts/register.ts';
import { refreshRegistry } from '../../../engine/artifacts/registry.ts';
import type { ArtifactFolder } from '../../../folders/folder.ts';
import { AgentName } from '../../shared/requests.ts';
import { mustBeOperator } from '../caller.ts';
import { endpoint, json, type Endpoint } from '../contract.ts';
import type { Premises } from '../premises.ts';
import { httpProblem, problemOf } from '../problem.ts';
import { said } from './handoffs.ts';

const Filter = z.strictObject({
  type: z.string().min(1).max(200).optional(),
  phase: z
    .string()
    .regex(/^[0-9]{1,4}(\.[0-9]{1,3})?$/)
    .transform(Number)
    .optional(),
  agent: AgentName.optional(),
  status: z.enum(ARTIFACT_STATUSES).optional(),
});

const NewArtifact = z.strictObject({
  path: z.string().min(1).max(1_000).describe('A file below artifacts/ of the workspace.'),
  schema: z.string().min(1).max(128).optional().describe('The name of a file in schemas/ that its content follows.'),
});

const ABOUT_VISIBLE =
  'You see what came out of handoffs that you may read, what was handed on to you by name, and files that belong to no handoff.';

export const ARTIFACTS: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/artifacts',
    scope: 'read',
    summary: 'Find artifacts by type, phase, agent or status',
    query: Filter,
    answers: { 200: '{ items }' },
    about: ABOUT_VISIBLE,
    answer: async ({ premises, caller, query }) => {
      const cards = await findArtifacts(premises.around, caller.principal, folderOf(premises), said(query));
      return json({ items: cards.map(entryOf) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/artifacts/{id}',
    scope: 'read',
    summary: 'One artifact with its content, what requires it, and what has changed since it was registered',
    answers: { 200: 'The artifact.' },
    about: ABOUT_VISIBLE,
    answer: async ({ premises, caller, c }) => {
      const id = readArtifactId(c.req.param('id') ?? '');
      if (id === null) throw httpProblem('bad-request', `id: ${HANDOFF_ID_RULE}`);
      const found = await showArtifact(premises.around, caller.principal, folderOf(premises), id);
      if (found === null) throw problemOf({ code: 'no-such-artifact', id });
      const { card, file, changed, dependents } = found;
      return json({ ...entryOf(card), changed, dependents, artifact: file });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/artifacts',
    scope: 'write',
    summary: 'Register a file of the workspace as an artifact, for the operator',
    body: NewArtifact,
    answers: { 201: 'What the registry knows of it.' },
    answer: async ({ premises, caller, body }) => {
      mustBeOperator(caller);
      const folder = folderOf(premises);
      const entered = await register(premises.around, folder, { path: body.path, ...said({ schema: body.schema }) });
      if (!entered.ok) throw problemOf(entered.refusal);
      await refreshRegistry(folder);
      await freeAwaiting(premises.around, folder);
      return json(entryOf(entered.value), 201);
    },
  }),
];

function folderOf({ around }: Premises): ArtifactFolder {
  const { artifacts } = around.rules;
  if (artifacts !== null) return artifacts;
  throw httpProblem('no-workspace', 'artifacts are files of a workspace, and this server has only a database');
}
