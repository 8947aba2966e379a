import { describe, expect, it } from 'vitest';
import type { Handoff } from '../../src/domain/handoff.ts';
import { nextState, FINAL_STATES, isFinal, MOVES, OPEN_STATES, STATES, type Move } from '../../src/domain/lifecycle.ts';
import { accept } from '../../src/domain/moves/accept.ts';
import { block, unblock } from '../../src/domain/moves/block.ts';
import { deliver } from '../../src/domain/moves/deliver.ts';
import { cancel, expire, reject } from '../../src/domain/moves/reject-cancel-expire.ts';
import { failAttempt, failForGood } from '../../src/domain/moves/fail.ts';
import { revise } from '../../src/domain/moves/revise.ts';
import { offer } from '../../src/domain/moves/offer.ts';
import { giveBack, takeBack } from '../../src/domain/moves/release.ts';
import type { Moved } from '../../src/domain/moves/step.ts';
import { complete, rework, verify } from '../../src/domain/moves/verify.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { aHandoff, byHand, byProcess, ID, refusalOf, T0, termsOf } from './a-handoff.ts';

/** Written down a second time, by hand: a slip in the code's table meets this one. */
const TABLE: Readonly<Record<string, string>> = {
  draft: 'offer→offered expire→expired cancel→cancelled revise→draft',
  offered: 'accept→accepted reject→rejected block→blocked fail→failed expire→expired cancel→cancelled',
  blocked: 'unblock→offered fail→failed expire→expired cancel→cancelled',
  accepted:
    'deliver→delivered block→blocked retry→offered release→offered fail→failed reject→rejected cancel→cancelled',
  delivered:
    'verify→completed rework→accepted reoffer→offered complete→completed reject→rejected fail→failed expire→expired cancel→cancelled',
  completed: '',
  failed: '',
  rejected: '',
  expired: '',
  cancelled: '',
};
const FINALS = ['completed', 'failed', 'rejected', 'expired', 'cancelled'];
const ALL_MOVES =
  'offer expire cancel revise accept reject block fail unblock deliver retry release verify rework reoffer complete'.split(
    ' ',
  );

function expected(state: string, move: string): string | undefined {
  const cells = (TABLE[state] ?? '').split(' ').map((cell) => cell.split('→'));
  return cells.find(([name]) => name === move)?.[1];
}

describe('the lifecycle', () => {
  it('D3: says in every cell what the design says', () => {
    const cells = STATES.flatMap((state) => MOVES.map((move) => `${state} ${move} ${nextState(state, move)}`));
    const written = Object.keys(TABLE).flatMap((state) =>
      ALL_MOVES.map((move) => `${state} ${move} ${expected(state, move)}`),
    );
    expect(cells.length).toBe(10 * 16);
    expect(cells.toSorted()).toEqual(written.toSorted());
  });

  it('D3: has no way out of a final state', () => {
    expect(FINAL_STATES).toEqual(FINALS);
    expect(STATES.filter(isFinal)).toEqual(FINALS);
    for (const state of FINAL_STATES) for (const move of MOVES) expect(nextState(state, move)).toBeUndefined();
    for (const state of OPEN_STATES) expect(MOVES.some((move) => nextState(state, move) !== undefined)).toBe(true);
    expect([...OPEN_STATES, ...FINAL_STATES].toSorted()).toEqual([...STATES].toSorted());
  });

  it('keeps the numbers that both databases know states and moves by', () => {
    expect(STATES.join(' ')).toBe(
      'draft offered blocked accepted delivered completed failed rejected expired cancelled',
    );
    expect(MOVES.join(' ')).toBe(ALL_MOVES.join(' '));
  });
});

type Driven = { readonly deed: Move; readonly moved: Moved };

