/** The text that the file of a handoff should have, made from what the database knows. */
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { writeMessage, type ArtifactPlace } from '../../dialects/queue-message/write.ts';
import type { Whole } from '../../stores/store.ts';
import { factsOf } from '../verbs/look.ts';
import type { Queue } from './queue.ts';

/** While it is open, nothing of its past is needed. */
export function openText({ handoff, body }: Whole): string {
  const startedAt = handoff.state === 'accepted' ? handoff.since : null;
  return writeMessage({ handoff, body: JSON.parse(body) as Body, outcome: null, startedAt, artifact: null });
}

export async function finalText(queue: Queue, whole: Whole, artifact: ArtifactPlace | null): Promise<string> {
  const { handoff, body, outcome } = whole;
  return writeMessage({
    handoff,
    body: JSON.parse(body) as Body,
    outcome: outcome === null ? null : (JSON.parse(outcome) as Outcome),
    startedAt: await lastStart(queue, handoff),
    artifact,
  });
}

async function lastStart({ around }: Queue, handoff: Handoff): Promise<number | null> {
  if (handoff.attempt === 0) return null;
  const facts = await factsOf(around, handoff.id);
  return facts.findLast(({ deed }) => deed === 'accept')?.at ?? null;
}
