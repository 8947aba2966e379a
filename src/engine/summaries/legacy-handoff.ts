/**
 * A handoff in a form of its own, as a record: on offer or a draft where there is still something to do, settled from
 * its first moment where there is not. Nobody ever sees old work that is done as work to do.
 */
import type { Json, JsonObject, JsonProblem, JsonText } from '../../foundation/json.ts';
import { writeJson } from '../../foundation/json.ts';
import { ok, type Result } from '../../foundation/result.ts';
import { doneFolderIn } from '../../formats/legacy/file-name.ts';
import type { LegacyReading } from '../../formats/legacy/legacy-reading.ts';
import type { Body } from '../../domain/body.ts';
import type { Decide } from '../../domain/decision.ts';
import { appendFact, type FactType } from '../../domain/facts.ts';
import { NO_LINEAGE, type Handoff } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import { accept } from '../../domain/moves/accept.ts';
import { create, type Beginning } from '../../domain/moves/create.ts';
import { deliver } from '../../domain/moves/deliver.ts';
import { cancel, expire, reject } from '../../domain/moves/reject-cancel-expire.ts';
import { failForGood } from '../../domain/moves/fail.ts';
import type { Moved } from '../../domain/moves/step.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { principalText, type Principal } from '../../domain/principal.ts';
import { may } from '../../domain/rights.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import type { Opening } from '../../stores/store.ts';
import { appendCreation, inOrder, withEffects } from '../change.ts';
import type { Context } from '../context.ts';
import { failureText, printable } from '../handoffs/failure-text.ts';
import { completeByRule } from '../handoffs/deliver.ts';

export interface FoundWork {
  readonly id: HandoffId;
  readonly reading: LegacyReading;
  readonly from: AgentId;
  readonly to: AgentId;
  readonly project: string;
  readonly file: string;
}

/** How it begins here, by how it stood there. What waits, or was done and not looked at, nobody should start anew. */
const BEGINS_AS = {
  draft: 'draft',
  offered: 'offer',
  blocked: 'draft',
  accepted: 'offer',
  delivered: 'draft',
  completed: 'settled',
  failed: 'settled',
  rejected: 'settled',
  expired: 'settled',
  cancelled: 'settled',
} as const satisfies Record<State, 'draft' | 'offer' | 'settled'>;

/** One that says no status is on offer; a word that nobody knows may mean that it is done. */
export function beginsAs({ state, status }: LegacyReading, file: string): 'draft' | 'offer' | 'settled' {
  const as = state !== null ? BEGINS_AS[state] : status === null ? 'offer' : 'draft';
  return doneFolderIn(inside(file)) === null ? as : 'settled';
}

/** Of a file elsewhere only the nearest folder speaks: above it may be anybody's archive. */
function inside(file: string): string {
  return /^(?:[\\/]|[A-Za-z]:)/.test(file) ? file.split(/[\\/]/).slice(-2).join('/') : file;
}

/** `as`: what it begins as; null for what is settled. */
export function openingFor(
  ctx: Context,
  { principal, speaker }: { readonly principal: Principal; readonly speaker: Principal },
  work: FoundWork,
  as: Beginning['as'] | null,
): Result<Opening, JsonProblem> {
  const body = bodyOf(work, as !== null);
  if (!body.ok) return body;
  const { id, from, to, reading } = work;
  const own = as === null ? {} : { ...ctx.rules.terms.queue, attemptTimeoutMs: null };
  const beginning: Beginning = {
    id,
    kind: 'queue',
    from,
    to,
    priority: 'normal',
    title: wordsOf(reading.title?.text, TITLE_MAX),
    task: wordsOf(reading.task?.text, TASK_MAX),
    lineage: NO_LINEAGE,
    terms: { ...DEFAULT_TERMS.queue, ...own, dependsOn: [] },
    notBefore: 0,
    as: as ?? 'offer',
  };
  const told = { by: principalText(principal), ...toldBy(work) };
  // What is settled is history: the project it is found in neither waits for it nor fails by it.
  const leg = { project: work.project, from: `@${from}`, to: `@${to}`, task: beginning.task };
  const vouched = principalText(principal) === principalText(speaker) ? {} : { ingestedBy: told.by };
  const detail: JsonObject = { ...(as === null ? {} : { leg }), legacy: told.legacy, ...vouched };
  return ok({
    id,
    dependsOn: [],
    body: body.value,
    decide: (nowMs, dependencies) => {
      const created = create(beginning, dependencies, nowMs);
      if (!created.ok) return created;
      const entitled = may(speaker, 'create', created.value);
      if (!entitled.ok) return entitled;
      const begun = appendCreation(ctx.rules, speaker, created.value, body.value, nowMs, detail);
      if (as !== null) return ok(withEffects(ctx.rules, { handoff: begun.handoff, facts: [begun.fact] }));
      const settled = settle(work, told.by)(begun.handoff, nowMs);
      return settled.ok ? ok({ ...settled.value, facts: [begun.fact, ...settled.value.facts] }) : settled;
    },
  });
}

