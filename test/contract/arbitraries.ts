/**
 * Arbitrary records, as far as the domain can bring them about: custody only where somebody holds it, a reason only
 * where it is blocked, a legal way to the present state. Everything else is anything.
 */
import fc from 'fast-check';
import type { JsonObject } from '../../src/foundation/json.ts';
import { ok } from '../../src/foundation/result.ts';
import type { Decision } from '../../src/domain/decision.ts';
import { BODY, type Body } from '../../src/domain/body.ts';
import type { FactType } from '../../src/domain/fact-types.ts';
import { appendFact, type Fact } from '../../src/domain/facts.ts';
import { blankHandoff, HANDOFF, KINDS, type Custody, type Handoff } from '../../src/domain/handoff.ts';
import { STATES, type State } from '../../src/domain/lifecycle.ts';
import { readAgentId, readHandoffId, type AgentId, type HandoffId, type SessionId } from '../../src/domain/names.ts';
import { PRIORITIES } from '../../src/domain/priority.ts';
import { OUTCOME, type Outcome } from '../../src/domain/outcome.ts';
import type { NewHandoff } from '../../src/stores/store.ts';
import type { Shape } from '../../src/domain/field-shapes.ts';
import { arbitraryOf } from './arbitrary-of.ts';
import { FAR_AHEAD, jsonOf, sessionOf } from './builders.ts';

export const SESSIONS: readonly SessionId[] = ['one', "two'); --", 'drei ü'].map(sessionOf);

/** What has hurt databases, shells and pages before. */
export const NASTY = [
  '',
  ' ',
  "'; DROP TABLE handoff; --",
  '" OR ""="',
  '$1 $$ $body$ ? ?1 :name @name %s %n {0} ${x}',
  '\\ \\\\ \\u0041 \\n',
  'line\nend\r\n\ttab',
  '\u0001\u001f\u007f\u0085',
  '\u2028\u2029\uFEFF\u200B\u202E\u00AD',
  'é e\u0301 ß İ ı ﬁ 👩‍👩‍👧‍👦 𝒳 \u{10FFFF}',
  '<script>alert(1)</script> &amp; <!--',
  'null',
  '0x00',
  '1e308',
  '{"a":1}',
  '[]',
  'NaN',
] as const;

/** No database keeps U+0000, and the readers let none in. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', '')),
);

const anyAgent: fc.Arbitrary<AgentId> = fc
  .stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/)
  .map(readAgentId)
  .filter((agent) => agent !== null);

const anyId: fc.Arbitrary<HandoffId> = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{8,100}$/)
  .map(readHandoffId)
  .filter((id) => id !== null);

const instant = fc.integer({ min: 0, max: FAR_AHEAD });
const count = fc.nat({ max: 1_000_000 });

const leaves = { text: anyText, agent: anyAgent, id: anyId };

/** Any value that the record may have in this field. */
function anyIn<Name extends keyof Handoff>(name: Name): fc.Arbitrary<Handoff[Name]> {
  return arbitraryOf(HANDOFF[name].shape as unknown as Shape<Handoff[Name]>, leaves);
}

export const anyOutcome: fc.Arbitrary<Outcome> = arbitraryOf(OUTCOME, leaves);
export const anyBody: fc.Arbitrary<Body> = arbitraryOf(BODY, leaves);

const byHand: fc.Arbitrary<Custody> = fc
  .tuple(
    fc.record({ by: fc.constant('hand' as const), holder: anyAgent, untilAt: fc.option(instant, { nil: null }) }),
    fc.constantFrom({}, { file: '0' }, { file: '1000' }, { token: 'tok-0123456789ab' }),
  )
  .map(([custody, proof]) => ({ ...custody, ...proof }));

const byProcess: fc.Arbitrary<Custody> = fc.record({
  by: fc.constant('process' as const),
  holder: anyAgent,
  session: fc.constantFrom(...SESSIONS),
});

const anyBlockedOn = anyIn('blockedOn').filter((blockedOn) => blockedOn !== null);

type Fixed = Pick<Handoff, 'kind' | 'from' | 'to' | 'priority' | 'title' | 'task' | 'lineage' | 'terms' | 'createdAt'>;
/** What moves change. */
type Changing = Pick<
  Handoff,
  'state' | 'since' | 'offeredAt' | 'notBefore' | 'attempt' | 'excused' | 'fence' | 'custody' | 'blockedOn' | 'claims'
