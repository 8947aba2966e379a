/**
 * Who may do what: one table, deny by default. The lifecycle says whether a move exists; this table says who may make it.
 *
 * A principal has relations to a handoff (sender, recipient, holder, …). One relation that grants the operation in the
 * present state is enough, except that nobody may judge their own work.
 */
import { err, ok, type Result } from '../foundation/result.ts';
import { UNSUCCESSFUL_STATES } from './dependencies.ts';
import type { Handoff } from './handoff.ts';
import { FINAL_STATES, OPEN_STATES, STATES, type State } from './lifecycle.ts';
import type { AgentId } from './names.ts';
import { principalText, type Principal } from './principal.ts';
import type { Refusal } from './refusals.ts';
import { needsVerifier } from './verification.ts';

/** Each operation with its participle, for messages. */
export const DONE_WORDS = {
  create: 'created',
  offer: 'activated',
  accept: 'accepted',
  renew: 'renewed',
  progress: 'worked on',
  deliver: 'delivered',
  fail: 'failed',
  release: 'released',
  block: 'blocked',
  unblock: 'unblocked',
  reject: 'rejected',
  verify: 'verified',
  rework: 'sent back',
  cancel: 'cancelled',
  retry: 'retried',
  expire: 'expired',
  follow: 'followed',
  read: 'read',
  complete: 'completed',
  revise: 'revised',
  erase: 'erased before it is over',
} as const;
export type Op = keyof typeof DONE_WORDS;
export const OPS = Object.keys(DONE_WORDS) as readonly Op[];

export const RELATIONS = [
  'sender',
  'recipient',
  'holder',
  'verifier',
  'operator',
  'system',
  'file',
  'stranger',
] as const;
export type Relation = (typeof RELATIONS)[number];

const EVERY = STATES;
const HELD: readonly State[] = ['accepted'];

/** The states in which a relation grants the operation. A missing cell denies it. */
export const RIGHTS: Record<Op, Partial<Record<Relation, readonly State[]>>> = {
  // The system sends scheduled work.
  create: { sender: EVERY, operator: EVERY, system: EVERY, file: EVERY },
  offer: { sender: ['draft'], operator: ['draft'] },
  revise: { sender: ['draft'], operator: ['draft'] },
  accept: { recipient: ['offered'], file: ['offered'] },
  renew: { holder: HELD },
  progress: { holder: HELD },
  deliver: { holder: HELD },
  fail: {
    holder: HELD,
    operator: ['offered', 'blocked', 'accepted', 'delivered'],
    system: ['blocked', 'accepted'],
  },
  release: { holder: HELD, operator: HELD, system: HELD },
  block: { holder: HELD, operator: ['offered', 'accepted'], system: ['offered', 'blocked'] },
  unblock: { sender: ['blocked'], recipient: ['blocked'], operator: ['blocked'], system: ['blocked'] },
  reject: { recipient: ['offered', 'accepted'], verifier: ['delivered'], operator: ['delivered'] },
  verify: { verifier: ['delivered'], operator: ['delivered'] },
  // The system completes if no verifier is required.
  complete: { system: ['delivered'] },
  rework: { verifier: ['delivered'], operator: ['delivered'] },
  cancel: { sender: OPEN_STATES, operator: OPEN_STATES },
  retry: { sender: UNSUCCESSFUL_STATES, operator: UNSUCCESSFUL_STATES },
  erase: { operator: FINAL_STATES },
  expire: { system: ['draft', 'offered', 'blocked', 'delivered'] },
  // Sending another handoff in the same chain. A mere verifier is no party of the chain.
  follow: { sender: EVERY, recipient: EVERY, holder: EVERY, operator: EVERY, system: EVERY },
  read: { sender: EVERY, recipient: EVERY, holder: EVERY, verifier: EVERY, operator: EVERY, system: EVERY },
};

export function may(asking: Principal, op: Op, handoff: Handoff): Result<true, Refusal> {
  const principal = asking.kind === 'writer' ? asking.as : asking;
  const own = isJudging(op, handoff) ? ownPart(principal, handoff) : null;
  if (own !== null) {
    return err({ code: 'own-work', id: handoff.id, principal: principalText(asking), part: own });
  }
  if (!needsVerifierInstead(op, handoff) && grants(principal, op, handoff)) return ok(true);
  // The creator of the handoff knows that it exists, so its existence need not be hidden.
  if (op !== 'create' && isHidden(asking, handoff)) return err({ code: 'no-such-handoff', id: handoff.id });
  const { id, state } = handoff;
  return err({ code: 'not-entitled', id, op, principal: principalText(asking), state, who: entitledTo(op, handoff) });
}

