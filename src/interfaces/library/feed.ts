import type { Context } from '../../engine/context.ts';
import { followFacts } from '../../engine/feed.ts';
import type { Principal } from '../../domain/principal.ts';
import { factView } from '../shared/views.ts';
import type { FeedItem, FeedOptions } from './baton.ts';
import { agentIn, handoffIn, statesIn } from './requests.ts';

export async function* feedOf(
  ctx: Context,
  whoAsks: () => Promise<Principal>,
  { signal = new AbortController().signal, after, handoff, agent, states }: FeedOptions,
): AsyncIterable<FeedItem> {
  const wanted = {
    signal,
    ...(after === undefined ? {} : { after }),
    ...(handoff === undefined ? {} : { handoff: handoffIn(handoff) }),
    ...(agent === undefined ? {} : { agent: agentIn(agent, 'agent') }),
    ...(states === undefined ? {} : { states: statesIn(states) }),
  };
  for await (const { cursor, fact } of followFacts(ctx, await whoAsks(), wanted)) {
    yield { cursor, fact: factView(fact) };
  }
}
