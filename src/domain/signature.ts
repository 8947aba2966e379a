/**
 * Signatures of agents over their moves, if an agent has a key. A signature is in the detail of its fact and so part of
 * its hash: removing it breaks the chain, and exports and archives contain it.
 */
import { digestOf } from '../foundation/digest.ts';
import type { JsonObject } from '../foundation/json.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import type { AgentId } from './names.ts';

/** Signs for one agent. The private key stays inside the signer. */
export interface Signer {
  readonly agent: AgentId;
  readonly fingerprint: string;
  /** In base64. */
  sign(text: string): string;
}

/** Under `signed` in the detail of a fact. */
export interface MoveSignature {
  readonly key: string;
  /** The hash of the fact before it. */
  readonly previous: string;
  /** The digest of terms, evidence and judged criteria at the time of the move. */
  readonly content: string;
  readonly value: string;
}

/** The signed data. `said`: the digest of the fact's detail without its signature. */
export interface SignedMove {
  readonly handoff: string;
  readonly previous: string;
  readonly move: string;
  readonly at: number;
  readonly content: string;
  readonly said: string;
}

export function signedText({ handoff, previous, move, at, content, said }: SignedMove): string {
  return JSON.stringify(['baton-move-1', handoff, previous, move, at, content, said]);
}

export function saidDigest(detail: JsonObject | null): string {
  return digestOf(detail === null || Object.keys(detail).length === 0 ? '' : JSON.stringify(detail));
}

/** Returns the detail with the signature added. */
export type SignFact = (
  fact: Omit<Fact, 'hash' | 'detail'>,
  previous: string,
  unsigned: JsonObject | null,
) => JsonObject;

/** Splits a detail into the rest and its signature; null: it has no valid signature object. */
export function splitSignature(detail: string): {
  readonly unsigned: JsonObject | null;
  readonly signature: MoveSignature | null;
} {
  const { signed, ...unsigned } = detailIn({ detail });
  const { key, previous, content, value } = (typeof signed === 'object' && signed !== null ? signed : {}) as JsonObject;
  const parts = { key, previous, content, value };
  const isWhole = Object.values(parts).every((part) => typeof part === 'string');
  return {
    unsigned: Object.keys(unsigned).length === 0 ? null : unsigned,
    signature: isWhole ? (parts as unknown as MoveSignature) : null,
  };
}
