import type { Context } from '../../engine/context.ts';
import { followFacts } from '../../engine/feed.ts';
import type { Principal } from '../../domain/principal.ts';
import { factView } from '../shared/views.ts';
import type { FeedItem, FeedOptions } from './baton.ts';

export async function* feedOf(
  ctx: Context,
  whoAsks: () => Promise<Principal>,
  { signal = new AbortController().signal, ...where }: FeedOptions,
): AsyncIterable<FeedItem> {
  for await (const { cursor, fact } of followFacts(ctx, await whoAsks(), { signal, ...where })) {
    yield { cursor, fact: factView(fact) };
  }
}
