/** Signs the moves of agents that have a key, and checks signatures against registered keys, without a database. */
import { instantText } from '../foundation/instant-text.ts';
import { digestOf } from '../foundation/digest.ts';
import { textIn, type JsonObject } from '../foundation/json.ts';
import { isSignedBy } from '../foundation/ssh-key.ts';
import { isErasure } from '../domain/erasure.ts';
import type { Claim } from '../domain/evidence.ts';
import { NO_TRAIL, type Fact } from '../domain/facts.ts';
import type { Handoff } from '../domain/handoff.ts';
import { speakerIn, type Principal } from '../domain/principal.ts';
import {
  saidDigest,
  signedText,
  splitSignature,
  type MoveSignature,
  type SignedMove,
  type SignFact,
} from '../domain/signature.ts';
import { evidenceItems, writeEvidence } from '../formats/document/evidence-text.ts';
import type { DocumentFields } from '../formats/document/schema.ts';
import type { RegisteredKey } from './context.ts';

/** Null: the principal has no key, and signs nothing. `handoff` is the record after the move. */
export function signingAs(principal: Principal, handoff: Handoff): SignFact | null {
  const signer = principal.kind === 'agent' ? principal.signer : undefined;
  if (signer === undefined) return null;
  return ({ handoff: id, deed, at }, previous, told) => {
    const content = contentOf(handoff, handoff.claims, told);
    const text = signedText({ handoff: id, previous, move: deed, at, content, said: saidDigest(told) });
    return { ...told, signed: { key: signer.fingerprint, previous, content, value: signer.sign(text) } };
  };
}

/** Terms, evidence and judged criteria, as far as a document contains them too: both can be checked against a signature. */
interface Content {
  readonly from: string;
  readonly to: string;
  readonly title: string;
  readonly task: string;
  readonly deliverables: readonly string[];
  readonly criteria: readonly string[];
  /** Each with what is shown for it. */
  readonly evidence: readonly (readonly [deliverable: string, pieces: readonly string[]])[];
  /** The statement of the verifier on each criterion. Null: not judged. */
  readonly judged: readonly (string | null)[];
}

function digestOfContent(content: Content): string {
  const { from, to, title, task, deliverables, criteria, evidence, judged } = content;
  return digestOf(JSON.stringify([from, to, title, task, deliverables, criteria, evidence, judged]));
}

function contentOf(
  { id, from, to, title, task, terms }: Handoff,
  claims: readonly Claim[],
  told: JsonObject | null,
): string {
  const { deliverables, criteria } = terms;
  const judged = Array.isArray(told?.['criteria']) ? (told['criteria'] as readonly JsonObject[]) : [];
  return digestOfContent({
    from,
    to,
    title: title ?? task ?? id,
    task: task ?? 'none',
    deliverables,
    criteria,
    evidence: claims.map(({ deliverable, evidence }) => [
      deliverable,
      evidence.map((each) => writeEvidence(each).trim()),
    ]),
    judged: criteria.map((name) => textIn(judged.find(({ criterion }) => criterion === name)?.['says'])),
  });
}

/** `erased`: what was signed is gone, and the signature with it. `missing`: the agent had a key. `changed`: the record is no longer what was signed. */
type SignatureVerdict =
  | 'good'
  | 'unsigned'
  | 'missing'
  | 'forged'
  | 'changed'
  | 'unknown-key'
  | 'wrong-agent'
  | 'revoked'
  | 'retired'
  | 'erased';

export interface CheckedMove {
  readonly revision: number | null;
  readonly move: string;
  readonly by: string;
  readonly at: number;
  readonly verdict: SignatureVerdict;
  readonly says: string;
}

/** Whether a verdict is a reason to distrust a move. A move that did not need a signature is none. */
export function isSuspicious({ verdict }: CheckedMove): boolean {
  return verdict !== 'good' && verdict !== 'unsigned' && verdict !== 'erased';
}

