/** Revokes a token, and by default releases what was claimed with it. */
import { err } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { giveBack } from '../../domain/moves/release.ts';
import type { AgentId } from '../../domain/names.ts';
import { principalText, SYSTEM, tokenIn, type Principal } from '../../domain/principal.ts';
import { change, decideBy } from '../change.ts';
import type { Context } from '../context.ts';
import { pagesOf } from './find.ts';

export interface Revoked {
  /** False: there is no such token, or it was revoked before. */
  readonly revoked: boolean;
  /** How many handoffs were given back. */
  readonly released: number;
}

const PAGE = 200;

/**
 * Revokes the token first and then releases its handoffs: a claim in between checks its token afterwards. Calling this again
 * releases what an interrupted revocation has left.
 */
export async function revokeToken(
  ctx: Context,
  by: Principal,
  id: string,
  { keepsLeases = false }: { readonly keepsLeases?: boolean } = {},
): Promise<Revoked> {
  const { tokens } = ctx.store;
  const revoked = await tokens.revoke(id, { by: nameInLog(by), keepsLeases });
  const [record] = await tokens.byIds([id]);
  const agent = record?.agent ?? null;
  const mayHold = agent !== null && record?.revokedAt !== null && record?.keepsLeases === false;
  return { revoked, released: mayHold ? await releaseTakenWith(ctx, id, agent) : 0 };
}

/** The principal as the token log names it. */
export function nameInLog(principal: Principal): string {
  const token = tokenIn(principal);
  return token === null ? principalText(principal) : `${principalText(principal)} with ${token}`;
}

async function releaseTakenWith(ctx: Context, token: string, agent: AgentId): Promise<number> {
  let released = 0;
  for await (const page of pagesOf(ctx.store, { by: 'filter', states: ['accepted'], to: agent, max: PAGE })) {
    for (const handoff of page.filter((each) => isTakenWith(each, token))) {
      if ((await change(ctx, handoff, releaseFrom(token))).ok) released += 1;
    }
  }
  return released;
}

function releaseFrom(token: string): Decide {
  const release = decideBy(SYSTEM, 'release', (handoff, nowMs) => ({
    moved: giveBack(handoff, handoff.fence, nowMs),
    detail: { reason: `the token ${token} was revoked` },
  }));
  return (handoff, nowMs) => {
    if (isTakenWith(handoff, token)) return release(handoff, nowMs);
    const { id, state, fence } = handoff;
    return err({ code: 'lease-lost', id, fence: null, state, newest: fence });
  };
}

function isTakenWith({ state, custody }: Handoff, token: string): boolean {
  return state === 'accepted' && custody?.by === 'hand' && custody.token === token;
}
