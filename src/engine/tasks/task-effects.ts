/** A change of a document updates its task by an effect, which is written with the fact so that no crash loses it. */
import type { JsonText } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { TASK_FIELDS_FOR } from '../../formats/task/vocabulary.ts';
import type { WorkspaceRules } from '../context.ts';

export const TASK_EFFECT = 'task';

export function taskEffectKey(handoff: Pick<Handoff, 'id'>, revision: number): string {
  return `${handoff.id}:${revision}:task`;
}

export function withTaskEffects(announce: WorkspaceRules['notificationsFor']): WorkspaceRules['notificationsFor'] {
  return (handoff, fact) => {
    const effects = announce(handoff, fact);
    const { kind, task } = handoff;
    // A queued handoff is only a part of the work of its task, so it does not change the task.
    if (kind !== 'document' || task === null || fact.from === fact.to || TASK_FIELDS_FOR[fact.to] === null)
      return effects;
    const payload = JSON.stringify({ task }) as JsonText;
    return [...effects, { key: taskEffectKey(handoff, fact.revision), kind: TASK_EFFECT, payload }];
  };
}
