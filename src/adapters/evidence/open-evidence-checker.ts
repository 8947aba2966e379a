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
      const looks = await lookOnce(
        asked,
        keyOfAsked,
        async ({ kind, value }) => LOOKS[kind].first(value, { handoff, options, signal }),
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
          const look = each.kind === 'command' ? null : await secondLook(each, { handoff, options, signal });
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

interface Looking {
  readonly handoff: EvidenceFor;
  readonly options: EvidenceCheckerOptions;
  readonly signal?: AbortSignal | undefined;
}

interface Looks<Kind extends Evidence['kind']> {
  /** At what somebody names. */
  first(value: string, looking: Looking): Finding | Promise<Finding>;
  /** At what was seen before. */
  again(evidence: Extract<Evidence, { readonly kind: Kind }>, looking: Looking): Finding | Promise<Finding>;
}

const LOOKS: { readonly [Kind in Evidence['kind']]: Looks<Kind> } = {
  file: {
    first: (path, { options, signal }) => firstLookAtFile(path, options.folder, signal),
    again: (file, { options, signal }) => secondLookAtFile(file, options.folder, signal),
  },
  commit: {
    first: (commit, { handoff, options, signal }) => firstLookAtCommit(commit, handoff, options.folder, signal),
    again: (commit, { handoff, options, signal }) => secondLookAtCommit(commit, handoff, options.folder, signal),
  },
  command: {
    first: (command, { handoff, options, signal }) => firstLookAtCommand(command, handoff, options, signal),
    again: (command, { handoff, options, signal }) => secondLookAtCommand(command, handoff, options, signal),
  },
  shadow: {
    first: (handoff, { options }) => firstLookAtShadow(handoff, options),
    again: (shadow, { options }) => secondLookAtShadow(shadow, options),
  },
  url: { first: lookAtUrl, again: ({ url }) => lookAtUrl(url) },
  note: { first: lookAtNote, again: ({ text }) => lookAtNote(text) },
};

async function secondLook(evidence: Evidence, looking: Looking): Promise<Finding> {
  // The table has a row of each kind for that kind alone, which the compiler cannot follow.
  return (LOOKS[evidence.kind] as Looks<Evidence['kind']>).again(evidence, looking);
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
