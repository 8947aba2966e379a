/** Any records in any state, in numbers, with what senders and workers would have put beside them. */
import fc from 'fast-check';
import type { Json } from '../../src/foundation/json.ts';
import { isFinal } from '../../src/domain/lifecycle.ts';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { ok } from '../../src/foundation/result.ts';
import { exportAll, type Exported } from '../../src/engine/transfer/export.ts';
import { importAll, type ImportOptions } from '../../src/engine/transfer/import.ts';
import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import type { Store } from '../../src/stores/store.ts';
import { anyBody, anyMaking, anyOutcome, madeOf, SESSIONS } from '../contract/arbitraries.ts';
import { idOf, jsonOf, processOf, WORKER } from '../contract/builders.ts';
import { valueOf } from '../contract/store-checks.ts';
import { manualClock } from '../contract/manual-clock.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

export const COUNT = campaignSize('BATON_TRANSFER_COUNT');

const BATCH = 100;

export async function fill(store: Store, count: number, name = 'r'): Promise<void> {
  for (const id of SESSIONS)
    await store.sessions.open({ id, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
  const sampled = { numRuns: Math.min(count, 500), seed: 11 };
  const makings = fc.sample(anyMaking, sampled);
  const outcomes = fc.sample(anyOutcome, sampled);
  const bodies = fc.sample(anyBody, sampled);
  for (let from = 0; from < count; from += BATCH) {
    const openings = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => {
      const number = from + index;
      const { decision, ...opening } = madeOf(idOf(`${name}${number}`), makings[number % makings.length]!);
      const outcome = outcomes[number % outcomes.length];
      const whole =
        isFinal(decision.handoff.state) && outcome !== undefined
          ? { ...decision, outcome: jsonOf(outcome as unknown as Json) }
          : decision;
      return {
        ...opening,
        body: jsonOf((bodies[number % bodies.length] ?? { input: number }) as unknown as Json),
        decide: () => ok(whole),
      };
    });
    valueOf(await store.insert(openings));
  }
}

export function memoryStore(): Store {
  return openMemoryStore({ clock: manualClock(), limits: NO_LIMITS });
}

/** The whole export as text, and what it says of itself. */
export async function exported(store: Store): Promise<Exported & { readonly text: string }> {
  const lines = exportAll(store);
  let text = '';
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return { ...next.value, text };
    text += next.value;
  }
}

/** In pieces of a size that fits no line. */
export function imported(
  store: Store,
  text: string | Uint8Array,
  options: ImportOptions = {},
): ReturnType<typeof importAll> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const chunks = async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < bytes.length; from += 7_001) yield bytes.subarray(from, from + 7_001);
  };
  return importAll(store, chunks(), options);
}

/** The records of an export, without what an import adds: the mark where a record came from, and what that proves. */
export function contentOf(text: string): readonly unknown[] {
  const lines = text.trimEnd().split('\n').slice(1, -1).toSorted();
  return lines.map((line) => {
    const { handoff, sha256, ...rest } = JSON.parse(line) as {
      readonly handoff: { readonly assurance?: unknown; readonly lineage: { readonly imported?: unknown } };
      readonly sha256: string;
    };
    void sha256;
    const { assurance, lineage, ...record } = handoff;
    void assurance;
    const { imported: source, ...origin } = lineage;
    void source;
    return { ...rest, ...record, lineage: origin };
  });
}
