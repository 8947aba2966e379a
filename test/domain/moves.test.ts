import { describe, expect, it } from 'vitest';
import { MANUAL_LEASE_MS } from '../../src/domain/deadlines.ts';
import type { Check, Claim } from '../../src/domain/evidence.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import { STATES } from '../../src/domain/lifecycle.ts';
import { accept } from '../../src/domain/moves/accept.ts';
import { block, unblock } from '../../src/domain/moves/block.ts';
import { create, type Beginning } from '../../src/domain/moves/create.ts';
import { deliver, type Delivery } from '../../src/domain/moves/deliver.ts';
import { reject } from '../../src/domain/moves/reject-cancel-expire.ts';
import { failAttempt, giveUp, tryAgain } from '../../src/domain/moves/fail.ts';
import { offer } from '../../src/domain/moves/offer.ts';
import { onDeadline } from '../../src/domain/moves/on-deadline.ts';
import { progress } from '../../src/domain/moves/progress.ts';
import { giveBack } from '../../src/domain/moves/release.ts';
import { renew } from '../../src/domain/moves/renew.ts';
import type { Moved } from '../../src/domain/moves/step.ts';
import { rework, verify } from '../../src/domain/moves/verify.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { aHandoff, byHand, byProcess, HOUR, ID, MINUTE, refusalOf, SECOND, T0, termsOf, valueOf } from './a-handoff.ts';

const CLAIMS: readonly Claim[] = [
  { deliverable: 'code', evidence: [{ kind: 'file', path: 'a.ts', sha256: 'aa' }] },
  { deliverable: 'tests', evidence: [{ kind: 'note', text: 'they pass' }] },
];
const ASKED = termsOf('document', { deliverables: ['code', 'tests'], criteria: ['it runs'] });

function handing(changes: Partial<Delivery> = {}): Delivery {
  return { fence: 1, claims: [], checks: [], ...changes };
}

function check(verdict: Check['verdict']): Check {
  return { deliverable: 'code', verdict, says: 'looked' };
}

describe('create', () => {
  const given = aHandoff('draft');
  const beginning: Beginning = { ...given, as: 'offer' };
  const other = 'hoff-2' as HandoffId;

  it('makes a draft, an offer, or something that waits for others (Q9)', () => {
    const stateFor = (as: 'draft' | 'offer', state: 'completed' | 'failed' | null): string =>
      valueOf(create({ ...beginning, as }, new Map([[other, state]]), T0)).state;
    expect(valueOf(create(beginning, new Map(), T0)).state).toBe('offered');
    expect(stateFor('offer', 'completed')).toBe('offered');
    expect(stateFor('offer', 'failed')).toBe('blocked');
    expect(stateFor('offer', null)).toBe('blocked');
    expect(stateFor('draft', null)).toBe('draft');
    expect(valueOf(create(beginning, new Map([[other, null]]), T0)).blockedOn).toEqual({ reason: 'dependency' });
  });

  it('counts its place in the queue from when it may first be taken', () => {
    expect(valueOf(create({ ...beginning, notBefore: T0 + HOUR }, new Map(), T0)).offeredAt).toBe(T0 + HOUR);
    expect(valueOf(create({ ...beginning, notBefore: T0 - HOUR }, new Map(), T0)).offeredAt).toBe(T0);
    expect(valueOf(offer(aHandoff('draft', { notBefore: T0 + 5 }), T0)).offeredAt).toBe(T0 + 5);
    expect(valueOf(offer(aHandoff('draft'), T0 + 7)).offeredAt).toBe(T0 + 7);
  });

  it('begins with nobody, no attempt and no fence', () => {
    const made = valueOf(create(beginning, new Map(), T0));
    expect(made).toMatchObject({ revision: 0, attempt: 0, excused: 0, fence: 0, custody: null, trail: '', claims: [] });
    expect('as' in made).toBe(false);
  });
});

describe('accept', () => {
  it('I6: each acceptance is a new attempt with a higher fence', () => {
    const first = valueOf(accept(aHandoff('offered'), byProcess(), T0 + 1));
    expect(first).toMatchObject({ state: 'accepted', attempt: 1, fence: 1, custody: byProcess(), since: T0 + 1 });
    const again = valueOf(accept(aHandoff('offered', { attempt: 4, fence: 7 }), byHand(T0 + 9), T0));
    expect(again).toMatchObject({ attempt: 5, fence: 8, custody: byHand(T0 + 9) });
  });

  it('I13: not a millisecond before its time', () => {
    const later = aHandoff('offered', { notBefore: T0 + 30 * SECOND });
    const early = refusalOf(accept(later, byHand(), T0 + 30 * SECOND - 1));
    expect(early).toEqual({ code: 'too-early', id: ID, notBefore: T0 + 30 * SECOND });
    expect(accept(later, byHand(), T0 + 30 * SECOND).ok).toBe(true);
  });

  it('says that it cannot be taken, rather than too early, where it cannot be taken at all', () => {
    const refusal = refusalOf(accept(aHandoff('completed', { notBefore: T0 + 1 }), byHand(), T0));
    expect(refusal.code).toBe('move-not-allowed');
  });
});