/** Said by whoever brings it: the ones it names have shown nothing here. */
function settle({ reading, file }: FoundWork, by: string): Decide {
  const reason = `so it stood in ${file}`;
  const said = reading.status?.text ?? '';
  const because = printable(`${said} (${reason})`, SAYS_MAX);
  const end = (deed: FactType, move: (handoff: Handoff, nowMs: number) => Moved, outcome?: JsonText): Decide => {
    return (handoff, nowMs) => {
      const moved = move(handoff, nowMs);
      if (!moved.ok) return moved;
      const seen = appendFact(handoff, moved.value, deed, by, nowMs, { reason });
      const facts = [seen.fact];
      return ok(outcome === undefined ? { handoff: seen.handoff, facts } : { handoff: seen.handoff, facts, outcome });
    };
  };
  const failed = (code: string): JsonText => failureText({ code, message: because });
  switch (reading.state) {
    case 'failed':
      return end('fail', failForGood, failed('PROCESSING_ERROR'));
    case 'rejected':
      return end('reject', (handoff, nowMs) => reject(handoff, null, nowMs), failed('REJECTED'));
    case 'expired':
      return end('expire', expire, failed('EXPIRED'));
    case 'cancelled':
      return end('cancel', cancel, failed('CANCELLED'));
    default: {
      const outcome: Outcome = { kind: 'result', result: { status: printable(said, SAYS_MAX), file } };
      return inOrder([
        end('accept', (handoff, nowMs) => accept(handoff, { by: 'hand', holder: handoff.to, untilAt: null }, nowMs)),
        end(
          'deliver',
          (handoff, nowMs) => deliver(handoff, { fence: handoff.fence, claims: [], checks: [] }, nowMs),
          JSON.stringify(outcome) as JsonText,
        ),
        completeByRule('an older file'),
      ]);
    }
  }
}

const TITLE_MAX = 300;
const TASK_MAX = 200;
const SAYS_MAX = 1_000;

function wordsOf(text: string | undefined, max: number): string | null {
  const words = printable(text ?? '', max)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return words === '' ? null : words;
}

function toldBy({ reading, file }: FoundWork): { readonly legacy: JsonObject } {
  const { form, handoff, status, createdAt } = reading;
  const at = createdAt === null ? null : new Date(createdAt).toISOString();
  return { legacy: { file, form, sure: handoff, status: wordsOf(status?.text, TASK_MAX), created: at } };
}

/** The whole text, and every field for whoever looks for one; where both are too much, the text has the fields. */
function bodyOf(work: FoundWork, isOpen: boolean): Result<JsonText, JsonProblem> {
  const { reading, project } = work;
  const fields: Json = reading.fields.map(({ path, text, line }) => ({ path, text, line }));
  const { legacy } = toldBy(work);
  const body = (context: JsonObject): Body => ({
    input: { text: reading.text },
    context: { legacy: context },
    ...(isOpen ? { leg: { project } } : {}),
  });
  const whole = writeJson(body({ ...legacy, fields }));
  return whole.ok ? whole : writeJson(body(legacy));
}
