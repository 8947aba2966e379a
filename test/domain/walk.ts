/**
 * A random walk of one handoff through the domain: somebody tries something at some time with some fence, the rights
 * and the move decide, and what was decided is witnessed. The walk itself judges nothing.
 */
import fc from 'fast-check';
import type { FactType } from '../../src/domain/fact-types.ts';
import type { Fact } from '../../src/domain/facts.ts';
import { appendFact } from '../../src/domain/facts.ts';
import type { Custody, Handoff } from '../../src/domain/handoff.ts';
import { accept } from '../../src/domain/moves/accept.ts';
import { block, unblock } from '../../src/domain/moves/block.ts';
import { create } from '../../src/domain/moves/create.ts';
import { deliver } from '../../src/domain/moves/deliver.ts';
import { cancel, expire, reject } from '../../src/domain/moves/reject-cancel-expire.ts';
import { failAttempt, failForGood } from '../../src/domain/moves/fail.ts';
import { offer } from '../../src/domain/moves/offer.ts';
import { onWorkerLost, onDeadline } from '../../src/domain/moves/on-deadline.ts';
import { giveBack } from '../../src/domain/moves/release.ts';
import { revise } from '../../src/domain/moves/revise.ts';
import { renew } from '../../src/domain/moves/renew.ts';
import type { Moved } from '../../src/domain/moves/step.ts';
import { complete, rework, verify } from '../../src/domain/moves/verify.ts';
import type { AgentId, HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal, OPERATOR, principalText, SYSTEM, type Principal } from '../../src/domain/principal.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { may, type Op } from '../../src/domain/rights.ts';
import { aHandoff, byHand, byProcess, JUDGE, RECIPIENT, SENDER, T0, termsOf, valueOf } from './a-handoff.ts';

const PRINCIPALS: readonly Principal[] = [
  agentPrincipal(SENDER, ['verifier']),
  agentPrincipal(RECIPIENT, ['verifier']),
  agentPrincipal(JUDGE),
  agentPrincipal('stranger' as AgentId),
  OPERATOR,
  SYSTEM,
  { kind: 'file', user: '1000' },
];

const DOINGS = {
  offer: 'offer',
  accept: 'accept',
  renew: 'renew',
  deliver: 'deliver',
  failAttempt: 'fail',
  failForGood: 'fail',
  giveBack: 'release',
  lose: 'release',
  overtake: 'expire',
  expire: 'expire',
  block: 'block',
  unblock: 'unblock',
  reject: 'reject',
  verify: 'verify',
  complete: 'complete',
  rework: 'rework',
  cancel: 'cancel',
  revise: 'revise',
} as const satisfies Record<string, Op>;

type Doing = keyof typeof DOINGS;

interface Try {
  readonly doing: Doing;
  /** Mostly somebody who may, or nothing would ever happen. */
  readonly by: Principal | 'whoever may';
  /** Added to the time of the last try; clocks also go backwards. */
  readonly afterMs: number;
  /** A number is so far away from the newest fence. */
  readonly fence: 'newest' | 'none' | number;
  readonly custody: 'process' | 'hand' | 'hand for ever';
  readonly code: string;
}

export interface Walk {
  readonly first: Handoff;
  readonly tries: readonly Try[];
}

/** One step that was taken: what was tried, and the record on both sides of it. */
export interface Taken {
  readonly tried: Try;
  readonly fence: number | null;
  readonly before: Handoff;
  readonly after: Handoff;
  readonly deed: FactType;
  readonly atMs: number;
}

export interface Walked {
  readonly taken: readonly Taken[];
  readonly refused: readonly Omit<Taken, 'after' | 'deed'>[];
  readonly trail: readonly Fact[];
  readonly last: Handoff;
}

/** Ends of a handoff are rarer than its ways on, or every walk would be short. */
const WEIGHTS: Partial<Record<Doing, number>> = {
  offer: 16,
  accept: 40,
  deliver: 24,
  rework: 24,
  unblock: 16,
  failAttempt: 16,
  giveBack: 8,
  lose: 16,
  block: 6,
  renew: 6,
  revise: 4,
};

const aTry: fc.Arbitrary<Try> = fc.record({
  doing: fc.oneof(
    ...(Object.keys(DOINGS) as Doing[]).map((each) => ({ arbitrary: fc.constant(each), weight: WEIGHTS[each] ?? 1 })),
  ),
  by: fc.oneof(fc.constant('whoever may' as const), fc.constantFrom(...PRINCIPALS)),
  afterMs: fc.oneof(
    fc.integer({ min: 0, max: 200_000 }),
    fc.integer({ min: 0, max: 100_000_000 }),
    fc.integer({ min: -200_000, max: 0 }),
  ),
  fence: fc.oneof(
    { arbitrary: fc.constant('newest' as const), weight: 4 },
    { arbitrary: fc.constant('none' as const), weight: 2 },
    { arbitrary: fc.integer({ min: -3, max: 2 }), weight: 2 },
  ),
  custody: fc.constantFrom('process', 'hand', 'hand for ever'),
  code: fc.constantFrom('TIMEOUT', 'PROCESSING_ERROR', 'WORKER_LOST', 'SCHEMA_VALIDATION_FAILED'),
});

