/**
 * Seals: digests of the terms and of the evidence, in the facts that set them. The hash chain protects the facts; seals
 * extend that to the parts of a record outside the trail, so that the doctor and an import detect changes in the database.
 */
import { digestOf } from '../foundation/digest.ts';
import type { JsonObject } from '../foundation/json.ts';
import type { Claim } from './evidence.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import { HANDOFF, SENDER_FIELDS, type Handoff, type Terms } from './handoff.ts';

/** Covers everything that never changes once it is on offer: parties, title, task, chain, terms and input. */
function sealOf(handoff: Handoff, body: string): string {
  const { from, to, kind, priority, title, task, lineage } = handoff;
  const { root, parent, retryOf, hops } = lineage;
  const later = ADDED_LATER.flatMap((name) =>
    handoff[name] === HANDOFF[name].defaultValue ? [] : [[name, handoff[name]]],
  );
  const fixed = JSON.stringify([from, to, kind, priority, title, task, root, parent, retryOf, hops, ...later]);
  return digestOf(`${fixed}\n${termsText(handoff.terms)}\n${body}`);
}

/** Fields of the sender that older seals do not hold: one that is not set leaves the seal as it was. */
const ADDED_LATER = SENDER_FIELDS.filter((name) => !['priority', 'title', 'task'].includes(name));

const SETS_TERMS: ReadonlySet<Fact['deed']> = new Set(['create', 'revise']);

function claimsSealOf(claims: readonly Claim[]): string {
  return digestOf(JSON.stringify(claims.map(({ deliverable, evidence }) => [deliverable, evidence.map(inOrder)])));
}

type Seal = readonly [name: 'seal' | 'claims', digest: string];

/** The seal for the detail of a fact. `body` is needed only for a fact that sets the terms. */
export function sealFor(deed: Fact['deed'], handoff: Handoff, body: string | null): Seal | null {
  if (SETS_TERMS.has(deed) && body !== null) return ['seal', sealOf(handoff, body)];
  if (deed === 'deliver' && handoff.claims.length > 0) return ['claims', claimsSealOf(handoff.claims)];
  return null;
}

export function sealed(detail: JsonObject | null, seal: Seal | null): JsonObject | null {
  return seal === null ? detail : { ...detail, [seal[0]]: seal[1] };
}

/** The same for a serialized detail: a digest needs no escaping. */
export function sealedText(detail: string, seal: Seal | null): string {
  if (seal === null) return detail;
  const member = `"${seal[0]}":"${seal[1]}"}`;
  return detail === '' || detail === '{}' ? `{${member}` : `${detail.slice(0, -1)},${member}`;
}

/** What was changed since it was sealed, in words; null: nothing, or the record is older than seals. */
export function flawOfSeals(handoff: Handoff, facts: readonly Fact[], body: string): string | null {
  const last = facts.findLast(({ deed }) => SETS_TERMS.has(deed));
  const agreed = last === undefined ? null : sealIn(last, 'seal');
  if (agreed !== null && agreed !== sealOf(handoff, body)) {
    return 'its terms, title, parties or input are not those that it was made with';
  }
  const delivery = facts.findLast(({ deed }) => deed === 'deliver');
  const shown = delivery === undefined ? null : sealIn(delivery, 'claims');
  return shown === null || shown === claimsSealOf(handoff.claims) ? null : 'its evidence is not what was delivered';
}

function sealIn(fact: Fact, name: 'seal' | 'claims'): string | null {
  const value = detailIn(fact)[name];
  return typeof value === 'string' ? value : null;
}

/** Cached: many records share the same immutable terms. */
const texts = new WeakMap<Terms, string>();

/** In a fixed order: databases and exports keep the same terms in different orders. */
function termsText(terms: Terms): string {
  const known = texts.get(terms);
  if (known !== undefined) return known;
  const { retriesMax, delayMs, multiplier, capMs, retryOn } = terms.retry;
  const text = JSON.stringify([
    [retriesMax, delayMs, multiplier, capMs, retryOn],
    terms.attemptTimeoutMs,
    terms.draftMs,
    terms.offeredMs,
    terms.blockedMs,
    terms.dependsOn,
    terms.artifacts ?? null,
    terms.deliverables,
    terms.criteria,
    terms.verifiers,
    terms.check ?? null,
    terms.anyCommit ?? null,
    // Added later. If absent, the text must be the one that older seals were made of.
    ...(terms.onDependencyFailure === undefined ? [] : [terms.onDependencyFailure]),
    ...(terms.onFailed === undefined ? [] : [['onFailed', terms.onFailed]]),
  ]);
  texts.set(terms, text);
  return text;
}

function inOrder(parts: object): readonly (readonly [string, unknown])[] {
  return Object.entries(parts).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
