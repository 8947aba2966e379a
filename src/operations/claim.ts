import { defined } from '../foundation/defined.ts';
import { err, ok } from '../foundation/result.ts';
import { principalText } from '../domain/principal.ts';
import { claimNext } from '../engine/handoffs/claim.ts';
import { withDependencyResults } from '../engine/handoffs/dependency-results.ts';
import { release } from '../engine/handoffs/release.ts';
import { agent, duration, required } from './field.ts';
import { defineOperation } from './operation.ts';

/** A wait over HTTP keeps a connection open: to wait longer, ask again. */
export const HELD_SECONDS_MAX = 300;

export const claim = defineOperation({
  name: 'claim',
  summary: 'Accept the next handoff that is offered to an agent; the answer has its input and fence',
  about: 'A caller that disconnects while it waits claims nothing.',
  example: 'claim @react --wait 60',
  permission: 'accept',
  subject: 'agent',
  route: { method: 'post', path: '/api/claims' },
  input: {
    agent: required(
      agent('The agent that claims (default with a token: the agent that the token belongs to)', { byCaller: true }),
    ),
    waitMs: duration({ minSeconds: 0, heldMaxSeconds: HELD_SECONDS_MAX }, 'How long to wait for an offer (default: 0)'),
    leaseMs: duration(
      {},
      'How long the lease lasts without a renewal (default: 900 seconds), at most the time limit of the attempt (queue: 300)',
    ),
  },
  waits: 'waitMs',
  canBeStopped: true,
  result: 'claimed',
  defaultCaller: ({ agent: name }) => name,
  run: async (ctx, principal, { agent: name, ...limits }, { signal, isTokenValid = async () => true }) => {
    if (principal.kind !== 'agent' || principal.agent !== name) {
      return err({ code: 'not-yours', says: `${principalText(principal)} cannot take what is offered to @${name}` });
    }
    const claimed = await claimNext(ctx, principal, name, { ...limits, ...defined({ signal }) }, isTokenValid);
    const isGood = (claimed === null && limits.waitMs === undefined) || (await isTokenValid());
    // The token ended or the caller disconnected during the claim: the handoff would be idle until its lease ends.
    if (claimed !== null && (!isGood || signal?.aborted === true)) {
      await release(ctx, principal, claimed.handoff.id, claimed.handoff.fence);
    }
    if (!isGood) return err({ code: 'token-refused', says: 'the token has ended; nothing was claimed' });
    return ok(signal?.aborted === true || claimed === null ? null : await withDependencyResults(ctx, claimed));
  },
});