export const aWalk: fc.Arbitrary<Walk> = fc.record({
  first: fc
    .record({
      kind: fc.constantFrom('queue' as const, 'document' as const),
      as: fc.constantFrom('draft' as const, 'offer' as const, 'offer' as const),
      waits: fc.boolean(),
      retriesMax: fc.integer({ min: 0, max: 3 }),
      notBefore: fc.constantFrom(0, T0 + 50_000),
      to: fc.constantFrom(RECIPIENT, RECIPIENT, RECIPIENT, SENDER),
      verifiers: fc.constantFrom([JUDGE, SENDER, RECIPIENT], [JUDGE, SENDER, RECIPIENT], []),
    })
    .map(({ kind, as, waits, retriesMax, notBefore, to, verifiers }) => {
      const terms = termsOf(kind, { retry: { ...DEFAULT_RETRY, retriesMax }, verifiers });
      const dependencies = new Map(waits ? [['hoff-2' as HandoffId, null]] : []);
      return valueOf(create({ ...aHandoff('draft', { kind, terms, notBefore, to }), as }, dependencies, T0));
    }),
  tries: fc.array(aTry, { minLength: 1, maxLength: 90, size: 'max' }),
});

export function walk({ first, tries }: Walk): Walked {
  const born = appendFact(null, first, 'create', principalText(agentPrincipal(SENDER)), T0);
  const taken: Taken[] = [];
  const refused: Omit<Taken, 'after' | 'deed'>[] = [];
  const trail = [born.fact];
  let here = born.handoff;
  let atMs = T0;
  for (const tried of tries) {
    atMs += tried.afterMs;
    const fence = fenceOf(tried, here);
    const by = tried.by === 'whoever may' ? whoeverMay(tried.doing, here) : tried.by;
    const step = { tried, fence, before: here, atMs };
    const done = may(by, DOINGS[tried.doing], here).ok ? attempt(here, tried, fence, atMs) : null;
    if (done === null || !done.moved.ok) {
      refused.push(step);
      continue;
    }
    const { handoff, fact } = appendFact(here, done.moved.value, done.deed, principalText(by), atMs, { try: 1 });
    taken.push({ ...step, after: handoff, deed: done.deed });
    trail.push(fact);
    here = handoff;
  }
  return { taken, refused, trail, last: here };
}

function fenceOf(tried: Try, handoff: Handoff): number | null {
  if (tried.fence === 'none') return null;
  if (tried.fence !== 'newest') return handoff.fence + tried.fence;
  return handoff.state === 'accepted' ? handoff.fence : null;
}

function whoeverMay(doing: Doing, here: Handoff): Principal {
  return PRINCIPALS.find((each) => may(each, DOINGS[doing], here).ok) ?? OPERATOR;
}

type Done = { readonly deed: FactType; readonly moved: Moved };

function attempt(here: Handoff, tried: Try, fence: number | null, atMs: number): Done | null {
  switch (tried.doing) {
    case 'offer':
      return { deed: 'offer', moved: offer(here, atMs) };
    case 'accept':
      return { deed: 'accept', moved: accept(here, custodyOf(tried, here, atMs), atMs) };
    case 'renew':
      return { deed: 'renew', moved: renew(here, fence, atMs + 60_000) };
    case 'deliver':
      return { deed: 'deliver', moved: deliver(here, { fence, claims: [], checks: [] }, atMs) };
    case 'failAttempt':
      return failAttempt(here, tried.code, fence, atMs);
    case 'failForGood':
      return { deed: 'fail', moved: failForGood(here, atMs) };
    case 'giveBack':
      return { deed: 'release', moved: giveBack(here, fence, atMs) };
    case 'lose':
      return onWorkerLost(here, atMs, 'gone');
    case 'overtake': {
      const overtaken = onDeadline(here, atMs);
      return overtaken.ok ? overtaken.value : null;
    }
    case 'expire':
      return { deed: 'expire', moved: expire(here, atMs) };
    case 'block':
      return { deed: 'block', moved: block(here, { reason: 'question', text: '?' }, fence, atMs) };
    case 'unblock':
      return { deed: 'unblock', moved: unblock(here, atMs) };
    case 'reject':
      return { deed: 'reject', moved: reject(here, fence, atMs) };
    case 'verify':
      return { deed: 'verify', moved: verify(here, { checks: [], criteria: [] }, atMs) };
    case 'complete':
      return { deed: 'complete', moved: complete(here, atMs) };
    case 'rework':
      return rework(here, atMs);
    case 'revise':
      return { deed: 'revise', moved: revise(here, { title: `at ${atMs}` }) };
    case 'cancel':
      return { deed: 'cancel', moved: cancel(here, atMs) };
  }
}

function custodyOf(tried: Try, here: Handoff, atMs: number): Custody {
  if (tried.custody === 'process') return byProcess(`session-${here.fence + 1}`, here.to);
  return byHand(tried.custody === 'hand' ? atMs + 900_000 : null, here.to);
}
