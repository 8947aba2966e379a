/** The text that the queue file of a handoff should have, made from the database. */
import { parseExact } from '../../foundation/exact-json.ts';
import { isJsonObject, type JsonText } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { ANSWER_FIELDS } from '../../formats/queue-message/read.ts';
import { writeMessage, type ArtifactPlace } from '../../formats/queue-message/write.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Context } from '../context.ts';
import { withDependencyResults } from '../handoffs/dependency-results.ts';
import { factsOf } from '../handoffs/read.ts';
import type { Queue } from './queue.ts';

/** The record for its file, which also contains the results of dependencies. */
export async function loadForFile(ctx: Context, id: HandoffId): Promise<StoredHandoff | null> {
  const whole = await ctx.store.load(id);
  return whole === null ? null : withDependencyResults(ctx, whole);
}

let parsed: { readonly text: JsonText; readonly body: Body } | null = null;

/** Caches the last body, because texts and paths of one handoff are usually made one after the other. */
export function bodyOf({ body: text }: Pick<StoredHandoff, 'body'>): Body {
  if (parsed?.text !== text) parsed = { text, body: parseExact(text) as Body };
  return parsed.body;
}

/** For an open handoff no facts are needed. */
export function openText(whole: StoredHandoff): string {
  const { handoff } = whole;
  const startedAt = handoff.state === 'accepted' ? handoff.since : null;
  return writeMessage({ handoff, body: bodyOf(whole), outcome: null, startedAt, artifact: null });
}

export async function finalText(
  queue: Queue,
  whole: StoredHandoff,
  artifact: ArtifactPlace | null,
  isForeign: boolean,
): Promise<string> {
  const { handoff, outcome } = whole;
  return writeMessage({
    handoff,
    body: bodyOf(whole),
    outcome: outcome === null ? null : (parseExact(outcome) as Outcome),
    startedAt: await lastStart(queue, handoff),
    artifact,
    isForeign,
  });
}

async function lastStart({ ctx, started }: Queue, handoff: Handoff): Promise<number | null> {
  if (handoff.attempt === 0) return null;
  const known = started.get(handoff.id);
  started.delete(handoff.id);
  if (known?.fence === handoff.fence) return known.at;
  const facts = await factsOf(ctx, handoff.id);
  return facts.findLast(({ deed }) => deed === 'accept')?.at ?? null;
}

/** Whether a foreign program wrote the result. Reads the trail only if the result has the form of a foreign one. */
export async function isEndedByFile({ ctx }: Queue, { handoff, outcome }: StoredHandoff): Promise<boolean> {
  if (handoff.attempt === 0 || outcome === null) return false;
  const left = JSON.parse(outcome) as Outcome;
  if (left.kind === 'result' && !(isJsonObject(left.result) && hasForeignForm(left.result))) return false;
  const facts = await factsOf(ctx, handoff.id);
  return facts.findLast(({ deed }) => deed === 'deliver' || deed === 'fail')?.by.startsWith('file:') === true;
}

/** Whether the result has only fields of a queue message. It may be empty, if a program only moved the file. */
function hasForeignForm(result: object): boolean {
  return Object.keys(result).every((name) => FOREIGN_FIELDS.has(name));
}

const FOREIGN_FIELDS: ReadonlySet<string> = new Set<string>(ANSWER_FIELDS);
