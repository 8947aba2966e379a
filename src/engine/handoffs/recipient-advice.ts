/** Advice about the recipient of a send, for people and agents, who can still correct a name. */
import { nearestName } from '../../foundation/nearest-name.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Store } from '../../stores/store.ts';
import type { Context } from '../context.ts';

/** The newest handoffs that are read to find the active agents. Reading 500 took 8 ms, a sixth of `baton send`. */
const LOOKED_AT_MAX = 100;
/** The newest handoffs to one agent that are read to find out whether it has worked on any. */
const ITS_OWN_MAX = 20;

interface Advice {
  readonly says: string;
  /** The recipient is unknown, and similar to a known name that was probably meant. */
  readonly isSlip: boolean;
}

/** Null: a worker of the agent runs. `configured`: the agents that the workspace names. */
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
  const nearest = known.has(to) ? null : nearestName([...known], to);
  if (known.has(to) || (nearest !== null && (await hasActed(store, to)))) {
    return { says: `no worker runs for @${to} now; ${start}`, isSlip: false };
  }
  const unknown = `no worker runs for @${to}, and no agent of that name is known here`;
  if (nearest === null) return { says: `${unknown}; ${start}`, isSlip: false };
  return { says: `${unknown}; did you mean @${nearest}?`, isSlip: true };
}

/** Whether the agent has sent or worked, however long ago: for the few cases in which a warning depends on it. */
async function hasActed(store: Store, agent: AgentId): Promise<boolean> {
  const sent = await store.find({ by: 'filter', from: agent, max: 1 });
  if (sent.items.length > 0) return true;
  const received = await store.find({ by: 'filter', to: agent, max: ITS_OWN_MAX });
  return received.items.some(({ attempt }) => attempt > 0);
}
