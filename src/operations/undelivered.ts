/** Notifications that could not be delivered. */
import { err, ok } from '../foundation/result.ts';
import { integer, longText, required, withDefault } from './field.ts';
import { defineOperation } from './operation.ts';

const LISTED_MAX = 1_000;

export const undelivered = defineOperation({
  name: 'undelivered',
  summary: 'List notifications that could not be delivered, newest first, with the reason',
  about:
    'A webhook is retried for three days with growing pauses, unless its receiver answers that it will never accept it.',
  example: 'undelivered --as operator',
  permission: 'operator',
  scope: 'read',
  route: { method: 'get', path: '/api/undelivered' },
  input: { limit: withDefault(integer(1, LISTED_MAX, 'How many'), 100) },
  result: 'undelivered',
  run: async (ctx, _principal, { limit }) => ok(await ctx.store.outbox.dropped(limit)),
});

export const resend = defineOperation({
  name: 'resend',
  summary: 'Retry the delivery of an undelivered notification',
  about: 'The process that has the duty delivers it within a second or two.',
  example: 'resend hoff-0190…:3:webhook:chat --as operator',
  permission: 'operator',
  subject: 'key',
  route: { method: 'post', path: '/api/undelivered/resend' },
  input: { key: required(longText('The key of the notification, from `undelivered`')) },
  result: 'resent',
  run: async (ctx, _principal, { key }) =>
    (await ctx.store.outbox.requeue(key)) ? ok(key) : err({ code: 'not-undelivered', key }),
});
