/** Pauses: agents that get no new work for a while. */
import { ok } from '../foundation/result.ts';
import { pauseAgent, pausesFor, resumeAgent } from '../engine/pauses.ts';
import { agent, integer, longText, required, withDefault } from './field.ts';
import { defineOperation } from './operation.ts';

const AGENT = required(agent('The agent'));
const LISTED_MAX = 1_000;

export const pause = defineOperation({
  name: 'pause',
  summary: 'Pause an agent: it gets no new work until it is resumed',
  about:
    'Claims and workers of the agent wait, on every machine; work that it holds continues. A program that takes files from the queue folder on its own is not paused.',
  example: "pause @react --reason 'The API key is used up' --as operator",
  permission: 'operator',
  subject: 'agent',
  route: { method: 'post', path: '/api/agents/{agent}/pause' },
  input: { agent: AGENT, reason: longText('Why') },
  result: 'pause',
  run: (ctx, principal, asked) => pauseAgent(ctx, principal, asked),
});

export const resume = defineOperation({
  name: 'resume',
  summary: 'Resume a paused agent',
  example: 'resume @react --as operator',
  permission: 'operator',
  subject: 'agent',
  route: { method: 'post', path: '/api/agents/{agent}/resume' },
  input: { agent: AGENT },
  result: 'pause',
  run: (ctx, principal, { agent: name }) => resumeAgent(ctx, principal, name),
});

export const pauses = defineOperation({
  name: 'pauses',
  summary: 'List current and past pauses, with their author and reason',
  about: 'Current pauses come first, then the newest. Agents see only their own.',
  example: 'pauses',
  permission: 'read',
  route: { method: 'get', path: '/api/pauses' },
  input: { limit: withDefault(integer(1, LISTED_MAX, 'How many'), 100) },
  result: 'pauses',
  run: async (ctx, principal, { limit }) => ok(await pausesFor(ctx, principal, limit)),
});
