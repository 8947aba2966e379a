import { describe, expect, it } from 'vitest';
import type { Handoff } from '../../src/domain/handoff.ts';
import { STATES, type State } from '../../src/domain/lifecycle.ts';
import type { AgentId } from '../../src/domain/names.ts';
import { agentPrincipal, OPERATOR, principalText, SYSTEM, type Principal } from '../../src/domain/principal.ts';
import {
  isHidden,
  partiesOf,
  may,
  OPS,
  readScopeOf,
  RELATIONS,
  relationsOf,
  type Op,
  type Relation,
} from '../../src/domain/rights.ts';
import { aHandoff, byHand, ID, JUDGE, RECIPIENT, refusalOf, SENDER, termsOf } from './a-handoff.ts';

/**
 * The whole table once more. A letter is a yes in the state it stands for, always in its own column:
 * d draft · o offered · b blocked · a accepted · v delivered · C completed · F failed · R rejected · E expired · X cancelled.
 */
const LETTERS = 'dobavCFREX';
const TABLE = `
           sender     recipient  holder     verifier   operator   system     file       stranger
create     dobavCFREX .......... .......... .......... dobavCFREX dobavCFREX dobavCFREX ..........
offer      d......... .......... .......... .......... d......... .......... .......... ..........
accept     .......... .o........ .......... .......... .......... .......... .o........ ..........
renew      .......... .......... ...a...... .......... .......... .......... .......... ..........
progress   .......... .......... ...a...... .......... .......... .......... .......... ..........
deliver    .......... .......... ...a...... .......... .......... .......... .......... ..........
fail       .......... .......... ...a...... .......... .obav..... ..ba...... .......... ..........
release    .......... .......... ...a...... .......... ...a...... ...a...... .......... ..........
block      .......... .......... ...a...... .......... .o.a...... .ob....... .......... ..........
unblock    ..b....... ..b....... .......... .......... ..b....... ..b....... .......... ..........
reject     .......... .o.a...... .......... ....v..... ....v..... .......... .......... ..........
verify     .......... .......... .......... ....v..... ....v..... .......... .......... ..........
rework     .......... .......... .......... ....v..... ....v..... .......... .......... ..........
cancel     dobav..... .......... .......... .......... dobav..... .......... .......... ..........
retry      ......FREX .......... .......... .......... ......FREX .......... .......... ..........
expire     .......... .......... .......... .......... .......... dob.v..... .......... ..........
follow     dobavCFREX dobavCFREX dobavCFREX .......... dobavCFREX dobavCFREX .......... ..........
read       dobavCFREX dobavCFREX dobavCFREX dobavCFREX dobavCFREX dobavCFREX .......... ..........
complete   .......... .......... .......... .......... .......... ....v..... .......... ..........
revise     d......... .......... .......... .......... d......... .......... .......... ..........
erase      .......... .......... .......... .......... .....CFREX .......... .......... ..........
`;

const [HEADER = [], ...ROWS] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));

function expected(op: Op, relation: Relation, state: State): boolean {
  const row = ROWS.find(([name]) => name === op);
  const cell = row?.[HEADER.indexOf(relation) + 1] ?? '';
  return cell[STATES.indexOf(state)] === LETTERS[STATES.indexOf(state)];
}

const HOLDER = 'holder' as AgentId;
const LISTED = 'listed' as AgentId;
const FILE: Principal = { kind: 'file', user: '1000' };

/** Principals who stand in one relation and in no other. */
const PURE: Record<Relation, readonly Principal[]> = {
  sender: [agentPrincipal(SENDER)],
  recipient: [agentPrincipal(RECIPIENT)],
  holder: [agentPrincipal(HOLDER)],
  verifier: [agentPrincipal(JUDGE, ['verifier']), agentPrincipal(LISTED), agentPrincipal(JUDGE, ['verifier', 'chief'])],
  operator: [OPERATOR],
  system: [SYSTEM],
  file: [FILE],
  stranger: [agentPrincipal('stranger' as AgentId), agentPrincipal('stranger' as AgentId, ['chief'])],
};

