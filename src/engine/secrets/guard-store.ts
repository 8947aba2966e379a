/**
 * Wraps a store and scans all written texts for secrets.
 *
 * `warn` stores the text and reports the secret; `redact` replaces it; `block` refuses the write. Failures and facts of the
 * system are redacted instead of refused, because refusing them would lose the failure.
 */
import { parseExact, printExact } from '../../foundation/exact-json.ts';
import type { Json, JsonText } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide, Decision } from '../../domain/decision.ts';
import { detailIn } from '../../domain/fact-detail-text.ts';
import { hashOf, NO_TRAIL, type Fact } from '../../domain/facts.ts';
import { SENDER_TEXTS, type Handoff } from '../../domain/handoff.ts';
import { principalText, SYSTEM } from '../../domain/principal.ts';
import { sealed, sealFor } from '../../domain/seal.ts';
import { splitSignature } from '../../domain/signature.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { NewHandoff, Store } from '../../stores/store.ts';
import type { EngineEvent } from '../context.ts';
import { noteSecrets, secretsIn } from './warnings.ts';
import { mayHoldSecret, scanJson, scanText, type Scanned, type SecretFinding } from './scan.ts';

export const SECRET_POLICIES = ['warn', 'block', 'redact', 'off'] as const;
export type SecretPolicy = (typeof SECRET_POLICIES)[number];

/** `currentPolicy` is called for every write, because the stored policy may change while the process runs. */
export function guardSecrets(
  store: Store,
  currentPolicy: () => SecretPolicy,
  report: (event: EngineEvent) => void,
): Store {
  /** Reports the findings and returns the answer unchanged. */
  const reported = <Value>(
    policy: SecretPolicy,
    answer: Result<Value, Refusal>,
    handoffsIn: (value: Value) => readonly Handoff[],
  ): Result<Value, Refusal> => {
    if (policy === 'off') return answer;
    const did = policy === 'warn' ? 'warned' : 'redacted';
    if (answer.ok) {
      for (const handoff of handoffsIn(answer.value)) {
        for (const found of secretsIn(handoff)) report({ kind: 'secret-found', id: handoff.id, ...found, did });
      }
    } else if (answer.refusal.code === 'secret-found') {
      const { id, rule, field } = answer.refusal;
      report({ kind: 'secret-found', id, rule, field, did: 'refused' });
    }
    return answer;
  };

  return {
    ...store,
    insert: async (openings, guard) => {
      const policy = currentPolicy();
      return reported(policy, await store.insert(guardOpenings(policy, openings), guard), (inserted) => inserted);
    },
    change: async (targets, decide) => {
      const policy = currentPolicy();
      const answers = await store.change(targets, guardDecide(policy, decide));
      return answers.map((answer) => reported(policy, answer, (changed) => [changed]));
    },
    relay: async (target, decide, openings, guard) => {
      const policy = currentPolicy();
      const opened = guardOpenings(policy, openings);
      const answer = await store.relay(target, guardDecide(policy, decide), opened, guard);
      return reported(policy, answer, ({ changed, inserted }) => [changed, ...inserted]);
    },
  };
}

function guardOpenings(policy: SecretPolicy, openings: readonly NewHandoff[]): readonly NewHandoff[] {
  return policy === 'off' ? openings : openings.map((opening) => guardOpening(policy, opening));
}

function guardDecide(policy: SecretPolicy, decide: Decide): Decide {
  if (policy === 'off') return decide;
  return (before, nowMs) => {
    const decided = decide(before, nowMs);
    return decided.ok ? guardChange(policy, before, decided.value) : decided;
  };
}

/** Scans lazily, when the opening is decided. */
function guardOpening(policy: SecretPolicy, opening: NewHandoff): NewHandoff {
  let scanned: Scanned<JsonText> | null = null;
  const scan = (): Scanned<JsonText> => (scanned ??= scanJsonText(opening.body));
  const text = (): JsonText => (policy === 'redact' ? scan().redacted : opening.body);
  const decide: NewHandoff['decide'] = (nowMs, dependencies) => {
    const decided = opening.decide(nowMs, dependencies);
    return decided.ok ? guardDecision(policy, null, decided.value, scan().findings, text()) : decided;
  };
  if (policy !== 'redact') return { ...opening, decide };
  return {
    ...opening,
    get body() {
      return text();
    },
    decide,
  };
}

/** Scans the body too, if the draft is revised. */
function guardChange(policy: SecretPolicy, before: Handoff, decision: Decision): Result<Decision, Refusal> {
  if (decision.body === undefined) return guardDecision(policy, before, decision, []);
  const body = scanJsonText(decision.body);
  const text = policy === 'redact' ? body.redacted : decision.body;
  return guardDecision(policy, before, { ...decision, body: text }, body.findings, text);
}

