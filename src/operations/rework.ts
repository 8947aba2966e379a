import { requestRework } from '../engine/handoffs/verify.ts';
import { ID, longText, required } from './field.ts';
import { defineOperation } from './operation.ts';

export const rework = defineOperation({
  name: 'rework',
  summary: 'Send delivered work back to its doer',
  example: "rework hoff-0190… --as @qa --reason 'does not work on a phone'",
  permission: 'rework',
  scope: 'write',
  subject: 'id',
  input: { id: ID, reason: required(longText('What is not done')) },
  aloud: 'judge work',
  result: 'handoff',
  run: (ctx, principal, { id, reason }) => requestRework(ctx, principal, id, reason),
});