describe('deliver', () => {
  it('I6: by a process only with the fence of the newest acceptance', () => {
    const held = aHandoff('accepted', { fence: 5, attempt: 3 });
    for (const fence of [0, 4, 6, 5.5, Number.NaN]) {
      const refusal = refusalOf(deliver(held, handing({ fence }), T0));
      expect(refusal).toEqual({ code: 'lease-lost', id: ID, fence, state: 'accepted', newest: 5 });
    }
    expect(refusalOf(deliver(held, handing({ fence: null }), T0))).toEqual({ code: 'fence-needed', id: ID });
    expect(valueOf(deliver(held, handing({ fence: 5 }), T0))).toMatchObject({ state: 'delivered', custody: null });
  });

  it('I6: by hand without a lease the fence may be left out, but a wrong one is still wrong', () => {
    const held = aHandoff('accepted', { fence: 5, custody: byHand() });
    expect(deliver(held, handing({ fence: null }), T0).ok).toBe(true);
    expect(deliver(held, handing({ fence: 5 }), T0).ok).toBe(true);
    expect(refusalOf(deliver(held, handing({ fence: 4 }), T0)).code).toBe('lease-lost');
  });

  it('I6: whoever holds by hand with a lease shows the fence for every move of the holder', () => {
    const held = aHandoff('accepted', { fence: 5, custody: byHand(T0 + MINUTE) });
    const question = { reason: 'question', text: 'which branch?' } as const;
    const moves: readonly ((fence: number | null) => Moved)[] = [
      (fence) => deliver(held, handing({ fence }), T0),
      (fence) => renew(held, fence, T0 + HOUR),
      (fence) => progress(held, fence),
      (fence) => block(held, question, fence, T0),
      (fence) => giveBack(held, fence, T0),
      (fence) => failAttempt(held, 'TIMEOUT', fence, T0).moved,
      (fence) => tryAgain(held, fence, T0),
      (fence) => giveUp(held, fence, T0),
      (fence) => reject(held, fence, T0),
    ];
    for (const move of moves) {
      expect(refusalOf(move(null))).toEqual({ code: 'fence-needed', id: ID });
      expect(refusalOf(move(4))).toMatchObject({ code: 'lease-lost', fence: 4, newest: 5 });
      expect(move(5).ok).toBe(true);
    }
  });

  it('I6: a fence for what is no longer held is lost, whatever became of it', () => {
    for (const state of STATES.filter((each) => each !== 'accepted')) {
      for (const custody of [null, byHand()]) {
        const handoff = aHandoff(state, { fence: 1, custody });
        const refusal = refusalOf(deliver(handoff, handing({ fence: 1 }), T0));
        expect(refusal).toEqual({ code: 'lease-lost', id: ID, fence: 1, state, newest: 1 });
      }
    }
  });

  it('D7: needs evidence for every deliverable, and none for what nobody asked for', () => {
    const held = aHandoff('accepted', { terms: ASKED });
    const codeFor = (claims: readonly Claim[], checks: readonly Check[] = []): unknown =>
      refusalOf(deliver(held, handing({ claims, checks }), T0));
    expect(codeFor([])).toEqual({ code: 'evidence-missing', id: ID, deliverables: ['code', 'tests'] });
    expect(codeFor(CLAIMS.slice(0, 1))).toMatchObject({ code: 'evidence-missing', deliverables: ['tests'] });
    expect(codeFor([CLAIMS[0]!, { deliverable: 'tests', evidence: [] }])).toMatchObject({ deliverables: ['tests'] });
    const misspelt = { deliverable: 'Tests', evidence: CLAIMS[1]!.evidence };
    expect(codeFor([...CLAIMS, misspelt])).toEqual({ code: 'evidence-unknown', id: ID, deliverables: ['Tests'] });
    const wrong = check('false');
    expect(codeFor(CLAIMS, [check('true'), wrong])).toEqual({ code: 'evidence-false', id: ID, checks: [wrong] });
  });

  it('D7: keeps what was claimed; what no machine can judge is held, not refused', () => {
    const held = aHandoff('accepted', { terms: ASKED, custody: byHand(T0 + 1) });
    const done = valueOf(deliver(held, handing({ claims: CLAIMS, checks: [check('true'), check('held')] }), T0));
    expect(done).toMatchObject({ state: 'delivered', claims: CLAIMS, custody: byHand(T0 + 1), fence: 1, attempt: 1 });
  });

  it('looks at the fence before the evidence: who has lost it learns that first', () => {
    const held = aHandoff('accepted', { terms: ASKED, fence: 2 });
    expect(refusalOf(deliver(held, handing({ fence: 1 }), T0)).code).toBe('lease-lost');
  });
});

