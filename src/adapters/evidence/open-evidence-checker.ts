/** Checks the evidence of a workspace on this machine, one piece after the other. */
import { hostname } from 'node:os';
import type { Check, Claim, Evidence } from '../../domain/evidence.ts';
import {
  withFixedCheck,
  type EvidenceRequest,
  type EvidenceChecker,
  type ShownEvidence,
} from '../../engine/evidence-checker.ts';
import { checkCommand, recheckCommand } from './command-evidence.ts';
import { checkCommit, recheckCommit } from './commit-evidence.ts';
import { diffOf } from './evidence-diff.ts';
import { checkFile, recheckFile } from './file-evidence.ts';
import {
  untrue,
  type CheckRequest,
  type EvidenceCheckerOptions,
  type EvidenceOf,
  type Finding,
} from './evidence-finding.ts';
import { checkShadowTest, recheckShadowTest } from './shadow-evidence.ts';
import { checkNote, checkUrl } from './note-evidence.ts';

/** A longer list is a mistake or an attack. */
const EVIDENCE_MAX = 500;
/** How many pieces are shown with their changes. */
const SHOWN_MAX = 50;

export function openEvidenceChecker(options: EvidenceCheckerOptions): EvidenceChecker {
  return {
    where: `${hostname()}:${options.folder}`,
    async collect(given, handoff, signal) {
      const items = withFixedCheck(given, handoff);
      const findings = await checkEach(
        items,
        ({ kind, value }) => `${kind}:${value}`,
        async ({ kind, value }) => CHECKS[kind].first(value, { handoff, options, signal }),
        signal,
      );
      return { claims: claimsOf(items, findings), checks: checksOf(items, sharedFiles(items, findings)) };
    },
    async check(claims, handoff, signal) {
      const pieces = claims.flatMap(({ deliverable, evidence }) =>
        evidence.map((each) => ({ deliverable, kind: each.kind, each })),
      );
      const findings = await checkEach(
        pieces,
        ({ each }) => JSON.stringify(each),
        ({ each }) => recheck(each, { handoff, options, signal }),
        signal,
      );
      return checksOf(pieces, sharedFiles(pieces, findings));
    },
    async show(claims, handoff, signal) {
      const shown: ShownEvidence[] = [];
      for (const { deliverable, evidence } of claims) {
        for (const each of evidence.slice(0, SHOWN_MAX - shown.length)) {
          const request = { handoff, options, signal };
          const look = each.kind === 'command' ? null : await recheck(each, request);
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
async function checkEach<EvidenceItem extends { readonly kind: Evidence['kind'] }>(
  pieces: readonly EvidenceItem[],
  keyOf: (piece: EvidenceItem) => string,
  look: (piece: EvidenceItem) => Promise<Finding>,
  signal?: AbortSignal,
): Promise<readonly Finding[]> {
  const known = new Map<string, Finding>();
  const findings = pieces.map((): Finding => TOO_MANY);
  const order = [...pieces.entries()].toSorted(
    ([, a], [, b]) => Number(a.kind === 'command') - Number(b.kind === 'command'),
  );
  for (const [index, piece] of order) {
    signal?.throwIfAborted();
    const key = keyOf(piece);
    const answer = known.get(key) ?? (index < EVIDENCE_MAX ? await look(piece) : TOO_MANY);
    known.set(key, answer);
    findings[index] = answer;
  }
  return findings;
}

/** One file for two deliverables proves at most one of them, and only a person can tell which. */
function sharedFiles(
  pieces: readonly { readonly deliverable: string; readonly kind: Evidence['kind'] }[],
  findings: readonly Finding[],
): readonly Finding[] {
  const uses = new Map<string, Set<string>>();
  const fileIn = ({ evidence }: Finding): string | null => (evidence?.kind === 'file' ? evidence.path : null);
  for (const [index, look] of findings.entries()) {
    const path = fileIn(look);
    if (path !== null) uses.set(path, (uses.get(path) ?? new Set()).add(pieces[index]?.deliverable ?? ''));
  }
  return findings.map((look) => {
    const names = uses.get(fileIn(look) ?? '');
    if (names === undefined || names.size < 2 || look.verdict !== 'true') return look;
    return { ...look, verdict: 'held', says: `${look.says}; it is shown for ${names.size} deliverables` };
  });
}

const TOO_MANY = untrue(`more than ${EVIDENCE_MAX} pieces of evidence at once; show what proves the most`);

interface Checks<Kind extends Evidence['kind']> {
  /** Checks what the worker names. */
  first(value: string, request: CheckRequest): Finding | Promise<Finding>;
  /** Checks evidence that was checked before. */
  recheck(evidence: EvidenceOf<Kind>, request: CheckRequest): Finding | Promise<Finding>;
}

const CHECKS: { readonly [Kind in Evidence['kind']]: Checks<Kind> } = {
  file: { first: checkFile, recheck: recheckFile },
  commit: { first: checkCommit, recheck: recheckCommit },
  command: { first: checkCommand, recheck: recheckCommand },
  shadow: { first: checkShadowTest, recheck: recheckShadowTest },
  url: { first: checkUrl, recheck: ({ url }) => checkUrl(url) },
  note: { first: checkNote, recheck: ({ text }) => checkNote(text) },
};

async function recheck(evidence: Evidence, request: CheckRequest): Promise<Finding> {
  // The compiler cannot see that the kind of the row is the kind of the evidence.
  return (CHECKS[evidence.kind] as Checks<Evidence['kind']>).recheck(evidence, request);
}

function claimsOf(items: readonly EvidenceRequest[], findings: readonly Finding[]): readonly Claim[] {
  const shown = new Map<string, Evidence[]>();
  for (const [index, { deliverable }] of items.entries()) {
    const evidence = findings[index]?.evidence ?? null;
    shown.set(deliverable, [...(shown.get(deliverable) ?? []), ...(evidence === null ? [] : [evidence])]);
  }
  return [...shown].map(([deliverable, evidence]) => ({ deliverable, evidence }));
}

function checksOf(pieces: readonly { readonly deliverable: string }[], findings: readonly Finding[]): readonly Check[] {
  return findings.map(({ verdict, says }, index) => ({ deliverable: pieces[index]?.deliverable ?? '', verdict, says }));
}
