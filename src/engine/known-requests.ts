/** Finds out whether a send created a handoff, or returned the one of an earlier request. */
import type { Context } from './context.ts';

export function trackKnownRequests(ctx: Context) {
  let wasKnown = false;
  const insert: Context['store']['insert'] = async (openings, guard) => {
    const answer = await ctx.store.insert(openings, guard);
    wasKnown ||= answer.ok && answer.value[0]?.id !== openings[0]?.id;
    return answer;
  };
  return { ctx: { ...ctx, store: { ...ctx.store, insert } }, wasKnown: () => wasKnown };
}
