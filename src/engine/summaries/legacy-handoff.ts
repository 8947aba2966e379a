/**
 * Creates the record of a handoff in a legacy form: offered or a draft if work is left, otherwise settled in the same
 * transaction. Finished work never appears as open.
 */
import { writeJson, type Json, type JsonObject, type JsonProblem, type JsonText } from '../../foundation/json.ts';
import { ok, type Result } from '../../foundation/result.ts';
import { doneFolderIn } from '../../formats/legacy/file-name.ts';
import type { LegacyReading } from '../../formats/legacy/legacy-reading.ts';
import type { Body } from '../../domain/body.ts';
import type { Decide } from '../../domain/decision.ts';
import { NO_LINEAGE, senderFieldsOf } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import { accept } from '../../domain/moves/accept.ts';
import type { Beginning } from '../../domain/moves/create.ts';
import { deliver } from '../../domain/moves/deliver.ts';
import { cancel, expire, reject } from '../../domain/moves/reject-cancel-expire.ts';
import { failForGood } from '../../domain/moves/fail.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { principalText, type Principal } from '../../domain/principal.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import type { NewHandoff } from '../../stores/store.ts';
import { decideCreation, decideStep, inOrder, withNotifications } from '../change.ts';
import type { Context } from '../context.ts';
import { failureText, printable, resultText } from '../handoffs/failure-text.ts';
import { completeByRule } from '../handoffs/deliver.ts';
import { QUEUE_BEGINNING } from './leg.ts';
import { heldForEver } from './report.ts';

export interface FoundWork {
  readonly id: HandoffId;
  readonly reading: LegacyReading;
  readonly from: AgentId;
  readonly to: AgentId;
  readonly project: string;
  readonly file: string;
}

/** The initial state of the record, by the state in the file. Blocked and delivered work becomes a draft, so that it is not started again. */
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

/** A handoff without a status is offered. One with an unknown status is a draft, because the word may mean "done". */
export function beginsAs({ state, status }: LegacyReading, file: string): 'draft' | 'offer' | 'settled' {
  const as = state !== null ? BEGINS_AS[state] : status === null ? 'offer' : 'draft';
  return doneFolderIn(inside(file)) === null ? as : 'settled';
}

/** For a file outside the workspace only the nearest folder counts: a folder above may be an unrelated archive. */
function inside(file: string): string {
  return /^(?:[\\/]|[A-Za-z]:)/.test(file) ? file.split(/[\\/]/).slice(-2).join('/') : file;
}

/** `as`: how the record begins; null: settled. */
export function openingFor(
  ctx: Context,
  { principal, speaker }: { readonly principal: Principal; readonly speaker: Principal },
  work: FoundWork,
  as: Beginning['as'] | null,
): Result<NewHandoff, JsonProblem> {
  const body = bodyOf(work, as !== null);
  if (!body.ok) return body;
  const { id, from, to, reading } = work;
  const own = as === null ? {} : { ...ctx.rules.terms.queue, attemptTimeoutMs: null };
  const beginning: Beginning = {
    ...QUEUE_BEGINNING,
    ...senderFieldsOf({
      title: wordsOf(reading.title?.text, TITLE_MAX),
      task: wordsOf(reading.task?.text, TASK_MAX),
    }),
    id,
    from,
    to,
    lineage: NO_LINEAGE,
    terms: { ...DEFAULT_TERMS.queue, ...own, dependsOn: [] },
    as: as ?? 'offer',
  };
  const by = principalText(principal);
  // Settled work gets no leg, so its project neither waits for it nor fails because of it.
  const leg = { project: work.project, from: `@${from}`, to: `@${to}`, task: beginning.task };
  const vouched = by === principalText(speaker) ? {} : { ingestedBy: by };
  const detail: JsonObject = { ...(as === null ? {} : { leg }), legacy: legacyDetail(work), ...vouched };
  const settled = as === null ? settle(work, by) : null;
  const decide = decideCreation(ctx, speaker, beginning, body.value, detail, () => settled);
  return ok({
    id,
    dependsOn: [],
    body: body.value,
    decide: as === null ? decide : withNotifications(ctx.rules, decide),
  });
}

/** The facts are in the name of the principal that ingests the file: the agents in the file are not proven. */
function settle({ reading, file }: FoundWork, by: string): Decide {
  const detail = { reason: `so it stood in ${file}` };
  const said = reading.status?.text ?? '';
  const message = printable(`${said} (${detail.reason})`, SAYS_MAX);
  const failed = (code: string): JsonText => failureText({ code, message });
  switch (reading.state) {
    case 'failed':
      return decideStep(by, 'fail', failForGood, detail, failed('PROCESSING_ERROR'));
    case 'rejected':
      return decideStep(by, 'reject', (handoff, nowMs) => reject(handoff, null, nowMs), detail, failed('REJECTED'));
    case 'expired':
      return decideStep(by, 'expire', expire, detail, failed('EXPIRED'));
    case 'cancelled':
      return decideStep(by, 'cancel', cancel, detail, failed('CANCELLED'));
    default: {
      const outcome = resultText({ status: printable(said, SAYS_MAX), file });
      return inOrder([
        decideStep(by, 'accept', (each, nowMs) => accept(each, heldForEver(each), nowMs), detail),
        decideStep(
          by,
          'deliver',
          (each, nowMs) => deliver(each, { fence: each.fence, claims: [], checks: [] }, nowMs),
          detail,
          outcome,
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

function legacyDetail({ reading, file }: FoundWork): JsonObject {
  const { form, handoff, status, createdAt } = reading;
  const at = createdAt === null ? null : new Date(createdAt).toISOString();
  return { file, form, sure: handoff, status: wordsOf(status?.text, TASK_MAX), created: at };
}

/** The text and its fields; if both are too large, only the text. */
function bodyOf(work: FoundWork, isOpen: boolean): Result<JsonText, JsonProblem> {
  const { reading, project } = work;
  const fields: Json = reading.fields.map(({ path, text, line }) => ({ path, text, line }));
  const legacy = legacyDetail(work);
  const body = (context: JsonObject): Body => ({
    input: { text: reading.text },
    context: { legacy: context },
    ...(isOpen ? { leg: { project } } : {}),
  });
  const whole = writeJson(body({ ...legacy, fields }));
  return whole.ok ? whole : writeJson(body(legacy));
}