/** Each move of an agent, with what its signature proves. The hashes of the trail are checked elsewhere. */
export function checkTrail(
  handoff: Handoff,
  facts: readonly Fact[],
  keys: readonly RegisteredKey[],
): readonly CheckedMove[] {
  const erasedBefore = facts.findLast(isErasure)?.revision ?? 0;
  const lastRevision = facts.findLast(({ deed }) => deed === 'revise')?.revision ?? 0;
  const lastDelivery = facts.findLast(({ deed }) => deed === 'deliver')?.revision ?? 0;
  const firstDelivery = facts.find(({ deed }) => deed === 'deliver')?.revision ?? Infinity;
  return facts.flatMap((fact, index) => {
    const { revision, by, deed, at } = fact;
    if (!by.startsWith('@')) return [];
    if (revision < erasedBefore) return [{ revision, move: deed, by, at, ...ERASED }];
    const { unsigned: told, signature } = splitSignature(fact.detail);
    const previous = facts[index - 1]?.hash ?? NO_TRAIL;
    const said = saidDigest(told);
    const claims = revision < firstDelivery ? [] : handoff.claims;
    // A record has only the terms of its last revision and the evidence of its last delivery. Earlier ones cannot be
    // compared with their signature.
    const isKnown = revision >= lastRevision && (revision < firstDelivery || revision >= lastDelivery);
    const now = isKnown ? contentOf(handoff, claims, told) : null;
    const move = { handoff: handoff.id, previous, move: deed, at, said };
    const judged =
      signature === null
        ? withoutSignature(by, at, keys, told?.['secrets'] !== undefined)
        : judgeSignature({ ...move, content: signature.content }, signature, by, now, keys);
    return [{ revision, move: deed, by, at, ...judged }];
  });
}

type Judged = Pick<CheckedMove, 'verdict' | 'says'>;

const ERASED: Judged = { verdict: 'erased', says: 'erased; the seal of the erasure holds what is left' };

function withoutSignature(by: string, at: number, keys: readonly RegisteredKey[], hadSecrets: boolean): Judged {
  const key = keys.find((each) => `@${each.agent}` === by && each.addedAt <= at && isGoodAt(each, at));
  if (key === undefined) return { verdict: 'unsigned', says: `not signed; ${by} had no key` };
  const why = hadSecrets ? ': a secret was found in it' : '';
  return { verdict: 'missing', says: `not signed, although ${by} had the key ${key.fingerprint}${why}` };
}

function isGoodAt({ revokedAt, retiredAt }: RegisteredKey, at: number): boolean {
  return (revokedAt === null || at < revokedAt) && (retiredAt === null || at < retiredAt);
}

/** `now`: the digest of what the record says today; null: that can no longer be known. */
function judgeSignature(
  move: SignedMove,
  { key: fingerprint, value }: Pick<MoveSignature, 'key' | 'value'>,
  by: string,
  now: string | null,
  keys: readonly RegisteredKey[],
): Judged {
  const key = keys.find((each) => each.fingerprint === fingerprint);
  if (key === undefined) return { verdict: 'unknown-key', says: `signed with ${fingerprint}, which is not registered` };
  if (!isSignedBy(key, Buffer.from(signedText(move)), Buffer.from(value, 'base64'))) {
    return { verdict: 'forged', says: `the signature with ${fingerprint} does not fit this move` };
  }
  if (`@${key.agent}` !== by) return { verdict: 'wrong-agent', says: `signed with a key of @${key.agent}` };
  if (now !== null && now !== move.content) {
    return { verdict: 'changed', says: 'terms, evidence or criteria are not those that were signed' };
  }
  // A thief of the key can choose the date, so a date proves nothing once the key may be stolen.
  if (key.revokedAt !== null) {
    return {
      verdict: 'revoked',
      says: `signed with ${fingerprint}, which was revoked at ${instantText(key.revokedAt)}`,
    };
  }
  if (key.retiredAt !== null && move.at >= key.retiredAt) {
    return {
      verdict: 'retired',
      says: `signed with ${fingerprint} after it was retired at ${instantText(key.retiredAt)}`,
    };
  }
  return { verdict: 'good', says: `signed with ${fingerprint}` };
}

