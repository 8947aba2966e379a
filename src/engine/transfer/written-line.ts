/**
 * A handoff as one line of an export. The same record is the same text whichever database it comes from, so lines and
 * whole exports can be compared by their checksums; a line that is written in any other way is not ours.
 */
import { hexDigestOf } from '../../foundation/digest.ts';
import type { Claim } from '../../domain/evidence.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff, Terms } from '../../domain/handoff.ts';
import type { Copy } from '../../stores/store.ts';

export const FORMAT_VERSION = 1;

/** A record with its largest body, its largest outcome and a long trail fits; what does not is no record. */
export const LINE_BYTES_MAX = 64 * 1024 * 1024;

export interface WrittenLine {
  readonly text: string;
  readonly sha256: string;
}

export function headerLine(exportedAtMs: number): string {
  return JSON.stringify({ baton: 'export', version: FORMAT_VERSION, exportedAt: new Date(exportedAtMs).toISOString() });
}

export function footerLine(count: number, sha256: string): string {
  return JSON.stringify({ end: true, count, sha256 });
}

export function writeLine(copy: Copy): WrittenLine {
  const text = textOf(copy);
  const sha256 = hexDigestOf(text);
  return { text: `${text.slice(0, -1)},"sha256":"${sha256}"}`, sha256 };
}

/** All but the checksum. Body and outcome are values here, so they are written without anybody's spacing. */
export function textOf({ handoff, body, outcome, facts }: Copy): string {
  const parts = [
    `"handoff":${JSON.stringify(handoffParts(handoff))}`,
    `"body":${plain(body)}`,
    `"outcome":${outcome === null ? 'null' : plain(outcome)}`,
    `"facts":[${facts.map((fact) => JSON.stringify(factParts(fact))).join(',')}]`,
  ];
  return `{${parts.join(',')}}`;
}

/** Splits off the checksum; null: there is none at the end of this line. */
export function splitLine(line: string): { readonly text: string; readonly sha256: string } | null {
  const found = CHECKSUM.exec(line.slice(-CHECKSUM_LENGTH));
  if (found?.[1] === undefined) return null;
  return { text: `${line.slice(0, -CHECKSUM_LENGTH)}}`, sha256: found[1] };
}

const CHECKSUM = /^,"sha256":"([0-9a-f]{64})"\}$/;
const CHECKSUM_LENGTH = ',"sha256":""}'.length + 64;

function plain(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

/** In this order and no other; what is new in a record does not compile until it has its place here. */
function handoffParts(handoff: Handoff): { readonly [Key in keyof Handoff]: unknown } {
  const { lineage, custody, blockedOn } = handoff;
  return {
    id: handoff.id,
    revision: handoff.revision,
    state: handoff.state,
    kind: handoff.kind,
    from: handoff.from,
    to: handoff.to,
    priority: handoff.priority,
    title: handoff.title,
    task: handoff.task,
    lineage: { root: lineage.root, parent: lineage.parent, retryOf: lineage.retryOf, hops: lineage.hops },
    terms: termsParts(handoff.terms),
    createdAt: handoff.createdAt,
    since: handoff.since,
    offeredAt: handoff.offeredAt,
    notBefore: handoff.notBefore,
    attempt: handoff.attempt,
    excused: handoff.excused,
    fence: handoff.fence,
    custody:
      custody === null
        ? null
        : custody.by === 'process'
          ? { by: custody.by, holder: custody.holder, session: custody.session }
          : {
              by: custody.by,
              holder: custody.holder,
              untilAt: custody.untilAt,
              ...(custody.file === undefined ? {} : { file: custody.file }),
              ...(custody.token === undefined ? {} : { token: custody.token }),
            },
    blockedOn:
      blockedOn?.reason === 'question'
        ? { reason: blockedOn.reason, text: blockedOn.text }
        : blockedOn && { reason: blockedOn.reason },
    claims: handoff.claims.map(claimParts),
    trail: handoff.trail,
  };
}

function termsParts(terms: Terms): { readonly [Key in keyof Terms]: unknown } {
  const { retriesMax, delayMs, multiplier, capMs, retryOn } = terms.retry;
  return {
    retry: { retriesMax, delayMs, multiplier, capMs, retryOn },
    attemptTimeoutMs: terms.attemptTimeoutMs,
    draftMs: terms.draftMs,
    offeredMs: terms.offeredMs,
    blockedMs: terms.blockedMs,
    dependsOn: terms.dependsOn,
    ...(terms.artifacts === undefined ? {} : { artifacts: terms.artifacts }),
    deliverables: terms.deliverables,
    criteria: terms.criteria,
    verifiers: terms.verifiers,
  };
}

function claimParts({ deliverable, evidence }: Claim): unknown {
  return { deliverable, evidence: evidence.map(({ kind, ...rest }) => ({ kind, ...inOrder(rest) })) };
}

function inOrder(parts: object): object {
  return Object.fromEntries(Object.entries(parts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whose fact it is, the record says. */
function factParts(fact: Fact): { readonly [Key in Exclude<keyof Fact, 'handoff'>]: unknown } {
  const { revision, at, by, deed, from, to, attempt, fence, detail, hash } = fact;
  return { revision, at, by, deed, from, to, attempt, fence, detail, hash };
}

/** Checksums of lines as one, in whatever order the lines come; unlike with XOR, a line that comes twice counts. */
export function totalOf(): { add(sha256: string): void; hex(): string } {
  let sum = 0n;
  return {
    add: (sha256) => {
      sum = BigInt.asUintN(256, sum + BigInt(`0x${sha256}`));
    },
    hex: () => sum.toString(16).padStart(64, '0'),
  };
}