/** Held in every state, also where it never is: a right that rests on custody alone must still look at the state. */
function held(state: State, changes: Partial<Handoff> = {}): Handoff {
  return aHandoff(state, {
    custody: byHand(null, HOLDER),
    terms: termsOf('queue', { verifiers: [LISTED] }),
    ...changes,
  });
}

describe('the table of rights', () => {
  it('I12: answers every operation in every relation and state as agreed', () => {
    expect(HEADER).toEqual([...RELATIONS]);
    expect(ROWS.map(([name]) => name)).toEqual([...OPS]);
    let cells = 0;
    for (const op of OPS) {
      for (const relation of RELATIONS) {
        for (const state of STATES) {
          for (const principal of PURE[relation]) {
            // Where somebody was asked to verify, the rules of the house do not; that is a test of its own.
            const asked = principal.kind === 'system' && op === 'complete' ? { terms: termsOf('queue') } : {};
            const answer = may(principal, op, held(state, asked));
            expect(answer.ok, `${op} by ${relation} when ${state}`).toBe(expected(op, relation, state));
          }
          cells += 1;
        }
      }
    }
    expect(cells).toBe(21 * 8 * 10);
  });

  it('names each relation by what is true of the handoff', () => {
    for (const relation of RELATIONS) {
      for (const principal of PURE[relation]) expect(relationsOf(principal, held('accepted'))).toEqual([relation]);
    }
    const everything = held('accepted', { to: SENDER, custody: byHand(null, SENDER) });
    expect(relationsOf(agentPrincipal(SENDER, ['verifier']), everything)).toEqual([
      'sender',
      'recipient',
      'holder',
      'verifier',
    ]);
  });

  it('I12: refuses with who asked for what', () => {
    const refusal = refusalOf(may(FILE, 'cancel', held('offered')));
    expect(refusal).toEqual({
      code: 'not-entitled',
      id: ID,
      op: 'cancel',
      principal: 'file:1000',
      state: 'offered',
      who: ['its sender @sender', 'the operator'],
    });
    expect([OPERATOR, SYSTEM, agentPrincipal(SENDER)].map(principalText)).toEqual(['operator', 'system', '@sender']);
  });

  it('I12, F6: lets a program that moves files settle what it took as a file, and nothing that others hold', () => {
    const taken = held('accepted', { custody: { by: 'hand', holder: RECIPIENT, untilAt: null, file: '1000' } });
    expect(relationsOf(FILE, taken)).toEqual(['file', 'holder']);
    expect((['deliver', 'fail', 'release'] as const).every((op) => may(FILE, op, taken).ok)).toBe(true);
    const other: Principal = { kind: 'file', user: '1001' };
    for (const op of ['deliver', 'fail', 'release'] as const) {
      expect(may(other, op, taken).ok).toBe(false);
      expect(may(FILE, op, held('accepted')).ok).toBe(false);
      expect(may(FILE, op, aHandoff('accepted')).ok).toBe(false);
    }
  });

  it('I12: lets a store apply the right to read as one condition', () => {
    const all = [...RELATIONS.flatMap((relation) => PURE[relation]), agentPrincipal(SENDER, ['chief'])];
    for (const principal of all) {
      // Only the addressee holds, and a file is read by whoever has it: neither is asked of a store.
      if (principal.kind === 'file' || (principal.kind === 'agent' && principal.agent === HOLDER)) continue;
      for (const state of STATES) {
        const scope = readScopeOf(principal);
        const inScope = scope === 'everything' || (scope !== 'nothing' && partiesOf(held(state)).includes(scope.party));
        expect(inScope, `${principalText(principal)} when ${state}`).toBe(may(principal, 'read', held(state)).ok);
      }
    }
  });

  it('I12: tells an agent that is no party of a handoff that there is none', () => {
    for (const op of OPS) {
      const refusal = refusalOf(may(agentPrincipal('stranger' as AgentId), op, held('accepted')));
      expect([op, refusal.code]).toEqual([op, op === 'create' ? 'not-entitled' : 'no-such-handoff']);
    }
    expect(isHidden(FILE, held('accepted'))).toBe(false);
  });

  it('I12: gives a stranger nothing at all', () => {
    for (const principal of PURE.stranger) {
      for (const op of OPS) {
        for (const state of STATES) expect(may(principal, op, held(state)).ok, `${op} when ${state}`).toBe(false);
      }
    }
  });

  it('D6: lets only the recipient accept, and of files whoever moves them', () => {
    const accepting = RELATIONS.filter((relation) =>
      PURE[relation].some((principal) => may(principal, 'accept', held('offered')).ok),
    );
    expect(accepting).toEqual(['recipient', 'file']);
    expect(may(agentPrincipal(SENDER, ['verifier', 'chief']), 'accept', held('offered')).ok).toBe(false);
  });
});

