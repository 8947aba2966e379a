/** What the users of the library write, read once: a name that is none is refused before anything is opened. */
import type { Terms } from '../domain/handoff.ts';
import {
  AGENT_NAME_RULE,
  HANDOFF_ID_RULE,
  readAgentId,
  readHandoffId,
  type AgentId,
  type HandoffId,
} from '../domain/names.ts';
import { INSTANT_MAX, WEEK_SECONDS } from '../domain/record-values.ts';
import { RETRIES_MAX, type RetryPolicy } from '../domain/retry.ts';
import type { SendRequest } from '../engine/verbs/send.ts';
import type { Query } from '../stores/store.ts';
import type { FindOptions, SendOptions } from './baton.ts';
import { BatonRefusal } from './baton-errors.ts';
import { DATABASE_RULE, readDatabaseAddress, type DatabaseAddress } from './database-address.ts';

const FIND_MAX = 1_000;
const MULTIPLIER_MAX = 100;

export function agentIn(text: string, what: string): AgentId {
  const agent = readAgentId(text);
  if (agent !== null) return agent;
  throw new BatonRefusal('bad-request', `${what} ${JSON.stringify(text)}: ${AGENT_NAME_RULE}`);
}

export function idIn(text: string): HandoffId {
  const id = readHandoffId(text);
  if (id !== null) return id;
  throw new BatonRefusal('bad-request', `id ${JSON.stringify(text)}: ${HANDOFF_ID_RULE}`);
}

export function addressIn(text: string): DatabaseAddress {
  const address = readDatabaseAddress(text);
  if (address !== null) return address;
  // Not repeated here: an address may hold a password.
  throw new BatonRefusal('bad-request', `database takes ${DATABASE_RULE}`);
}

export function requestIn(request: SendOptions, retryBase: RetryPolicy): SendRequest {
  const { input, schema, context, title, task, priority, kind, queue, requestId, parent, notBefore } = request;
  const terms = termsIn(request, retryBase);
  return {
    from: agentIn(request.from, 'from'),
    to: agentIn(request.to, 'to'),
    input,
    ...(schema === undefined ? {} : { schema }),
    ...(context === undefined ? {} : { context }),
    ...(title === undefined ? {} : { title }),
    ...(task === undefined ? {} : { task }),
    ...(priority === undefined ? {} : { priority }),
    ...(kind === undefined ? {} : { kind }),
    ...(queue === undefined ? {} : { queue }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(parent === undefined ? {} : { parent: idIn(parent) }),
    ...(notBefore === undefined ? {} : { notBefore: within(notBefore.getTime(), 'notBefore', 0, INSTANT_MAX) }),
    ...(terms === null ? {} : { terms }),
  };
}

/** Null where nothing special is agreed, which is what nearly every send does. */
function termsIn(
  { timeoutMs, dependsOn, deliverables, criteria, verifiers, retry }: SendOptions,
  retryBase: RetryPolicy,
): Partial<Terms> | null {
  const terms: Partial<Terms> = {
    ...(timeoutMs === undefined ? {} : { attemptTimeoutMs: timeoutIn(timeoutMs) }),
    ...(dependsOn === undefined ? {} : { dependsOn: dependsOn.map(idIn) }),
    ...(deliverables === undefined ? {} : { deliverables }),
    ...(criteria === undefined ? {} : { criteria }),
    ...(verifiers === undefined ? {} : { verifiers: verifiers.map((name) => agentIn(name, 'verifiers')) }),
    ...(retry === undefined
      ? {}
      : {
          retry: {
            ...retryBase,
            retriesMax: within(retry.max ?? retryBase.retriesMax, 'retry.max', 0, RETRIES_MAX),
            delayMs: within(retry.delayMs ?? retryBase.delayMs, 'retry.delayMs', 0, retryBase.capMs),
            multiplier: multiplierIn(retry.multiplier ?? retryBase.multiplier),
          },
        }),
  };
  return Object.keys(terms).length === 0 ? null : terms;
}

const WEEK_MS = WEEK_SECONDS * 1000;

export function timeoutIn(timeoutMs: number): number {
  return within(timeoutMs, 'timeoutMs', 1, WEEK_MS);
}

export function leaseIn(leaseMs: number | undefined): { readonly leaseMs?: number } {
  return leaseMs === undefined ? {} : { leaseMs: within(leaseMs, 'leaseMs', 1, WEEK_MS) };
}

/** Whole numbers only: a fraction of a millisecond can be neither stored nor measured. */
export function within(value: number, what: string, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new BatonRefusal('bad-request', `${what} ${String(value)}: a whole number from ${min} to ${max}`);
}

function multiplierIn(value: number): number {
  if (Number.isFinite(value) && value >= 1 && value <= MULTIPLIER_MAX) return value;
  throw new BatonRefusal('bad-request', `retry.multiplier ${String(value)}: a number from 1 to ${MULTIPLIER_MAX}`);
}

export function queryIn({
  agent,
  from,
  to,
  states,
  task,
  text,
  max = 50,
  after,
}: FindOptions): Extract<Query, { by: 'filter' }> {
  return {
    by: 'filter',
    max: within(max, 'max', 1, FIND_MAX),
    ...(agent === undefined ? {} : { agent: agentIn(agent, 'agent') }),
    ...(from === undefined ? {} : { from: agentIn(from, 'from') }),
    ...(to === undefined ? {} : { to: agentIn(to, 'to') }),
    ...(states === undefined ? {} : { states }),
    ...(task === undefined ? {} : { task }),
    ...(text === undefined ? {} : { text }),
    ...(after === undefined ? {} : { after }),
  };
}
