/**
 * How far a completion is proven: one pure function of the record and the fact that completed it. Every interface,
 * document, report and export shows its result, and the doctor compares the stored level with it.
 *
 * If in doubt, the level is the lower one: a completion that looks better than it is costs more than a second check.
 */
import type { JsonObject } from '../foundation/json.ts';
import type { Check } from './evidence.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import type { Handoff } from './handoff.ts';

/** From best to worst. */
export const ASSURANCES = ['verified', 'attested', 'unverified', 'reported'] as const;
export type Assurance = (typeof ASSURANCES)[number];

/** The levels that a record stores. Nearly all completions are `unverified`, which is stored as null. */
export const PROVEN_OTHERWISE = ['verified', 'attested', 'reported'] as const satisfies readonly Assurance[];

/** Null: the handoff is not completed. */
export function assuranceOf({ state, assurance }: Pick<Handoff, 'state' | 'assurance'>): Assurance | null {
  return state === 'completed' ? (assurance ?? 'unverified') : null;
}

/** In one sentence each, for help, documents and the dashboard. */
export const ASSURANCE_TEXT = {
  verified: 'somebody else with a proven identity agreed, and the machine checked the evidence again at that moment',
  attested: 'somebody else agreed, but their identity was not proven or the machine could not check the evidence',
  unverified: 'completed, and nobody was asked to check it',
  reported: 'known only from a commit, an import, an older file or a summary',
} as const satisfies Record<Assurance, string>;

export function isAtLeast(assurance: Assurance, wanted: Assurance): boolean {
  return ASSURANCES.indexOf(assurance) <= ASSURANCES.indexOf(wanted);
}

export interface Judgement {
  readonly assurance: Assurance;
  /** Why the level is not higher, or what makes the completion verified. */
  readonly because: string;
}

/** How the principal of a fact was proven. */
export type Proof =
  | { readonly by: 'token'; readonly token: string; readonly user: string | null }
  | { readonly by: 'local' }
  | { readonly by: 'file'; readonly user: string }
  /** `key`: the fingerprint of the registered key that signed the commit; null: the author is only a text. */
  | { readonly by: 'git'; readonly author: string; readonly key: string | null }
  | { readonly by: 'system' };

/** The proof of the principal in the detail of a fact. An agent or operator without one was named by a local user. */
interface ProofDetail {
  /** Such as `token tok-0123`, or `git SHA256:…`. */
  readonly via?: string;
  /** The user of this machine who showed the token, if identity is local. */
  readonly user?: string;
}

export function proofOf(fact: Pick<Fact, 'by' | 'detail'>): Proof {
  const { by } = fact;
  if (by === 'system') return { by: 'system' };
  const { via, user } = detailIn(fact) as ProofDetail;
  if (by.startsWith('file:')) return { by: 'file', user: writerIn(by) };
  if (by.startsWith('git:')) {
    const key = via?.startsWith(GIT_KEY) === true ? via.slice(GIT_KEY.length) : null;
    return { by: 'git', author: writerIn(by), key };
  }
  if (via?.startsWith(TOKEN) === true) return { by: 'token', token: via.slice(TOKEN.length), user: user ?? null };
  return { by: 'local' };
}

const TOKEN = 'token ';
const GIT_KEY = 'git ';

export function viaToken(id: string): string {
  return `${TOKEN}${id}`;
}

export function viaKey(fingerprint: string): string {
  return `${GIT_KEY}${fingerprint}`;
}

/** Such as `token tok-0123`, `local`, `file 1000`, `git qa@example.org (key SHA256:…)`, `system`. */
export function proofText(proof: Proof): string {
  switch (proof.by) {
    case 'token':
      return `token ${proof.token}${proof.user === null ? '' : ` (user ${proof.user} of this machine)`}`;
    case 'file':
      return `file ${proof.user}`;
    case 'git':
      return `git ${proof.author}${proof.key === null ? ' (not signed)' : ` (key ${proof.key})`}`;
    case 'local':
    case 'system':
      return proof.by;
  }
}

/** `last` is the fact that completed the handoff. No fact follows it, except an erasure. */
export function judgeCompletion(handoff: Pick<Handoff, 'terms' | 'lineage'>, last: Fact): Judgement {
  const { imported } = handoff.lineage;
  if (imported !== undefined) return { assurance: 'reported', because: `it was imported from ${imported}` };
  // Fast path: nearly every handoff needs no verifier, and then there is no detail to parse.
  if (last.deed === 'complete' && last.detail === '') return UNVERIFIED;
  const detail = detailIn(last);
  const { reported } = detail;
  if (typeof reported === 'string') return { assurance: 'reported', because: `it is known only from ${reported}` };
  const proof = proofOf(last);
  if (proof.by === 'git') {
    if (proof.key === null) return { assurance: 'reported', because: 'it is known only from a commit' };
    return { assurance: 'attested', because: 'a signed commit says so; the evidence was not checked here' };
  }
  if (detail['imported'] === true) return { assurance: 'reported', because: 'it was settled before it came here' };
  if (last.deed === 'complete' || proof.by === 'system') return UNVERIFIED;
  const doubts = [...doubtsAboutIdentity(proof, detail), ...doubtsAboutEvidence(handoff, detail)];
  return doubts.length === 0
    ? { assurance: 'verified', because: 'proven identity, evidence checked again' }
    : { assurance: 'attested', because: doubts.join('; ') };
}

const UNVERIFIED: Judgement = { assurance: 'unverified', because: 'nobody was asked to check it' };

/** The level as the record stores it. */
export function assuranceAfter(handoff: Handoff, fact: Fact): Handoff['assurance'] {
  if (handoff.state !== 'completed') return null;
  // An erasure does not change the level.
  if (fact.deed === 'erase') return handoff.assurance;
  const { assurance } = judgeCompletion(handoff, fact);
  return assurance === 'unverified' ? null : assurance;
}

function doubtsAboutIdentity(proof: Proof, detail: JsonObject): readonly string[] {
  if (proof.by !== 'token') return [`the identity was not proven (${proofText(proof)})`];
  return detail['sameUser'] === true ? ['the same user of this machine delivered it and agreed'] : [];
}

function doubtsAboutEvidence({ terms }: Pick<Handoff, 'terms'>, detail: JsonObject): readonly string[] {
  if (terms.deliverables.length === 0) return ['no deliverables were asked for, so there was no evidence to check'];
  const checks = Array.isArray(detail['checks']) ? (detail['checks'] as unknown as readonly Check[]) : [];
  const open = terms.deliverables.filter(
    (name) => !checks.some(({ deliverable, verdict }) => deliverable === name && verdict === 'true'),
  );
  return open.length === 0 ? [] : [`no evidence that a machine can check for ${open.join(', ')}`];
}

/** Who wrote a file or a commit: `git:qa@example.org as @qa` → `qa@example.org`. */
function writerIn(by: string): string {
  const after = by.slice(by.indexOf(':') + 1);
  const at = after.lastIndexOf(' as ');
  return at < 0 ? after : after.slice(0, at);
}
