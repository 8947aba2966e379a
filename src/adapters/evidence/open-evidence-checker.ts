/** Checks the evidence of a workspace on this machine, one piece after the other. */
import { hostname } from 'node:os';
import type { Check, Claim, Evidence } from '../../domain/evidence.ts';
import {
  withFixedCheck,
  type EvidenceRequest,
  type EvidenceChecker,
  type ShownEvidence,
} from '../../engine/evidence-checker.ts';
import { firstLookAtCommand, secondLookAtCommand } from './command-evidence.ts';
import { firstLookAtCommit, secondLookAtCommit } from './commit-evidence.ts';
import { diffOf } from './evidence-diff.ts';
import { firstLookAtFile, secondLookAtFile } from './file-evidence.ts';
import { untrue, type CheckRequest, type EvidenceCheckerOptions, type EvidenceOf, type Finding } from './finding.ts';
import { firstLookAtShadow, secondLookAtShadow } from './shadow-evidence.ts';
import { lookAtNote, lookAtUrl } from './note-evidence.ts';

/** A longer list is a mistake or an attack. */
const PIECES_MAX = 500;
/** How many pieces are shown with their changes. */
const SHOWN_MAX = 50;

export function openEvidenceChecker(options: EvidenceCheckerOptions): EvidenceChecker {
  return {
    where: `${hostname()}:${options.folder}`,
    async collect(given, handoff, signal) {
      const asked = withFixedCheck(given, handoff);
      const looks = await lookOnce(
        asked,
        ({ kind, value }) => `${kind}:${value}`,
        async ({ kind, value }) => CHECKS[kind].first(value, { handoff, options, signal }),
        signal,
      );
      return { claims: claimsOf(asked, looks), checks: checksOf(asked, sharedFiles(asked, looks)) };
    },
    async check(claims, handoff, signal) {
      const pieces = claims.flatMap(({ deliverable, evidence }) =>
        evidence.map((each) => ({ deliverable, kind: each.kind, each })),
      );
      const looks = await lookOnce(
        pieces,
        ({ each }) => JSON.stringify(each),
        ({ each }) => secondLook(each, { handoff, options, signal }),
        signal,
      );
      return checksOf(pieces, sharedFiles(pieces, looks));
    },
    async show(claims, handoff, signal) {
      const shown: ShownEvidence[] = [];
      for (const { deliverable, evidence } of claims) {
        for (const each of evidence.slice(0, SHOWN_MAX - shown.length)) {
          const request = { handoff, options, signal };
          const look = each.kind === 'command' ? null : await secondLook(each, request);
          const now = look === null ? null : { verdict: look.verdict, says: look.says };
          const diff = await diffOf(each, request);
          shown.push({ deliverable, evidence: each, now, diff });
        }
      }
      return shown;
    },
  };
}

/**
 * One after the other, because commands share the folder. Commands run last, so that no command can make what another
 * piece of evidence is about. A piece that is shown for two deliverables is checked once.
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

/** One file for two deliverables proves at most one of them, and only a person can tell which. */
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

interface Checks<Kind extends Evidence['kind']> {
  /** Checks what the worker names. */
  first(value: string, request: CheckRequest): Finding | Promise<Finding>;
  /** Checks evidence that was checked before. */
  again(evidence: EvidenceOf<Kind>, request: CheckRequest): Finding | Promise<Finding>;
}

const CHECKS: { readonly [Kind in Evidence['kind']]: Checks<Kind> } = {
  file: { first: firstLookAtFile, again: secondLookAtFile },
  commit: { first: firstLookAtCommit, again: secondLookAtCommit },
  command: { first: firstLookAtCommand, again: secondLookAtCommand },
  shadow: { first: firstLookAtShadow, again: secondLookAtShadow },
  url: { first: lookAtUrl, again: ({ url }) => lookAtUrl(url) },
  note: { first: lookAtNote, again: ({ text }) => lookAtNote(text) },
};

async function secondLook(evidence: Evidence, request: CheckRequest): Promise<Finding> {
  // The compiler cannot see that the kind of the row is the kind of the evidence.
  return (CHECKS[evidence.kind] as Checks<Evidence['kind']>).again(evidence, request);
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
  return looks.map(({ verdict, says }, index) => ({ deliverable: pieces[index]?.deliverable ?? '', verdict, says }));
}