/** People and agents who may do it instead. */
function entitledTo(op: Op, { from, to, state, custody, terms }: Handoff): readonly string[] {
  const words: Partial<Record<Relation, string>> = {
    sender: `its sender @${from}`,
    recipient: `its recipient @${to}`,
    ...(custody === null ? {} : { holder: `@${custody.holder}, who has it,` }),
    verifier:
      terms.verifiers.length === 0
        ? 'a verifier'
        : `its verifier ${terms.verifiers.map((name) => `@${name}`).join(' or ')}`,
    operator: 'the operator',
  };
  return RELATIONS.flatMap((relation) =>
    RIGHTS[op][relation]?.includes(state) === true ? (words[relation] ?? []) : [],
  );
}

function grants(principal: Principal, op: Op, handoff: Handoff): boolean {
  return relationsOf(principal, handoff).some((relation) => RIGHTS[op][relation]?.includes(handoff.state));
}

export function relationsOf(principal: Principal, handoff: Handoff): readonly Relation[] {
  if (principal.kind === 'writer') return relationsOf(principal.as, handoff);
  if (principal.kind === 'file') return isHeldAsFileBy(principal.user, handoff) ? ['file', 'holder'] : ['file'];
  if (principal.kind !== 'agent') return [principal.kind];
  const relations: Relation[] = [];
  if (principal.agent === handoff.from) relations.push('sender');
  if (principal.agent === handoff.to) relations.push('recipient');
  if (principal.agent === handoff.custody?.holder) relations.push('holder');
  if (principal.roles.includes('verifier') || handoff.terms.verifiers.includes(principal.agent)) {
    relations.push('verifier');
  }
  return relations.length > 0 ? relations : ['stranger'];
}

/**
 * Whether an agent must not learn that the handoff exists. For such an agent every operation answers as if there were no
 * such handoff: any other answer would reveal its state, its revision or its parties. Programs that move files and writers
 * of documents are excluded: they already have the text.
 */
export function isHidden(principal: Principal, handoff: Handoff): boolean {
  return principal.kind === 'agent' && !grants(principal, 'read', handoff);
}

/**
 * The same rule for queries: `may(principal, 'read', handoff)` for all handoffs at once. Stores filter hidden records
 * before they count or paginate.
 *
 * The holder is not mentioned, because only the recipient can be the holder.
 */
export type ReadScope = 'everything' | 'nothing' | { readonly party: AgentId };

export function readScopeOf(principal: Principal): ReadScope {
  switch (principal.kind) {
    case 'writer':
      return readScopeOf(principal.as);
    case 'operator':
    case 'system':
      return 'everything';
    case 'file':
      return 'nothing';
    case 'agent':
      return principal.roles.includes('verifier') ? 'everything' : { party: principal.agent };
  }
}

/** The agents that a handoff names. */
export function partiesOf({ from, to, terms }: Handoff): readonly AgentId[] {
  return [from, to, ...terms.verifiers];
}

/** A program that moves files may settle what it took as a file, but never what a Baton worker holds. */
function isHeldAsFileBy(user: string, { custody }: Handoff): boolean {
  return custody?.by === 'hand' && custody.file === user;
}

/** Denied to sender and doer, whatever other relations they have. */
function isJudging(op: Op, { state }: Handoff): boolean {
  return op === 'verify' || op === 'rework' || (op === 'reject' && state === 'delivered');
}

/** The system completes only if no verifier is required. */
function needsVerifierInstead(op: Op, handoff: Handoff): boolean {
  return op === 'complete' && needsVerifier(handoff);
}

function ownPart(principal: Principal, handoff: Handoff): 'sender' | 'doer' | null {
  if (principal.kind !== 'agent') return null;
  if (principal.agent === handoff.from) return 'sender';
  // Only the recipient can accept, so the recipient is the doer of every attempt.
  return principal.agent === handoff.to ? 'doer' : null;
}
