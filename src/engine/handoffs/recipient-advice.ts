/** What a sender should know about its recipient; for senders who are people or agents, and can still correct a name. */
import { nearestName } from '../../foundation/nearest-name.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Context } from '../context.ts';

/** So many of the newest handoffs tell who takes part here. */
const LOOKED_AT_MAX = 500;

interface Advice {
  readonly says: string;
  /** The recipient is not known, and another name is so near that it was probably meant. */
  readonly isSlip: boolean;
}

/** Null: somebody works as this agent now. `configured`: agents that the workspace names. */
export async function adviceAbout(
  { store }: Context,
  to: AgentId,
  configured: readonly AgentId[],
): Promise<Advice | null> {
  const sessions = (await store.sessions.list()).filter(
    ({ ended, silentForMs, leaseMs }) => !ended && silentForMs < leaseMs,
  );
  if (sessions.some(({ agent }) => agent === to)) return null;
  const { items } = await store.find({ by: 'filter', max: LOOKED_AT_MAX });
  // Agents that have worked or sent are known; a mere recipient may be a misspelt name.
  const active = items.flatMap(({ from, to: doer, attempt }) => (attempt > 0 ? [from, doer] : [from]));
  const known = new Set([...configured, ...sessions.map(({ agent }) => agent), ...active]);
  const start = `start a worker with: baton work @${to} -- COMMAND`;
  if (known.has(to)) return { says: `nobody works as @${to} now; ${start}`, isSlip: false };
  const nearest = nearestName([...known], to);
  const unknown = `nobody works as @${to}, and no agent of that name is known here`;
  if (nearest === null) return { says: `${unknown}; ${start}`, isSlip: false };
  return { says: `${unknown}; did you mean @${nearest}?`, isSlip: true };
}
