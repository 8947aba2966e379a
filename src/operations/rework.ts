import { requestRework } from '../engine/handoffs/verify.ts';
import { longText, required } from './field.ts';
import { defineMove } from './operation.ts';

export const rework = defineMove({
  name: 'rework',
  summary: 'Send delivered work back to its doer for changes',
  example: "rework hoff-0190… --as @qa --reason 'does not work on a phone'",
  input: { reason: required(longText('What is not done')) },
  explicitAs: 'judge work',
  run: (ctx, principal, { id, reason }) => requestRework(ctx, principal, id, reason),
});
