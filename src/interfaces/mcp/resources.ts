/** MCP resources: a handoff, an artifact, an inbox, the projects. */
import { printExact } from '../../foundation/exact-json.ts';
import {
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { assuranceOf } from '../../domain/assurance.ts';
import { readArtifactId, readHandoffId } from '../../domain/names.ts';
import { readScopeOf } from '../../domain/rights.ts';
import { list, show } from '../../engine/handoffs/read.ts';
import { wholeIdOf } from '../../engine/handoffs/short-id.ts';
import { projects } from '../../engine/handoffs/projects.ts';
import { showArtifact } from '../../engine/artifacts/read.ts';
import { UNTRUSTED_NOTE, factsView, fullView, shortView } from './answers.ts';
import type { McpCaller } from './mcp-caller.ts';

type Asking = Omit<McpCaller, 'signal'>;
const LISTED_MAX = 20;

export function addResources(server: McpServer, asking: Asking): void {
  const { ctx, principal } = asking;
  server.registerResource(
    'handoff',
    new ResourceTemplate('baton://handoff/{id}', {
      list: async () => {
        const { items } = await list(ctx, principal, { by: 'filter', max: LISTED_MAX });
        return {
          resources: items.map(({ id, title, state, assurance }) => ({
            uri: `baton://handoff/${id}`,
            name: title ?? id,
            description: [state, assuranceOf({ state, assurance })].filter((word) => word !== null).join(', '),
            mimeType: 'application/json',
          })),
        };
      },
    }),
    { description: 'One handoff: what is wanted, its result, and what happened', mimeType: 'application/json' },
    async (uri, { id }) => {
      const known = readHandoffId(String(id));
      const meant = known === null ? null : await wholeIdOf(ctx, principal, known);
      const found = meant?.ok === true ? await show(ctx, principal, meant.value) : null;
      if (found?.ok !== true) throw new ResourceNotFoundError(uri.href, 'there is no such handoff, or it is not yours');
      const { facts, ...whole } = found.value;
      return asJson(uri, { note: UNTRUSTED_NOTE, handoff: fullView(whole), facts: factsView(facts) });
    },
  );
  server.registerResource(
    'artifact',
    new ResourceTemplate('baton://artifact/{id}', { list: undefined }),
    { description: 'An artifact that an agent registered', mimeType: 'application/json' },
    async (uri, { id }) => asJson(uri, await artifact(asking, String(id), uri)),
  );
  server.registerResource(
    'inbox',
    'baton://inbox',
    { description: 'What is offered to you', mimeType: 'application/json' },
    async (uri) => {
      const { agent } = asking;
      if (agent === null) throw new ResourceNotFoundError(uri.href, 'an operator has no inbox');
      const { items } = await list(ctx, principal, {
        by: 'filter',
        to: agent,
        states: ['offered'],
        max: LISTED_MAX,
      });
      return asJson(uri, { note: UNTRUSTED_NOTE, offered: items.map(shortView) });
    },
  );
  server.registerResource(
    'workflow',
    'baton://workflow',
    { description: 'Projects with their phases and legs', mimeType: 'application/json' },
    async (uri) => {
      // A project contains legs of all agents, so only callers who may read everything see it.
      if (readScopeOf(principal) !== 'everything') {
        throw new ResourceNotFoundError(uri.href, 'projects are shown to operators and verifiers');
      }
      return asJson(uri, { note: UNTRUSTED_NOTE, projects: await projects(ctx, null) });
    },
  );
}

async function artifact({ ctx, principal }: Asking, text: string, uri: URL): Promise<unknown> {
  const { artifacts } = ctx.rules;
  const id = readArtifactId(text);
  const found = artifacts === null || id === null ? null : await showArtifact(ctx, principal, artifacts, id);
  if (found === null) throw new ResourceNotFoundError(uri.href, 'there is no such artifact, or it is not yours');
  return { note: UNTRUSTED_NOTE, artifact: found };
}

function asJson(uri: URL, value: unknown): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: 'application/json', text: printExact(value, 1) ?? '' }] };
}
