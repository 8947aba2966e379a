/** A change of a document is a reason to look at its task: written with the fact, so that no crash can lose it. */
import type { JsonText } from '../../foundation/json.ts';
import type { Effect } from '../../domain/decision.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { STANDING_FOR } from '../../formats/task/vocabulary.ts';
import type { WorkspaceRules } from '../context.ts';

export const TASK_EFFECT = 'task';

export function taskEffectKey(handoff: Pick<Handoff, 'id'>, revision: number): string {
  return `${handoff.id}:${revision}:task`;
}

export function withTaskEffects(announce: WorkspaceRules['notificationsFor']): WorkspaceRules['notificationsFor'] {
  return (handoff, fact) => {
    const effects = announce(handoff, fact);
    return concernsTask(handoff, fact) ? [...effects, effectOf(handoff, fact)] : effects;
  };
}

/** Only documents drive tasks: what is queued for a task is a part of its work, and says nothing about the whole. */
function concernsTask({ kind, task }: Handoff, { from, to }: Pick<Fact, 'from' | 'to'>): boolean {
  return kind === 'document' && task !== null && from !== to && STANDING_FOR[to] !== null;
}

function effectOf(handoff: Handoff, { revision }: Fact): Effect {
  const payload = JSON.stringify({ task: handoff.task }) as JsonText;
  return { key: taskEffectKey(handoff, revision), kind: TASK_EFFECT, payload };
}
