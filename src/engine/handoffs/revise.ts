/** Changes the content of a draft. The old content stays in the trail. */
import { digestOf } from '../../foundation/digest.ts';
import {
  isJsonObject,
  writeJson,
  type Json,
  type JsonObject,
  type JsonProblem,
  type JsonText,
} from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Decide } from '../../domain/decision.ts';
import { overdueRefusal } from '../../domain/deadlines.ts';
import type { Handoff, Terms } from '../../domain/handoff.ts';
import { revise as reviseMove, type Revised } from '../../domain/moves/revise.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { ROUNDS_MAX, type Claimed } from '../../stores/store.ts';
import { atRevision, change, decideBy, previewDecision } from '../change.ts';
import type { Context } from '../context.ts';
import { schemaRefusal } from './prepare-send.ts';
import { termsOf, type SendRefusal } from './send.ts';

/** Absent fields stay unchanged. */
export interface Revision extends Omit<Revised, 'terms'> {
  readonly terms?: Partial<Pick<Terms, 'deliverables' | 'criteria' | 'verifiers'>>;
  /** The whole input. */
  readonly input?: Json;
  /** Fields of an input that is an object. */
  readonly inputFields?: JsonObject;
}

export async function revise(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  revision: Revision,
): Promise<Result<Handoff, SendRefusal>> {
  let seen = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const whole = await ctx.store.load(id);
    if (whole === null) return err({ code: 'no-such-handoff', id });
    // Refused although the revision has not changed: the cause is not a concurrent writer.
    if (whole.handoff.revision === seen) break;
    seen = whole.handoff.revision;
    const done = await reviseSeen(ctx, principal, whole, revision);
    if (done.ok || done.refusal.code !== 'contended') return done;
  }
  return err({ code: 'contended', id });
}

async function reviseSeen(
  ctx: Context,
  principal: Principal,
  whole: Claimed,
  revision: Revision,
): Promise<Result<Handoff, SendRefusal>> {
  const { handoff } = whole;
  const revised = revisedBy(whole, inForce(ctx, handoff, revision));
  if (!revised.ok) return err({ code: 'not-json', problem: revised.refusal });
  const decide = decideRevision(principal, revised.value);
  // Schemas are files, and only a caller who may revise the draft causes them to be read.
  const allowed = await previewDecision(ctx, handoff, decide);
  if (!allowed.ok) return allowed;
  if (!isRevised(revised.value)) return ok(handoff);
  const { input, schema } = JSON.parse(revised.value.body) as Body;
  const named = schema ?? ctx.rules.schemasOf(handoff.to).input;
  const wrong = named === null ? null : await schemaRefusal(ctx, { input }, named);
  if (wrong !== null) return err(wrong);
  return change(ctx, handoff, atRevision(handoff.revision, decide));
}

/** The workspace sets the verifiers; a request may add others. */
function inForce({ rules }: Context, handoff: Handoff, revision: Revision): Revision {
  const { terms } = revision;
  if (terms === undefined) return revision;
  const { verifiers } = termsOf(rules, handoff.kind, { ...handoff.terms, ...terms }, handoff);
  return { ...revision, terms: { ...terms, ...(terms.verifiers === undefined ? {} : { verifiers }) } };
}

/** The new values, and the old ones for the trail. */
export interface RevisedDraft {
  readonly record: Revised;
  readonly body: JsonText;
  readonly was: JsonObject;
}

/** A longer old input is kept as its digest only. */
const WAS_MAX = 64 * 1024;

export function revisedBy(
  { handoff, body }: Claimed,
  { title, priority, terms = {}, input, inputFields = {} }: Revision,
): Result<RevisedDraft, JsonProblem> {
  const was: Record<string, Json> = {};
  const record: { -readonly [Name in keyof Revised]: Revised[Name] } = {};
  if (title !== undefined && title !== handoff.title) {
    was['title'] = handoff.title;
    record.title = title;
  }
  if (priority !== undefined && priority !== handoff.priority) {
    was['priority'] = handoff.priority;
    record.priority = priority;
  }
  for (const name of ['deliverables', 'criteria', 'verifiers'] as const) {
    const next = terms[name];
    if (next === undefined || JSON.stringify(next) === JSON.stringify(handoff.terms[name])) continue;
    was[name] = [...handoff.terms[name]];
    record.terms = { ...(record.terms ?? handoff.terms), [name]: next };
  }
  const carried = JSON.parse(body) as Body;
  const next = input === undefined ? { ...(isJsonObject(carried.input) ? carried.input : {}), ...inputFields } : input;
  const isSame = (input === undefined && Object.keys(inputFields).length === 0) || same(next, carried.input);
  if (isSame) return ok({ record, body, was });
  // The stored file text contains the old input.
  const { message, ...rest } = carried;
  void message;
  const text = writeJson({ ...rest, input: next });
  if (!text.ok) return text;
  was['input'] = changedIn(carried.input, next);
  const isLong = JSON.stringify(was['input']).length > WAS_MAX;
  if (isLong) was['input'] = { sha256: digestOf(JSON.stringify(carried.input)) };
  return ok({ record, body: text.value, was });
}

export function isRevised({ was }: RevisedDraft): boolean {
  return Object.keys(was).length > 0;
}

/** The old values of the changed fields, for two objects. */
function changedIn(before: Json, next: Json): Json {
  if (!isJsonObject(before) || !isJsonObject(next)) return before;
  const names = new Set([...Object.keys(before), ...Object.keys(next)]);
  const changed = [...names].filter((name) => !same(before[name] ?? null, next[name] ?? null));
  return Object.fromEntries(changed.map((name) => [name, before[name] ?? null]));
}

function same(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** `isInTime`: for commits, whose own dates decide. */
export function decideRevision(
  principal: Principal,
  { record, body, was }: RevisedDraft,
  isInTime: 'in time' | null = null,
): Decide {
  return decideBy(principal, 'revise', (handoff, nowMs) => ({
    deed: 'revise',
    moved: (isInTime === null ? overdueRefusal(handoff, nowMs) : null) ?? reviseMove(handoff, record),
    detail: { was },
    body,
  }));
}
