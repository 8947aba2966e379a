/**
 * What somebody shows for having done a thing. Claimed and verified are different words everywhere: evidence is a claim
 * until a check of the same evidence has passed.
 */
export type Evidence =
  | { readonly kind: 'file'; readonly path: string; readonly sha256: string; readonly bytes?: number }
  | { readonly kind: 'commit'; readonly commit: string }
  | { readonly kind: 'command'; readonly command: string; readonly exitCode: number; readonly outputSha256: string }
  /** The verdict of a shadow test, by its handoff; `tree` is what was tested, `trail` seals what was answered. */
  | { readonly kind: 'shadow'; readonly handoff: string; readonly tree: string; readonly trail: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'note'; readonly text: string };

/** Every kind, in the order in which people read them. */
const KINDS: Readonly<Record<Evidence['kind'], true>> = {
  file: true,
  commit: true,
  command: true,
  shadow: true,
  url: true,
  note: true,
};
export const EVIDENCE_KINDS = Object.keys(KINDS) as readonly Evidence['kind'][];

export interface Claim {
  readonly deliverable: string;
  readonly evidence: readonly Evidence[];
}

/** One answer of the machine about one claim. What no machine can judge (a note, a url) is `held`, not `true`. */
export interface Check {
  readonly deliverable: string;
  readonly verdict: 'true' | 'false' | 'held';
  readonly says: string;
}

/** Deliverables for which nothing at all is shown. */
export function withoutEvidence(deliverables: readonly string[], claims: readonly Claim[]): readonly string[] {
  return deliverables.filter(
    (deliverable) => !claims.some((claim) => claim.deliverable === deliverable && claim.evidence.length > 0),
  );
}

/** Claims about deliverables that nobody asked for: a misspelt name must not count as done. */
export function unknownClaims(deliverables: readonly string[], claims: readonly Claim[]): readonly string[] {
  return claims.map((claim) => claim.deliverable).filter((name) => !deliverables.includes(name));
}

export function falseChecks(checks: readonly Check[]): readonly Check[] {
  return checks.filter((check) => check.verdict === 'false');
}
