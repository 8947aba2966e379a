/** Moves of one handoff that need nothing but their input. */
import { accept as acceptHandoff, renew as renewHandoff } from '../engine/handoffs/accept.ts';
import { activate as activateHandoff } from '../engine/handoffs/activate.ts';
import { block as blockHandoff, unblock as unblockHandoff } from '../engine/handoffs/block.ts';
import { fail as failAttempt } from '../engine/handoffs/fail.ts';
import { progress as tellProgress } from '../engine/handoffs/progress.ts';
import { cancel as cancelHandoff, reject as rejectHandoff } from '../engine/handoffs/reject-and-cancel.ts';
import { release as releaseHandoff } from '../engine/handoffs/release.ts';
import { requestRework } from '../engine/handoffs/verify.ts';
import { duration, FENCE, longText, number, required, text } from './field.ts';
import { defineMove } from './operation.ts';

export const accept = defineMove({
  name: 'accept',
  summary: 'Take this handoff by hand; the answer has its fence',
  example: "accept hoff-0190… --as @dev --notes 'by tomorrow'",
  input: {
    notes: longText('A word for the sender'),
    leaseMs: duration(
      {},
      'How long to keep it without a word (default: 900 seconds; documents: for ever), at most as long as its attempt may take',
    ),
  },
  run: (ctx, principal, { id, ...options }) => acceptHandoff(ctx, principal, id, options),
});

export const activate = defineMove({
  name: 'activate',
  summary: 'Offer a draft to its recipient',
  example: 'activate hoff-0190… --as @me',
  permission: 'offer',
  run: (ctx, principal, { id }) => activateHandoff(ctx, principal, id),
});

export const block = defineMove({
  name: 'block',
  summary: 'Stop a handoff until somebody has answered a question',
  example: "block hoff-0190… --fence 1 --question 'which colour?' --as @dev",
  input: { fence: FENCE, question: required(longText('What has to be answered')) },
  run: (ctx, principal, { id, fence = null, question }) => blockHandoff(ctx, principal, id, fence, question),
});

export const cancel = defineMove({
  name: 'cancel',
  summary: 'Say that a handoff is no longer wanted',
  example: 'cancel hoff-0190… --as @me',
  input: { reason: longText('Why') },
  aloud: 'cancel what somebody else has sent',
  run: (ctx, principal, { id, reason = null }) => cancelHandoff(ctx, principal, id, reason),
});

export const fail = defineMove({
  name: 'fail',
  summary: 'Say that an attempt failed',
  about: 'The retry policy of the handoff decides whether there is another attempt.',
  example: "fail hoff-0190… --fence 1 --code PROCESSING_ERROR --message 'no disk' --as @dev",
  input: {
    fence: FENCE,
    code: required(text('What kind of failure, such as PROCESSING_ERROR')),
    message: required(longText('What went wrong')),
  },
  run: (ctx, principal, { id: target, fence = null, ...failure }) =>
    failAttempt(ctx, principal, { target, fence, failure }),
});

export const progress = defineMove({
  name: 'progress',
  summary: 'Tell how far a handoff is',
  example: "progress hoff-0190… --fence 1 --fraction 0.5 --says 'tests pass' --as @dev",
  input: {
    fence: FENCE,
    fraction: number(0, 1, 'How much of it is done, from 0 to 1', { formerly: { option: 'at' } }),
    says: longText('How far it is, in words'),
  },
  check: ({ fraction, says }, nameOf) =>
    fraction === undefined && says === undefined ? `progress needs ${nameOf('fraction')} or ${nameOf('says')}` : null,
  run: (ctx, principal, { id, fence = null, fraction = null, says = null }) =>
    tellProgress(ctx, principal, id, fence, { fraction, says }),
});

export const reject = defineMove({
  name: 'reject',
  summary: 'Decline a handoff, with a reason',
  example: "reject hoff-0190… --as @dev --type unclear --reason 'which login page?'",
  input: {
    type: required(text('Why, as a category: skill_gap, unclear, capacity, …')),
    reason: required(longText('Why, in a sentence that the sender can act on')),
    fence: FENCE,
  },
  run: (ctx, principal, { id, ...rejection }) => rejectHandoff(ctx, principal, id, rejection),
});

export const release = defineMove({
  name: 'release',
  summary: 'Give a handoff back; the attempt does not count',
  example: 'release hoff-0190… --fence 1 --as @dev',
  input: { fence: FENCE },
  run: (ctx, principal, { id, fence = null }) => releaseHandoff(ctx, principal, id, fence),
});

export const renew = defineMove({
  name: 'renew',
  summary: 'Keep a handoff for longer',
  example: 'renew hoff-0190… --fence 1 --as @dev',
  input: { fence: FENCE, leaseMs: duration({}, 'For how long, from now on (default: 900 seconds)') },
  run: (ctx, principal, { id, fence = null, leaseMs }) => renewHandoff(ctx, principal, id, fence, leaseMs),
});

export const rework = defineMove({
  name: 'rework',
  summary: 'Send delivered work back to its doer',
  example: "rework hoff-0190… --as @qa --reason 'does not work on a phone'",
  input: { reason: required(longText('What is not done')) },
  aloud: 'judge work',
  run: (ctx, principal, { id, reason }) => requestRework(ctx, principal, id, reason),
});

export const unblock = defineMove({
  name: 'unblock',
  summary: 'Let a blocked handoff go on, with an answer',
  example: "unblock hoff-0190… --answer 'blue' --as @me",
  input: { answer: longText('The answer to its question') },
  run: (ctx, principal, { id, answer = null }) => unblockHandoff(ctx, principal, id, answer),
});