function guardDecision(
  policy: SecretPolicy,
  before: Handoff | null,
  decision: Decision,
  inBody: readonly SecretFinding[],
  body: JsonText | null = null,
): Result<Decision, Refusal> {
  const { handoff } = decision;
  const record = scanRecord(before, handoff);
  const details = decision.facts.map(({ detail }) => scanDetail(detail as JsonText));
  const outcome = decision.outcome === undefined ? null : scanJsonText(decision.outcome);
  const findings = distinct([
    ...inBody,
    ...details.flatMap((each) => each.findings),
    ...record.findings,
    ...(outcome?.findings ?? []),
  ]);
  const [first] = findings;
  if (first === undefined) return ok(decision);
  if (policy === 'block' && !mustBeRecorded(decision.facts)) {
    return err({ code: 'secret-found', id: handoff.id, ...first });
  }
  const isRedacted = policy !== 'warn';
  const facts = rehash(before, decision.facts, (fact, index) => {
    const detail = withoutSignature(
      isRedacted ? resealed(details[index]?.redacted ?? '', fact.deed, record.redacted, body) : fact.detail,
    );
    return index === decision.facts.length - 1 ? withFindings(detail, findings) : detail;
  });
  const next = { ...(isRedacted ? record.redacted : handoff), trail: facts.at(-1)?.hash ?? handoff.trail };
  noteSecrets(next, { findings, did: isRedacted ? 'redacted' : 'warned', decidedTrail: handoff.trail });
  if (!isRedacted) return ok({ ...decision, handoff: next, facts });
  return ok({
    ...decision,
    handoff: next,
    facts,
    ...(outcome === null ? {} : { outcome: outcome.redacted }),
    ...(decision.effects === undefined
      ? {}
      : { effects: decision.effects.map((each) => ({ ...each, payload: scanJsonText(each.payload).redacted })) }),
  });
}

/** A failed attempt or an end by the system has to be written whatever it contains. */
function mustBeRecorded(facts: readonly Fact[]): boolean {
  return facts.every(({ by, deed }) => by === principalText(SYSTEM) || deed === 'fail' || deed === 'retry');
}

function distinct(findings: readonly SecretFinding[]): readonly SecretFinding[] {
  return [...new Map(findings.map((each) => [`${each.rule} ${each.field}`, each])).values()];
}

/** Scans the texts that are new in the record; the others were scanned when they were written. */
function scanRecord(before: Handoff | null, handoff: Handoff): Scanned<Handoff> {
  const question = handoff.blockedOn?.reason === 'question' ? handoff.blockedOn.text : '';
  const asks = question === '' || before?.blockedOn === handoff.blockedOn ? null : scanText(question, 'question');
  const claims = before?.claims === handoff.claims ? null : scanPart(handoff.claims, 'evidence');
  const texts = SENDER_TEXTS.flatMap((name) => {
    const text = handoff[name];
    return text === null || before?.[name] === text ? [] : [{ name, ...scanText(text, name) }];
  });
  const { deliverables, criteria } = handoff.terms;
  const lists = before?.terms === handoff.terms ? null : scanPart({ deliverables, criteria }, '');
  const parts = [asks, claims, ...texts, lists];
  if (parts.every((part) => part === null || part.findings.length === 0)) return { findings: [], redacted: handoff };
  return {
    findings: parts.flatMap((part) => part?.findings ?? []),
    redacted: {
      ...handoff,
      ...Object.fromEntries(texts.map(({ name, redacted }) => [name, redacted])),
      ...(asks === null ? {} : { blockedOn: { reason: 'question', text: asks.redacted } }),
      ...(claims === null ? {} : { claims: claims.redacted }),
      ...(lists === null ? {} : { terms: { ...handoff.terms, ...lists.redacted } }),
    },
  };
}

function scanPart<Part extends object>(part: Part, field: string): Scanned<Part> {
  const text = JSON.stringify(part);
  if (text.length <= EMPTY_MAX || !mayHoldSecret(text)) return { findings: [], redacted: part };
  return scanJson(JSON.parse(text) as Json, field) as unknown as Scanned<Part>;
}

/** Two empty lists with their names. */
const EMPTY_MAX = 34;

/**
 * Details that contain only our own fields: proof, policy and digests. Most details are like this, and scanning them took
 * longer than making them (1 % of the time of a handoff).
 */
const OWN_DETAIL =
  /^\{(?:"via":"token [\w-]{1,64}",?)?(?:"user":"[\w.-]{1,32}",?)?(?:"policy":\d+,?)?(?:"(?:seal|claims)":"[\w-]{43}")?\}$/;

function scanDetail(detail: JsonText): Scanned<JsonText> {
  return OWN_DETAIL.test(detail) ? { findings: [], redacted: detail } : scanJsonText(detail);
}

function scanJsonText(text: JsonText): Scanned<JsonText> {
  if (text.length === 0 || !mayHoldSecret(text)) return { findings: [], redacted: text };
  const { findings, redacted } = scanJson(parseExact(text) as Json, '');
  return findings.length === 0
    ? { findings, redacted: text }
    : { findings, redacted: printExact(redacted) as JsonText };
}

function withFindings(detail: string, findings: readonly SecretFinding[]): string {
  return JSON.stringify({ ...detailIn({ detail }), secrets: findings.map(({ rule, field }) => ({ rule, field })) });
}

/** Removes the signature of a changed text: a missing signature is better than an invalid one. */
function withoutSignature(detail: string): string {
  if (!detail.includes('"signed":')) return detail;
  const { unsigned: rehashed } = splitSignature(detail);
  return rehashed === null ? '' : JSON.stringify(rehashed);
}

/** Seals again, because the redacted text differs from the decided one. */
function resealed(detail: string, deed: Fact['deed'], written: Handoff, body: JsonText | null): string {
  const said = detailIn({ detail });
  return 'seal' in said || 'claims' in said ? JSON.stringify(sealed(said, sealFor(deed, written, body))) : detail;
}

/** The same facts with other details and new hashes. */
function rehash(
  before: Handoff | null,
  facts: readonly Fact[],
  detailOf: (fact: Fact, index: number) => string,
): readonly Fact[] {
  let previous = before?.trail ?? NO_TRAIL;
  return facts.map((fact, index) => {
    const rehashed = { ...fact, detail: detailOf(fact, index) };
    previous = hashOf(rehashed, previous);
    return { ...rehashed, hash: previous };
  });
}
