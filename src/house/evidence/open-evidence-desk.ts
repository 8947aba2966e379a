/** The desk of a workspace: looks at what is shown with the machine's own eyes, one piece after the other. */
import type { Check, Claim, Evidence } from '../../domain/evidence.ts';
import type { AskedEvidence, EvidenceDesk } from '../../engine/evidence-desk.ts';
import { firstLookAtCommand, secondLookAtCommand, type CommandRules } from './command-evidence.ts';
import { firstLookAtCommit, secondLookAtCommit } from './commit-evidence.ts';
import { firstLookAtFile, secondLookAtFile } from './file-evidence.ts';
import { untrue, type Look } from './look.ts';
import { firstLookAtShadow, secondLookAtShadow, type ShadowRules } from './shadow-evidence.ts';
import { lookAtNote, lookAtUrl } from './word-evidence.ts';

/** More than anybody reads; a list beyond it is a mistake or an attack. */
const PIECES_MAX = 500;

export type EvidenceDeskOptions = CommandRules & ShadowRules;

export function openEvidenceDesk(options: EvidenceDeskOptions): EvidenceDesk {
  return {
    async collect(asked, signal) {
      const looks = await lookOnce(asked, keyOfAsked, (piece) => firstLook(piece, options, signal), signal);
      return { claims: claimsOf(asked, looks), checks: checksOf(asked, looks) };
    },
    async check(claims, signal) {
      const pieces = claims.flatMap(({ deliverable, evidence }) => evidence.map((each) => ({ deliverable, each })));
      const looks = await lookOnce(
        pieces,
        ({ each }) => JSON.stringify(each),
        ({ each }) => secondLook(each, options, signal),
        signal,
      );
      return checksOf(pieces, looks);
    },
  };
}

/** In order, never at once: commands share the folder. The same thing shown for two deliverables is looked at once. */
async function lookOnce<Piece>(
  pieces: readonly Piece[],
  keyOf: (piece: Piece) => string,
  look: (piece: Piece) => Promise<Look>,
  signal?: AbortSignal,
): Promise<readonly Look[]> {
  const known = new Map<string, Look>();
  const looks: Look[] = [];
  for (const [index, piece] of pieces.entries()) {
    signal?.throwIfAborted();
    const key = keyOf(piece);
    const answer = known.get(key) ?? (index < PIECES_MAX ? await look(piece) : TOO_MANY);
    known.set(key, answer);
    looks.push(answer);
  }
  return looks;
}

const TOO_MANY = untrue(`more than ${PIECES_MAX} pieces of evidence at once; show what proves the most`);

function firstLook({ kind, value }: AskedEvidence, options: EvidenceDeskOptions, signal?: AbortSignal): Promise<Look> {
  switch (kind) {
    case 'file':
      return firstLookAtFile(value, options.folder, signal);
    case 'commit':
      return firstLookAtCommit(value, options.folder, signal);
    case 'command':
      return firstLookAtCommand(value, options, signal);
    case 'shadow':
      return firstLookAtShadow(value, options);
    case 'url':
      return Promise.resolve(lookAtUrl(value));
    case 'note':
      return Promise.resolve(lookAtNote(value));
  }
}

function secondLook(evidence: Evidence, options: EvidenceDeskOptions, signal?: AbortSignal): Promise<Look> {
  switch (evidence.kind) {
    case 'file':
      return secondLookAtFile(evidence, options.folder, signal);
    case 'commit':
      return secondLookAtCommit(evidence, options.folder, signal);
    case 'command':
      return secondLookAtCommand(evidence, options, signal);
    case 'shadow':
      return secondLookAtShadow(evidence, options);
    case 'url':
      return Promise.resolve(lookAtUrl(evidence.url));
    case 'note':
      return Promise.resolve(lookAtNote(evidence.text));
  }
}

function keyOfAsked({ kind, value }: AskedEvidence): string {
  return `${kind}:${value}`;
}

function claimsOf(asked: readonly AskedEvidence[], looks: readonly Look[]): readonly Claim[] {
  const shown = new Map<string, Evidence[]>();
  for (const [index, { deliverable }] of asked.entries()) {
    const evidence = looks[index]?.evidence ?? null;
    shown.set(deliverable, [...(shown.get(deliverable) ?? []), ...(evidence === null ? [] : [evidence])]);
  }
  return [...shown].map(([deliverable, evidence]) => ({ deliverable, evidence }));
}

function checksOf(pieces: readonly { readonly deliverable: string }[], looks: readonly Look[]): readonly Check[] {
  return looks.map(({ verdict, says }, index) => ({
    deliverable: pieces[index]?.deliverable ?? '',
    verdict,
    says,
  }));
}
