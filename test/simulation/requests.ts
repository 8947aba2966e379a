/** What the senders of a story want done, drawn by the seed: by whom, under which terms, after what. */
import type { SendRequest } from '../../src/engine/handoffs/send.ts';
import type { Terms } from '../../src/domain/handoff.ts';
import type { Limits } from '../../src/domain/limits.ts';
import type { AgentId, HandoffId } from '../../src/domain/names.ts';
import { PRIORITIES } from '../../src/domain/priority.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { agentOf, idOf, limitsOf } from '../contract/builders.ts';
import type { Errand } from './actors/sender.ts';
import type { SeededRandom } from './seeded-random.ts';

export const WORKED: readonly AgentId[] = [agentOf('alpha'), agentOf('beta')];
export const BY_HAND: AgentId = agentOf('gamma');
export const JUDGE: AgentId = agentOf('judge');
export const SENDERS: readonly AgentId[] = [agentOf('left'), agentOf('right')];

export function drawLimits(random: SeededRandom): Limits {
  return limitsOf({
    alpha: [null, random.pick([null, 2, 4])],
    left: [random.pick([null, 2, 4]), null],
  });
}

/** `foreign` are ids that the sender chose; others may wait for them before they are there. */
export function drawErrands(random: SeededRandom, from: AgentId, count: number): readonly Errand[] {
  const foreign: HandoffId[] = [];
  return Array.from({ length: count }, (_, nth) => {
    const id = random.chance(0.4) ? idOf(`${from}-${nth}`) : null;
    const dependsOn = foreign.length > 0 && random.chance(0.25) ? [random.pick(foreign)] : [];
    if (id !== null) foreign.push(id);
    const request: SendRequest = {
      from,
      to: random.chance(0.2) ? BY_HAND : random.pick(WORKED),
      input: { nth },
      priority: random.pick(PRIORITIES),
      terms: { ...drawTerms(random), dependsOn },
      ...(id === null ? {} : { id }),
    };
    return {
      key: `${from}-request-${nth}`,
      request,
      waits: random.chance(0.6),
      cancels: random.chance(0.15),
      id: null,
      isOver: false,
    };
  });
}

function drawTerms(random: SeededRandom): Partial<Terms> {
  return {
    retry: {
      ...DEFAULT_RETRY,
      retriesMax: random.between(0, 3),
      delayMs: random.pick([0, 200, 1_500]),
      multiplier: random.pick([1, 2]),
      capMs: 3_000,
    },
    attemptTimeoutMs: random.pick([null, 700, 2_000, 5_000]),
    offeredMs: random.chance(0.15) ? random.between(1_000, 8_000) : null,
    blockedMs: random.between(2_000, 10_000),
    verifiers: random.chance(0.25) ? [JUDGE] : [],
  };
}
