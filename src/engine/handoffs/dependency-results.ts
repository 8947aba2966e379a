/** Adds the results of dependencies to the body for the worker. Results of settled handoffs never change. */
import { parseExact, printExact } from '../../foundation/exact-json.ts';
import { JSON_BYTES_MAX, type Json, type JsonObject, type JsonText } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Claimed } from '../../stores/store.ts';
import type { Context } from '../context.ts';
import { effectiveHandoffs } from './dependencies.ts';

/** For all results together. Larger ones are omitted and named. */
const RESULTS_BYTES_MAX = JSON_BYTES_MAX;

/** The handoff with the results of its dependencies in its body; unchanged if it has none, or still waits for them. */
export async function withDependencyResults<Given extends Claimed>(ctx: Context, given: Given): Promise<Given> {
  const { terms, state } = given.handoff;
  if (terms.dependsOn.length === 0 || state === 'draft' || state === 'blocked') return given;
  const dependencies = await resultsOf(ctx, terms.dependsOn);
  const body: Body = { ...(parseExact(given.body) as Body), dependencies };
  return { ...given, body: printExact(body) as JsonText };
}

async function resultsOf(ctx: Context, ids: readonly HandoffId[]): Promise<JsonObject> {
  const effective = await effectiveHandoffs(ctx, ids);
  const results: Record<string, Json> = {};
  let bytesLeft = RESULTS_BYTES_MAX;
  for (const id of ids) {
    const counts = effective.get(id);
    // The id of a task, which has no result.
    if (counts === undefined) continue;
    const outcome = (await ctx.store.load(counts.id, 'settled'))?.outcome ?? null;
    const bytes = outcome === null ? 0 : Buffer.byteLength(outcome);
    if (bytes > bytesLeft) results[id] = { omitted: `${bytes} bytes; baton show ${counts.id}` };
    else results[id] = resultIn(counts, outcome);
    bytesLeft -= Math.min(bytes, bytesLeft);
  }
  return results;
}

/** The result, or the state and the reason if it was not completed. */
function resultIn({ state }: Handoff, text: string | null): Json {
  const outcome = text === null ? null : (parseExact(text) as Outcome);
  if (state === 'completed') return outcome?.result ?? null;
  if (outcome?.kind !== 'failure') return { state };
  return { state, code: outcome.code, message: outcome.message };
}
