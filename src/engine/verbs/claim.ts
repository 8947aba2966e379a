import { assert } from '../../foundation/assert.ts';
import type { Custody, Handoff } from '../../domain/handoff.ts';
import { HAND_LEASE_MS, handUntilAt } from '../../domain/deadlines.ts';
import { accept } from '../../domain/moves/accept.ts';
import type { AgentId, SessionId } from '../../domain/names.ts';
import { isMilliseconds } from '../../domain/record-values.ts';
import { tokenIn, type Principal } from '../../domain/principal.ts';
import type { Claimed } from '../../stores/store.ts';
import { decideBy } from '../change.ts';
import type { Surroundings } from '../surroundings.ts';

/** For a person or a program that comes and goes: time alone tells when it has been forgotten. */
export async function claimByHand(
  around: Surroundings,
  principal: Principal,
  agent: AgentId,
  leaseMs: number = HAND_LEASE_MS,
): Promise<Claimed | null> {
  assert(isMilliseconds(leaseMs), 'whoever asks has read a lease of whole milliseconds');
  const token = tokenIn(principal);
  const proof = token === null ? {} : { token };
  const custodyOf = ({ kind }: Handoff, nowMs: number): Custody => ({
    by: 'hand',
    holder: agent,
    untilAt: handUntilAt(kind, nowMs, leaseMs),
    ...proof,
  });
  for (;;) {
    const [claimed] = await claim(around, principal, agent, 1, custodyOf);
    if (claimed === undefined) return null;
    if ((await won(around, principal, [claimed])).length > 0) return claimed;
  }
}

/** For a worker session, as many as it has hands free. */
export async function claimForSession(
  around: Surroundings,
  principal: Principal,
  agent: AgentId,
  session: SessionId,
  max: number,
): Promise<readonly Claimed[]> {
  const custody: Custody = { by: 'process', holder: agent, session };
  return claim(around, principal, agent, max, () => custody);
}

/** Those that no foreign worker has: with a queue folder, an acceptance is half of a pick-up. */
export async function won(
  { rules }: Surroundings,
  principal: Principal,
  claimed: readonly Claimed[],
): Promise<readonly Claimed[]> {
  const { queue } = rules;
  if (queue === null) return claimed;
  const answers = await Promise.all(claimed.map(({ handoff }) => queue.win(principal, handoff)));
  return claimed.filter((_each, index) => answers[index] === true);
}

async function claim(
  around: Surroundings,
  principal: Principal,
  agent: AgentId,
  max: number,
  custodyOf: (handoff: Handoff, nowMs: number) => Custody,
): Promise<readonly Claimed[]> {
  const decide = decideBy(principal, 'accept', (handoff, nowMs) => ({
    deed: 'accept',
    moved: accept(handoff, custodyOf(handoff, nowMs), nowMs),
  }));
  return around.store.claim(agent, max, decide);
}
