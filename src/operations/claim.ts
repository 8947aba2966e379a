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
  summary: 'Take the next handoff that is offered to you; the answer has its input and its fence',
  about: 'Whoever leaves while it waits takes nothing.',
  example: 'claim @react --wait 60',
  permission: 'accept',
  subject: 'agent',
  route: { method: 'post', path: '/api/claims' },
  input: {
    agent: required(agent('Who takes it; with a token, the one that it belongs to', { byCaller: true })),
    waitMs: duration(
      { minSeconds: 0, heldMaxSeconds: HELD_SECONDS_MAX },
      'How long to wait for one to come (default: 0)',
    ),
    leaseMs: duration(
      {},
      'How long to keep it without a word (default: 900 seconds), at most as long as its attempt may take (queue: 300)',
    ),
  },
  waits: 'waitMs',
  canBeStopped: true,
  result: 'claimed',
  speaker: ({ agent: name }) => name,
  run: async (ctx, principal, { agent: name, ...limits }, { signal, stillGood = async () => true }) => {
    if (principal.kind !== 'agent' || principal.agent !== name) {
      return err({ code: 'not-yours', says: `${principalText(principal)} cannot take what is offered to @${name}` });
    }
    const claimed = await claimNext(ctx, principal, name, { ...limits, ...defined({ signal }) }, stillGood);
    const isGood = (claimed === null && limits.waitMs === undefined) || (await stillGood());
    // The token ended or the caller left while it was taken: nobody would work on it until its lease is over.
    if (claimed !== null && (!isGood || signal?.aborted === true)) {
      await release(ctx, principal, claimed.handoff.id, claimed.handoff.fence);
    }
    if (!isGood) return err({ code: 'token-refused', says: 'the token has ended; nothing was taken' });
    return ok(signal?.aborted === true || claimed === null ? null : await withDependencyResults(ctx, claimed));
  },
});
