/**
 * Sends a handoff that ended without completion to the agent in `onFailed`, as a new handoff. The effect was written with
 * the last fact (`domain/dead-letter.ts`), so no crash can lose it; the request key makes it one handoff, however often it
 * is tried.
 */
import { parseExact } from '../foundation/exact-json.ts';
import type { Json } from '../foundation/json.ts';
import { SYSTEM } from '../domain/principal.ts';
import type { Body } from '../domain/body.ts';
import { DEAD_LETTER } from '../domain/dead-letter.ts';
import type { AgentId, HandoffId } from '../domain/names.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { StoredHandoff } from '../stores/store.ts';
import type { Context } from './context.ts';
import type { EffectSender } from './effects.ts';
import { send, type SendRequest } from './handoffs/send.ts';

const TITLE_MAX = 400;

export function deadLetterSender(ctx: Context): EffectSender {
  return {
    kind: DEAD_LETTER,
    send: async ({ payload }) => {
      const { id } = JSON.parse(payload) as { readonly id: HandoffId };
      const whole = await ctx.store.load(id);
      const onFailed = whole?.handoff.terms.onFailed;
      if (whole === null || onFailed === undefined) return 'done';
      const sent = await send(ctx, SYSTEM, deadLetterOf(whole, onFailed));
      if (sent.ok) return 'done';
      const says = `${id} could not be sent to @${onFailed}: ${sent.refusal.code}`;
      // All other refusals may be temporary: the schema of the recipient, a limit, the chain budget.
      return sent.refusal.code === 'too-many-hops' ? { never: says } : { says };
    },
  };
}

function deadLetterOf({ handoff, body, outcome }: StoredHandoff, onFailed: AgentId): SendRequest {
  const { id, from, to, title, task, priority, state, attempt } = handoff;
  const { input } = parseExact(body) as Body;
  const ended = outcome === null ? null : (JSON.parse(outcome) as Outcome);
  return {
    // A dead letter to the sender is from the recipient that failed.
    from: onFailed === from ? to : from,
    to: onFailed,
    input: { handoff: id, from: `@${from}`, to: `@${to}`, state, attempt, ...failureIn(ended), input },
    title: `${state}: ${title ?? id}`.slice(0, TITLE_MAX),
    ...(task === null ? {} : { task }),
    priority,
    parent: id,
    waitForCapacity: true,
    requestId: `${DEAD_LETTER} of ${id}`,
  };
}

function failureIn(outcome: Outcome | null): { readonly failure?: Json } {
  if (outcome?.kind !== 'failure') return {};
  const { code, message } = outcome;
  return { failure: { code, message } };
}