describe('several relations at once', () => {
  it('grant what one of them grants', () => {
    for (const op of OPS.filter((each) => each !== 'verify' && each !== 'rework')) {
      for (const state of STATES) {
        if (op === 'reject' && state === 'delivered') continue;
        const own = held(state, { from: SENDER, to: SENDER, custody: byHand(null, SENDER) });
        const any = (['sender', 'recipient', 'holder', 'verifier'] as const).some((each) => expected(op, each, state));
        expect(may(agentPrincipal(SENDER, ['verifier']), op, own).ok, `${op} when ${state}`).toBe(any);

        const worker = held(state, { custody: byHand(null, RECIPIENT) });
        const either = expected(op, 'recipient', state) || expected(op, 'holder', state);
        expect(may(agentPrincipal(RECIPIENT), op, worker).ok, `${op} when ${state}`).toBe(either);
      }
    }
  });

  it('D8: delivered work completes by itself only where nobody has to verify', () => {
    const free = { terms: termsOf('queue') };
    expect(may(SYSTEM, 'complete', held('delivered')).ok).toBe(false);
    expect(may(SYSTEM, 'complete', held('delivered', free)).ok).toBe(true);
    expect(may(SYSTEM, 'verify', held('delivered', free)).ok).toBe(false);
  });

  it.each(['verify', 'rework'] as const)('D8, I12: sender and doer never %s, whatever else they are', (op) => {
    const lists = [[], [SENDER, RECIPIENT], [LISTED]];
    for (const verifiers of lists) {
      for (const roles of [[], ['verifier'], ['verifier', 'chief']] as const) {
        for (const state of STATES) {
          for (const custody of [null, byHand()]) {
            const handoff = held(state, { custody, terms: termsOf('document', { verifiers }) });
            const bySender = refusalOf(may(agentPrincipal(SENDER, roles), op, handoff));
            expect(bySender).toEqual({ code: 'own-work', id: ID, principal: '@sender', part: 'sender' });
            const byDoer = refusalOf(may(agentPrincipal(RECIPIENT, roles), op, handoff));
            expect(byDoer).toEqual({ code: 'own-work', id: ID, principal: '@recipient', part: 'doer' });
          }
        }
      }
    }
  });

  it.each(['verify', 'rework', 'reject'] as const)('D8: the operator may %s where nobody else can', (op) => {
    const handoff = held('delivered', { terms: termsOf('document', { verifiers: [SENDER, RECIPIENT] }) });
    expect(may(OPERATOR, op, handoff).ok).toBe(true);
    expect(may(agentPrincipal(LISTED), op, handoff).ok).toBe(false);
    expect(may(FILE, op, handoff).ok).toBe(false);
  });

  it('D8: who handed work to itself cannot verify it either', () => {
    const handoff = held('delivered', { to: SENDER, terms: termsOf('document', { verifiers: [SENDER] }) });
    expect(refusalOf(may(agentPrincipal(SENDER, ['verifier']), 'verify', handoff)).code).toBe('own-work');
  });
});
