/** The desk of a workspace: looks at what is shown with the machine's own eyes, one piece after the other. */
import { hostname } from 'node:os';
import type { Check, Claim, Evidence } from '../../domain/evidence.ts';
import {
  withFixedCheck,
  type EvidenceRequest,
  type EvidenceChecker,
  type EvidenceFor,
  type ShownEvidence,
} from '../../engine/evidence-checker.ts';
import { firstLookAtCommand, secondLookAtCommand, type CommandRules } from './command-evidence.ts';
import { firstLookAtCommit, secondLookAtCommit } from './commit-evidence.ts';
import { diffOf } from './evidence-diff.ts';
import { firstLookAtFile, secondLookAtFile } from './file-evidence.ts';
import { untrue, type Finding } from './finding.ts';
import { firstLookAtShadow, secondLookAtShadow, type ShadowRules } from './shadow-evidence.ts';
import { lookAtNote, lookAtUrl } from './note-evidence.ts';

/** More than anybody reads; a list beyond it is a mistake or an attack. */
const PIECES_MAX = 500;
/** Of these the changes are shown; each may have many. */
const SHOWN_MAX = 50;

export type EvidenceCheckerOptions = CommandRules & ShadowRules;

export function openEvidenceChecker(options: EvidenceCheckerOptions): EvidenceChecker {
  return {
    where: `${hostname()}:${options.folder}`,
    async collect(given, handoff, signal) {
      const asked = withFixedCheck(given, handoff);
      const looks = await lookOnce(asked, keyOfAsked, (piece) => firstLook(piece, handoff, options, signal), signal);
      return { claims: claimsOf(asked, looks), checks: checksOf(asked, sharedFiles(asked, looks)) };
    },
    async check(claims, handoff, signal) {
      const pieces = claims.flatMap(({ deliverable, evidence }) =>
        evidence.map((each) => ({ deliverable, kind: each.kind, each })),
      );
      const looks = await lookOnce(
        pieces,
        ({ each }) => JSON.stringify(each),
        ({ each }) => secondLook(each, handoff, options, signal),
        signal,
      );
      return checksOf(pieces, sharedFiles(pieces, looks));
    },
    async show(claims, handoff, signal) {
      const shown: ShownEvidence[] = [];
      for (const { deliverable, evidence } of claims) {
        for (const each of evidence.slice(0, SHOWN_MAX - shown.length)) {
          const look = each.kind === 'command' ? null : await secondLook(each, handoff, options, signal);
          const now = look === null ? null : { verdict: look.verdict, says: look.says };
          const diff = await diffOf(each, handoff, options.folder, signal);
          shown.push({ deliverable, evidence: each, now, diff });
        }
      }
      return shown;
    },
  };
}

/**
 * Never at once: commands share the folder. Commands come last, so that none of them can put in place what another piece
 * of evidence is about. The same thing shown for two deliverables is looked at once.
 */
async function lookOnce<Piece extends { readonly kind: Evidence['kind'] }>(
  pieces: readonly Piece[],
  keyOf: (piece: Piece) => string,
  look: (piece: Piece) => Promise<Finding>,
  signal?: AbortSignal,
): Promise<readonly Finding[]> {
  const known = new Map<string, Finding>();
  const looks = pieces.map((): Finding => TOO_MANY);
  const order = [...pieces.entries()].toSorted(
    ([, a], [, b]) => Number(a.kind === 'command') - Number(b.kind === 'command'),
  );
  for (const [index, piece] of order) {
    signal?.throwIfAborted();
    const key = keyOf(piece);
    const answer = known.get(key) ?? (index < PIECES_MAX ? await look(piece) : TOO_MANY);
    known.set(key, answer);
    looks[index] = answer;
  }
  return looks;
}

/** One file for two deliverables proves at most one of them, and no machine can tell which. */
function sharedFiles(
  pieces: readonly { readonly deliverable: string; readonly kind: Evidence['kind'] }[],
  looks: readonly Finding[],
): readonly Finding[] {
  const uses = new Map<string, Set<string>>();
  const fileIn = ({ evidence }: Finding): string | null => (evidence?.kind === 'file' ? evidence.path : null);
  for (const [index, look] of looks.entries()) {
    const path = fileIn(look);
    if (path !== null) uses.set(path, (uses.get(path) ?? new Set()).add(pieces[index]?.deliverable ?? ''));
  }
  return looks.map((look) => {
    const names = uses.get(fileIn(look) ?? '');
    if (names === undefined || names.size < 2 || look.verdict !== 'true') return look;
    return { ...look, verdict: 'held', says: `${look.says}; it is shown for ${names.size} deliverables` };
  });
}

const TOO_MANY = untrue(`more than ${PIECES_MAX} pieces of evidence at once; show what proves the most`);

function firstLook(
  { kind, value }: EvidenceRequest,
  handoff: EvidenceFor,
  options: EvidenceCheckerOptions,
  signal?: AbortSignal,
): Promise<Finding> {
  switch (kind) {
    case 'file':
      return firstLookAtFile(value, options.folder, signal);
    case 'commit':
      return firstLookAtCommit(value, handoff, options.folder, signal);
    case 'command':
      return firstLookAtCommand(value, handoff, options, signal);
    case 'shadow':
      return firstLookAtShadow(value, options);
    case 'url':
      return Promise.resolve(lookAtUrl(value));
    case 'note':
      return Promise.resolve(lookAtNote(value));
  }
}

function secondLook(
  evidence: Evidence,
  handoff: EvidenceFor,
  options: EvidenceCheckerOptions,
  signal?: AbortSignal,
): Promise<Finding> {
  switch (evidence.kind) {
    case 'file':
      return secondLookAtFile(evidence, options.folder, signal);
    case 'commit':
      return secondLookAtCommit(evidence, handoff, options.folder, signal);
    case 'command':
      return secondLookAtCommand(evidence, handoff, options, signal);
    case 'shadow':
      return secondLookAtShadow(evidence, options);
    case 'url':
      return Promise.resolve(lookAtUrl(evidence.url));
    case 'note':
      return Promise.resolve(lookAtNote(evidence.text));
  }
}

function keyOfAsked({ kind, value }: EvidenceRequest): string {
  return `${kind}:${value}`;
}

function claimsOf(asked: readonly EvidenceRequest[], looks: readonly Finding[]): readonly Claim[] {
  const shown = new Map<string, Evidence[]>();
  for (const [index, { deliverable }] of asked.entries()) {
    const evidence = looks[index]?.evidence ?? null;
    shown.set(deliverable, [...(shown.get(deliverable) ?? []), ...(evidence === null ? [] : [evidence])]);
  }
  return [...shown].map(([deliverable, evidence]) => ({ deliverable, evidence }));
}

function checksOf(pieces: readonly { readonly deliverable: string }[], looks: readonly Finding[]): readonly Check[] {
  return looks.map(({ verdict, says }, index) => ({
    deliverable: pieces[index]?.deliverable ?? '',
    verdict,
    says,
  }));
}