/** Each function that moves a handoff, called by somebody who holds it where it is held. */
const FUNCTIONS: Readonly<Record<string, (handoff: Handoff) => Driven>> = {
  offer: (handoff) => ({ deed: 'offer', moved: offer(handoff, T0) }),
  revise: (handoff) => ({ deed: 'revise', moved: revise({ ...handoff, since: T0 }, { title: 'another' }) }),
  accept: (handoff) => ({ deed: 'accept', moved: accept(handoff, byHand(), T0) }),
  reject: (handoff) => ({
    deed: 'reject',
    moved: reject(handoff, handoff.state === 'accepted' ? handoff.fence : null, T0),
  }),
  cancel: (handoff) => ({ deed: 'cancel', moved: cancel(handoff, T0) }),
  expire: (handoff) => ({ deed: 'expire', moved: expire(handoff, T0) }),
  block: (handoff) => ({ deed: 'block', moved: block(handoff, { reason: 'question', text: '?' }, shown(handoff), T0) }),
  unblock: (handoff) => ({ deed: 'unblock', moved: unblock(handoff, T0) }),
  deliver: (handoff) => ({
    deed: 'deliver',
    moved: deliver(handoff, { fence: shown(handoff), claims: [], checks: [] }, T0),
  }),
  verify: (handoff) => ({ deed: 'verify', moved: verify(handoff, { checks: [], criteria: [] }, T0) }),
  complete: (handoff) => ({ deed: 'complete', moved: complete(handoff, T0) }),
  rework: (handoff) => rework(handoff, T0),
  giveBack: (handoff) => ({ deed: 'release', moved: giveBack(handoff, shown(handoff), T0) }),
  takeBack: (handoff) => takeBack(handoff, T0),
  failForGood: (handoff) => ({ deed: 'fail', moved: failForGood(handoff, T0) }),
  'failAttempt, may retry': (handoff) => failAttempt(handoff, 'TIMEOUT', shown(handoff), T0),
  'failAttempt, may not': (handoff) => failAttempt(handoff, 'SCHEMA_VALIDATION_FAILED', shown(handoff), T0),
};

function shown(handoff: Handoff): number | null {
  return handoff.state === 'accepted' ? handoff.fence : null;
}

const HELD = { process: byProcess(), hand: byHand() };
const SPENT = { attempt: 9, fence: 9, terms: termsOf('queue', { retry: { ...DEFAULT_RETRY, retriesMax: 0 } }) };

describe('every move function', () => {
  it.each(Object.entries(FUNCTIONS))('I12: %s goes where the table leads and nowhere else', (_name, drive) => {
    for (const state of STATES) {
      for (const custody of state === 'accepted' || state === 'delivered' ? [HELD.process, HELD.hand, null] : [null]) {
        if (state === 'accepted' && custody === null) continue;
        if (state === 'delivered' && custody?.by === 'process') continue;
        const handoff = aHandoff(state, { custody });
        const { deed, moved } = drive(handoff);
        const next = expected(state, deed);
        const answer = moved.ok ? [moved.value.state, moved.value.since] : moved.refusal;
        const holder = custody === null ? {} : { holder: custody.holder };
        const refusal = { code: 'move-not-allowed', id: ID, state, move: deed, ...holder };
        expect(answer).toEqual(next === undefined ? refusal : [next, T0]);
      }
    }
  });

  it('together make every move of the table', () => {
    const made = STATES.flatMap((state) =>
      Object.values(FUNCTIONS).flatMap((drive) =>
        [aHandoff(state), aHandoff(state, { custody: byHand() })].flatMap((handoff) => {
          const { deed, moved } = drive(handoff);
          return moved.ok ? [`${state} ${deed}`] : [];
        }),
      ),
    );
    const cells = STATES.flatMap((state) =>
      ALL_MOVES.filter((move) => expected(state, move) !== undefined).map((move) => `${state} ${move}`),
    );
    expect([...new Set(made)].toSorted()).toEqual(cells.toSorted());
  });

  it('takes nothing back that is no longer held, also when no attempt is left', () => {
    for (const state of STATES.filter((each) => each !== 'accepted')) {
      const refused = refusalOf(takeBack(aHandoff(state, SPENT), T0).moved);
      expect(refused).toMatchObject({ code: 'move-not-allowed', state });
    }
  });

  it('asks for rework only of what was delivered, also when no attempt is left', () => {
    for (const state of STATES.filter((each) => each !== 'delivered')) {
      const refused = refusalOf(rework(aHandoff(state, SPENT), T0).moved);
      expect(refused).toMatchObject({ code: 'move-not-allowed', state });
    }
  });
});
