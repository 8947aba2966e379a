/**
 * What an agent shows for finished work. Evidence is a claim until a check of the same evidence has passed: "claimed" and
 * "verified" never mean the same.
 */
import { list, object, optional, text, variants, type Shape } from './field-shapes.ts';

export type Evidence =
  | { readonly kind: 'file'; readonly path: string; readonly sha256: string; readonly bytes?: number }
  | { readonly kind: 'commit'; readonly commit: string }
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly exitCode: number;
      readonly outputSha256: string;
      /** Files of the workspace that the command names, with their digests when it passed. */
      readonly files?: readonly NamedFile[];
      /** It was never run on this machine: only a commit or an import says that it passed. */
      readonly elsewhere?: true;
    }
  /** The verdict of a shadow test, by its handoff. `tree` is the tested content; `trail` is the head of the handoff's trail. */
  | { readonly kind: 'shadow'; readonly handoff: string; readonly tree: string; readonly trail: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'note'; readonly text: string };

export interface NamedFile {
  readonly path: string;
  readonly sha256: string;
}

/** Each kind once, in the order for display. The fields of a kind are in the order of their names. */
const EVIDENCE = {
  file: object<Of<'file'>>({ bytes: optional<number>({ type: 'integer' }), path: text(), sha256: text() }),
  commit: object<Of<'commit'>>({ commit: text() }),
  command: object<Of<'command'>>({
    command: text(),
    elsewhere: optional<true>({ type: 'json' } as never),
    exitCode: { type: 'integer' },
    files: optional(list(object<NamedFile>({ path: text(), sha256: text() }))),
    outputSha256: text(),
  }),
  shadow: object<Of<'shadow'>>({ handoff: text(), trail: text(), tree: text() }),
  url: object<Of<'url'>>({ url: text() }),
  note: object<Of<'note'>>({ text: text() }),
} as const;
type Of<Kind extends Evidence['kind']> = Omit<Extract<Evidence, { readonly kind: Kind }>, 'kind'>;

/** The text form of a kind, `kind:VALUE#name=seen,…`: the field of the value, and the fields that a machine recorded. */
export interface EvidenceForm {
  readonly value: string;
  /** The pattern of the value in recorded evidence. @default anything */
  readonly form?: string;
  readonly seen?: readonly {
    readonly name: string;
    readonly field: string;
    readonly form: string;
    readonly isNumber?: true;
  }[];
}

const SHA256 = '[0-9a-f]{64}';

export const EVIDENCE_FORMS: { readonly [Kind in Evidence['kind']]: EvidenceForm } = {
  file: { value: 'path', seen: [{ name: 'sha256', field: 'sha256', form: SHA256 }] },
  commit: { value: 'commit', form: '[0-9a-f]{40,64}' },
  command: {
    value: 'command',
    seen: [
      { name: 'exit', field: 'exitCode', form: '-?\\d{1,10}', isNumber: true },
      { name: 'sha256', field: 'outputSha256', form: SHA256 },
    ],
  },
  shadow: {
    value: 'handoff',
    form: '[A-Za-z0-9._-]+',
    seen: [
      { name: 'tree', field: 'tree', form: '[0-9a-f]{40,64}' },
      { name: 'trail', field: 'trail', form: '[A-Za-z0-9_-]{1,100}' },
    ],
  },
  url: { value: 'url' },
  note: { value: 'text' },
};

/** The value alone: a path, an id, a command line, an address or a note. */
export function evidenceValue(evidence: Evidence): string {
  return String(evidence[EVIDENCE_FORMS[evidence.kind].value as keyof Evidence]);
}

export const EVIDENCE_KINDS = Object.keys(EVIDENCE) as readonly Evidence['kind'][];

export interface Claim {
  readonly deliverable: string;
  readonly evidence: readonly Evidence[];
}

export const CLAIMS: Shape<readonly Claim[]> = list(
  object<Claim>({ deliverable: text(), evidence: list(variants<Evidence, 'kind'>('kind', EVIDENCE)) }),
);

/** The result of checking one claim. A claim that no machine can check (a note, a url) is `held`, not `true`. */
export interface Check {
  readonly deliverable: string;
  readonly verdict: 'true' | 'false' | 'held';
  readonly says: string;
}

/** Deliverables without any evidence. */
export function withoutEvidence(deliverables: readonly string[], claims: readonly Claim[]): readonly string[] {
  return deliverables.filter(
    (deliverable) => !claims.some((claim) => claim.deliverable === deliverable && claim.evidence.length > 0),
  );
}

/** Claims about deliverables that were not asked for: a misspelled name must not count as done. */
export function unknownClaims(deliverables: readonly string[], claims: readonly Claim[]): readonly string[] {
  return claims.map((claim) => claim.deliverable).filter((name) => !deliverables.includes(name));
}

export function falseChecks(checks: readonly Check[]): readonly Check[] {
  return checks.filter((check) => check.verdict === 'false');
}
