/** How much of the server one token and one address may use at the same time. */
import type { Clock } from '../../foundation/clock.ts';
import { setNewest } from './bounded-map.ts';
import type { Caller } from './caller.ts';
import { countsByKey, openConnections, RESERVED_CONNECTIONS } from './connections.ts';
import { HttpProblem, httpProblem } from './problem.ts';
import type { ServerLimits } from '../../workspace/server-limits.ts';

export type HeldKind = 'wait' | 'stream';

/** A token that was quiet may send this many seconds' worth of requests at once. */
const BURST_SECONDS = 5;
/** How many tokens are counted. The one that has been quiet for longest is forgotten first. */
const COUNTED_MAX = 10_000;

export type Capacity = ReturnType<typeof openCapacity>;

export function openCapacity(limits: ServerLimits, clock: Clock) {
  const places = {
    wait: openPlaces('wait', limits.waitsPerToken, limits.waitsPerAddress),
    stream: openPlaces('listen', limits.streamsPerToken, limits.streamsPerAddress),
  };
  const buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>();
  const burst = limits.requestsPerSecond * BURST_SECONDS;
  return {
    connections: openConnections(limits),
    /** Twice the limit, because connections that are being closed still count. */
    maxConnections: 2 * (limits.connections + RESERVED_CONNECTIONS),
    /** Takes a place for a request that stays open, or throws 429. The limit per address does not hold for operators. */
    enter: (kind: HeldKind, caller: Caller, address: string) => places[kind](caller, address),
    /** Counts one request of a token, or throws 429. */
    request: ({ name }: Caller): void => {
      const nowMs = clock.monotonicMs();
      const { tokens, atMs } = buckets.get(name) ?? { tokens: burst, atMs: nowMs };
      const filled = Math.min(burst, tokens + ((nowMs - atMs) / 1000) * limits.requestsPerSecond);
      setNewest(buckets, name, { tokens: Math.max(0, filled - 1), atMs: nowMs }, COUNTED_MAX);
      if (filled >= 1) return;
      const retryAfterSeconds = Math.max(1, Math.ceil((1 - filled) / limits.requestsPerSecond));
      const says = `this token sends more than ${limits.requestsPerSecond} requests per second`;
      throw new HttpProblem('rate-limited', `${says}; wait ${retryAfterSeconds} s`, { retryAfterSeconds });
    },
  };
}

function openPlaces(
  doing: string,
  tokenMax: number,
  addressMax: number,
): (caller: Caller, address: string) => () => void {
  const byToken = countsByKey<string>();
  const byAddress = countsByKey<string>();
  return (caller, address) => {
    const isOperator = caller.principal.kind === 'operator';
    const own = byToken.count(caller.name);
    if (own >= tokenMax) {
      throw httpProblem('too-many-clients', `${own} requests ${doing} with this token already; end one first`);
    }
    const there = byAddress.count(address);
    if (!isOperator && there >= addressMax) {
      throw httpProblem('too-many-clients', `${there} requests ${doing} from this address already; end one first`);
    }
    const leaving = [byToken.add(caller.name), ...(isOperator ? [] : [byAddress.add(address)])];
    return () => {
      for (const leave of leaving.splice(0)) leave();
    };
  };
}