/** The signature of one move in a document. */
export interface WrittenSignature {
  readonly by: string;
  readonly at: string;
  /** Present if the move differs from that of the field. */
  readonly move?: 'revise';
  readonly previous: string;
  readonly said: string;
  readonly key: string;
  readonly value: string;
}

/** Null: the fact is not signed. */
export function writtenSignature(fact: Fact): WrittenSignature | null {
  const { unsigned: told, signature } = splitSignature(fact.detail);
  const speaker = speakerIn(fact.by);
  if (signature === null || speaker === null) return null;
  const { key, previous, value } = signature;
  const revised = fact.deed === 'revise' ? { move: fact.deed } : {};
  return { by: speaker, at: instantText(fact.at), ...revised, previous, said: saidDigest(told), key, value };
}

/** The fields of a document with signatures, and the moves that they sign. */
export const SIGNATURE_FIELDS = {
  created_signature: 'create',
  delivered_signature: 'deliver',
  completion_signature: 'verify',
} as const satisfies Partial<Record<keyof DocumentFields, string>>;

/** A document has whole seconds: a key that was registered within that second could have signed. */
const WITHIN_SECOND_MS = 999;

/** The moves in a document that could be signed, with what each signature proves. */
export function checkDocument(fields: DocumentFields, keys: readonly RegisteredKey[]): readonly CheckedMove[] {
  const told = [
    { field: 'created_signature', by: fields.from_agent, at: fields.created_at },
    { field: 'delivered_signature', by: fields.to_agent, at: fields.delivered_at },
    { field: 'completion_signature', by: fields.completion_verified_by, at: fields.completed_at },
  ] as const;
  return told.flatMap(({ field, by, at }): readonly CheckedMove[] => {
    const written = fields[field] ?? null;
    // A revision of the draft is signed anew.
    const isRevised = field === 'created_signature' && written?.['move'] === 'revise';
    const move = isRevised ? 'revise' : SIGNATURE_FIELDS[field];
    if (written === null) {
      if (typeof by !== 'string' || typeof at !== 'string') return [];
      const atMs = Date.parse(at);
      const judged = withoutSignature(`@${by}`, atMs + WITHIN_SECOND_MS, keys, false);
      return [{ revision: null, move, by: `@${by}`, at: atMs, ...judged }];
    }
    const { previous, said, key, value } = written;
    const atMs = Date.parse(written.at);
    // The content of the document is what was signed: there is no second digest to compare.
    const content = contentIn(fields, move);
    const about = { handoff: fields.handoff_id ?? '', previous, move, at: atMs, content, said };
    const signer = `@${written.by}`;
    const isOther = move === 'verify' && by !== undefined && by !== written.by;
    const judged: Judged = isOther
      ? {
          verdict: 'wrong-agent',
          says: `signed by ${signer}, and the document names ${by === null ? 'nobody' : `@${by}`}`,
        }
      : judgeSignature(about, { key, value }, signer, null, keys);
    return [{ revision: null, move, by: signer, at: atMs, ...judged }];
  });
}

function contentIn(fields: DocumentFields, move: string): string {
  const {
    deliverables = [],
    verification_criteria: criteria = [],
    deliverable_status: marks,
    criteria_checks: checks,
  } = fields;
  const evidence = (marks ?? []).map(({ deliverable, evidence: shown }): readonly [string, readonly string[]] => [
    deliverable,
    evidenceItems(shown ?? undefined).map((piece) => piece.trim()),
  ]);
  return digestOfContent({
    from: fields.from_agent ?? '',
    to: fields.to_agent ?? '',
    title: fields.title ?? '',
    task: fields.related_task ?? '',
    deliverables,
    criteria,
    evidence: move === 'create' || move === 'revise' ? [] : evidence,
    judged: criteria.map((name) =>
      move === 'verify' ? textIn((checks ?? []).find(({ criterion }) => criterion === name)?.says) : null,
    ),
  });
}