describe('verify and rework', () => {
  const delivered = aHandoff('delivered', { terms: ASKED, claims: CLAIMS });
  const met = { checks: [check('true')], criteria: ['it runs'] };

  it('D8: completes when every deliverable and every criterion is confirmed', () => {
    expect(valueOf(verify(delivered, met, T0))).toMatchObject({ state: 'completed', custody: null });
    const code = (handoff: Handoff, verdict: typeof met): string => refusalOf(verify(handoff, verdict, T0)).code;
    expect(code(delivered, { ...met, criteria: [] })).toBe('criteria-open');
    expect(code(delivered, { ...met, checks: [check('false')] })).toBe('evidence-false');
    expect(code({ ...delivered, claims: [] }, met)).toBe('evidence-missing');
  });

  it('rework by hand goes back to the same hands with the same fence', () => {
    const custody = byHand();
    const { deed, moved } = rework({ ...delivered, custody, attempt: 2, fence: 3 }, T0 + 5);
    expect(deed).toBe('rework');
    expect(valueOf(moved)).toMatchObject({ state: 'accepted', custody, attempt: 2, fence: 3, since: T0 + 5 });
    expect(deliver(valueOf(moved), handing({ fence: 3, claims: CLAIMS }), T0).ok).toBe(true);
  });

  it('rework by hand gives time for it, however long the judgement took', () => {
    const queued = aHandoff('delivered', { custody: byHand(T0 + MANUAL_LEASE_MS) });
    const nowMs = T0 + 10 * HOUR;
    const again = valueOf(rework(queued, nowMs).moved);
    expect(again.custody).toEqual(byHand(nowMs + MANUAL_LEASE_MS));
    expect(onDeadline(again, nowMs).ok).toBe(false);
    const early = valueOf(rework({ ...queued, custody: byHand(T0 + 10 * HOUR) }, T0).moved);
    expect(early.custody).toEqual(byHand(T0 + 10 * HOUR));
  });

  it('rework after a process has left is a new offer, and the attempt counts', () => {
    const { deed, moved } = rework(delivered, T0);
    expect(deed).toBe('reoffer');
    expect(valueOf(moved)).toMatchObject({ state: 'offered', custody: null, attempt: 1, excused: 0, fence: 1 });
    expect(refusalOf(deliver(valueOf(moved), handing({ claims: CLAIMS }), T0)).code).toBe('lease-lost');
  });

  it('I13: rework of the last attempt a process had left fails it', () => {
    const terms = { ...ASKED, retry: { ...DEFAULT_RETRY, retriesMax: 1 } };
    expect(rework({ ...delivered, terms, attempt: 1 }, T0).deed).toBe('reoffer');
    const { deed, moved } = rework({ ...delivered, terms, attempt: 2 }, T0);
    expect([deed, valueOf(moved).state]).toEqual(['fail', 'failed']);
    expect(rework({ ...delivered, terms, attempt: 2, excused: 1 }, T0).deed).toBe('reoffer');
    expect(rework({ ...delivered, terms, attempt: 2, custody: byHand() }, T0).deed).toBe('rework');
  });
});

describe('renew', () => {
  it('I6: gives more time to whoever holds it by hand, and to nobody else', () => {
    const held = aHandoff('accepted', { custody: byHand(T0) });
    expect(valueOf(renew(held, 1, T0 + 1))).toEqual({ ...held, custody: byHand(T0 + 1) });
    expect(refusalOf(renew(held, 7, T0 + 1)).code).toBe('lease-lost');
    expect(refusalOf(renew(aHandoff('accepted'), 1, T0 + 1)).code).toBe('lease-lost');
    for (const state of STATES.filter((each) => each !== 'accepted')) {
      expect(refusalOf(renew(aHandoff(state, { custody: byHand(T0) }), null, T0 + 1)).code).toBe('lease-lost');
    }
  });
});

describe('block', () => {
  const blockedOn = { reason: 'question', text: 'which branch?' } as const;

  it('lets go of what was held, and the attempt is excused', () => {
    const held = aHandoff('accepted', { attempt: 2, excused: 1, fence: 2 });
    expect(valueOf(block(held, blockedOn, 2, T0))).toMatchObject({ blockedOn, custody: null, attempt: 2, excused: 2 });
    expect(refusalOf(block(held, blockedOn, 1, T0)).code).toBe('lease-lost');
    expect(valueOf(block(aHandoff('offered', { excused: 1 }), blockedOn, null, T0)).excused).toBe(1);
  });

  it('ends by itself being forgotten, and the place in the queue is kept', () => {
    const back = valueOf(unblock(aHandoff('blocked', { offeredAt: T0 - HOUR }), T0));
    expect(back).toMatchObject({ state: 'offered', blockedOn: null, offeredAt: T0 - HOUR });
  });
});
