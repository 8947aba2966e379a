/**
 * Signatures of agents over their moves, where an agent has a key. They stand in the detail of the fact and so inside
 * its hash: nobody takes one away without breaking the chain, and every place that carries facts carries them.
 */
import { digestOf } from '../foundation/digest.ts';
import type { JsonObject } from '../foundation/json.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import type { AgentId } from './names.ts';

/** Signs for one agent. The private key stays with the maker of the signer. */
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
  /** The digest of terms, evidence and judged criteria at that moment. */
  readonly content: string;
  readonly value: string;
}

/** What a signature is about. `said`: the digest of the detail of the fact without its signature. */
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

/** Answers the detail with the signature. */
export type SignFact = (fact: Omit<Fact, 'hash' | 'detail'>, previous: string, told: JsonObject | null) => JsonObject;

/** A detail without its signature, and the signature; null: it has none that can be read. */
export function splitSignature(detail: string): {
  readonly told: JsonObject | null;
  readonly signature: MoveSignature | null;
} {
  const { signed, ...told } = detailIn({ detail });
  const { key, previous, content, value } = (typeof signed === 'object' && signed !== null ? signed : {}) as JsonObject;
  const parts = { key, previous, content, value };
  const isWhole = Object.values(parts).every((part) => typeof part === 'string');
  return {
    told: Object.keys(told).length === 0 ? null : told,
    signature: isWhole ? (parts as unknown as MoveSignature) : null,
  };
}