>;

const anyFixed: fc.Arbitrary<Fixed> = fc.record({
  kind: fc.constantFrom(...KINDS),
  from: anyAgent,
  to: anyAgent,
  priority: fc.constantFrom(...PRIORITIES),
  title: fc.option(anyText),
  task: fc.option(anyText),
  lineage: anyIn('lineage'),
  terms: anyIn('terms'),
  createdAt: instant,
});

const nothing = fc.constant(null);

function changingIn(state: State, held: fc.Arbitrary<Custody>): fc.Arbitrary<Changing> {
  const parts = fc.record({
    state: fc.constant(state),
    since: instant,
    offeredAt: instant,
    notBefore: instant,
    attempt: count,
    excused: count,
    fence: count,
    custody: state === 'accepted' ? held : state === 'delivered' ? fc.option(byHand) : nothing,
    blockedOn: state === 'blocked' ? anyBlockedOn : nothing,
    claims: anyIn('claims'),
  });
  // Only an attempt that was made can be excused.
  return parts.map((changing) => ({ ...changing, excused: Math.min(changing.excused, changing.attempt) }));
}

export const anyChanging: fc.Arbitrary<Changing> = fc
  .constantFrom(...STATES)
  .chain((state) => changingIn(state, fc.oneof(byHand, byProcess)));

/** What is made by import may be in somebody's hands already; a session takes things only later. */
const anyMadeSo: fc.Arbitrary<Changing> = fc.constantFrom(...STATES).chain((state) => changingIn(state, byHand));

/** How each state is reached from a fresh offer; the three beginnings are reached by being made so. */
const WAY_TO: Record<State, readonly FactType[]> = {
  draft: [],
  offered: [],
  blocked: [],
  accepted: ['accept'],
  delivered: ['accept', 'deliver'],
  completed: ['accept', 'deliver', 'verify'],
  failed: ['fail'],
  rejected: ['reject'],
  expired: ['expire'],
  cancelled: ['cancel'],
};
const ON_THE_WAY: Partial<Record<FactType, State>> = { accept: 'accepted', deliver: 'delivered' };

interface Telling {
  readonly by: string;
  readonly at: number;
  readonly detail: JsonObject | null;
}

export const anyTelling: fc.Arbitrary<Telling> = fc.record({
  by: anyText,
  at: instant,
  detail: fc.option(fc.dictionary(fc.string({ maxLength: 8 }), anyText, { maxKeys: 3 })),
});

interface Making {
  readonly fixed: Fixed;
  readonly changing: Changing;
  readonly telling: Telling;
}

export const anyMaking: fc.Arbitrary<Making> = fc.record({
  fixed: anyFixed,
  changing: anyMadeSo,
  telling: anyTelling,
});

/** A record that is made in one decision, whatever its state. */
export function madeOf(
  id: HandoffId,
  { fixed, changing, telling }: Making,
): NewHandoff & { readonly decision: Decision } {
  const end: Handoff = { ...blankHandoff(), id, revision: 0, trail: '', ...fixed, ...changing };
  const begin: State = WAY_TO[end.state].length > 0 ? 'offered' : end.state;
  const first = appendFact(null, { ...end, state: begin }, 'create', telling.by, telling.at, telling.detail);
  const { handoff, facts } = alongTo(first.handoff, end, telling);
  const decision = { handoff, facts: [first.fact, ...facts] };
  return { id, dependsOn: fixed.terms.dependsOn, body: jsonOf(id), decide: () => ok(decision), decision };
}

/** From an offer to any state that moves can lead to from there, with the facts of the way. */
export function alongTo(
  offered: Handoff,
  end: Changing,
  telling: Telling,
): Decision & { readonly facts: readonly Fact[] } {
  const facts: Fact[] = [];
  let here = offered;
  for (const deed of WAY_TO[end.state]) {
    const next = { ...here, ...end, state: ON_THE_WAY[deed] ?? end.state };
    const { handoff, fact } = appendFact(here, next, deed, telling.by, telling.at, telling.detail);
    facts.push(fact);
    here = handoff;
  }
  return { handoff: here, facts };
}
