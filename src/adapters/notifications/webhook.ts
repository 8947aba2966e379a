/**
 * Reports an event to a web server: one POST with JSON, signed when there is a secret.
 *
 * 2xx is done; 410 says never again. Other answers of 4xx mean that this request will not be better the next time: it is
 * tried `HOPELESS_TRIES` times, for the receiver that is being repaired, then dropped. All else is tried again. Redirects
 * count as failures: where they lead has not been checked, and a receiver that has moved should be configured.
 */
import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../../foundation/clock.ts';
import { hexDigestOf } from '../../foundation/digest.ts';
import { codeOf } from '../../foundation/system-error-code.ts';
import type { Json } from '../../foundation/json.ts';
import type { SendResult, EffectSender } from '../../engine/effects.ts';
import type { DueEffect } from '../../stores/store.ts';
import { guardAddresses, hostOf, type Address, type Resolve } from './address-guard.ts';

/** What an effect of kind `webhook` says. Secrets are not in it: an outbox is read by many. */
interface WebhookPayload {
  readonly url: string;
  /** Like `handoff.completed`. */
  readonly event: string;
  /** Of the delivery, for the receiver's logs. */
  readonly id: string;
  readonly body: Json;
}

export interface WebhookOptions {
  readonly clock: Clock;
  /** What is closed otherwise; see `guardAddresses`. */
  readonly allowHosts: readonly string[];
  readonly secretOf: (payload: WebhookPayload) => string | null;
  readonly resolve?: Resolve;
}

const LIMIT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const HOPELESS_TRIES = 5;
const RETRY_AFTER_MAX_MS = 60 * 60_000;
const RETRIED = new Set([408, 425, 429]);
const WORD = /^[\w.:-]{1,200}$/;
/** A secret of Standard Webhooks is base64 behind this; any other is taken as it is written. */
const ENCODED_SECRET = 'whsec_';
const HEADER_SAFE = /^[\x21-\x7e]{1,255}$/;

export function webhookSender(options: WebhookOptions): EffectSender {
  const guard = guardAddresses(options.allowHosts, options.resolve ?? ((name) => lookup(name, { all: true })));
  return {
    kind: 'webhook',
    limitMs: LIMIT_MS,
    laneOf: (effect) => readPayload(effect)?.target.host ?? '',
    async send(effect, signal) {
      const read = readPayload(effect);
      if (read === null) return { never: 'its payload is no webhook with url, event, id and body' };
      const { payload, target } = read;
      const bad = judgeUrl(target);
      if (bad !== null) return { never: bad };
      try {
        const admitted = await orAborted(guard.admit(target), signal);
        if ('refused' in admitted) {
          return admitted.final ? { never: admitted.refused } : { says: admitted.refused, targetDown: true };
        }
        const answer = await post(target, admitted.to, messageOf(effect, payload, options), signal);
        return judgeAnswer(answer, effect.tries ?? 0, options.clock.nowMs());
      } catch (error) {
        const reason = signal.aborted ? 'no answer in time' : (codeOf(error) ?? String(error));
        return { says: `${target.host}: ${reason}`, targetDown: true };
      }
    },
  };
}

function readPayload(effect: DueEffect): { readonly payload: WebhookPayload; readonly target: URL } | null {
  const payload = JSON.parse(effect.payload) as Partial<WebhookPayload> | null;
  if (typeof payload !== 'object' || payload === null) return null;
  const { url, event, id, body = null } = payload;
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  if (typeof event !== 'string' || !WORD.test(event) || typeof id !== 'string' || !WORD.test(id)) return null;
  return { payload: { url, event, id, body }, target: new URL(url) };
}

function judgeUrl(target: URL): string | null {
  if (target.protocol !== 'http:' && target.protocol !== 'https:') return 'its url is neither http nor https';
  // The url is not repeated: readers of the report must not see the password.
  if (target.username !== '' || target.password !== '') return 'its url holds a user name or password';
  return null;
}

interface Message {
  readonly text: string;
  readonly headers: Readonly<Record<string, string | number>>;
}

function messageOf(effect: DueEffect, payload: WebhookPayload, { clock, secretOf }: WebhookOptions): Message {
  const { event, id, body } = payload;
  const text = JSON.stringify({ id, event, body });
  const secret = secretOf(payload);
  const seconds = Math.floor(clock.nowMs() / 1000);
  return {
    text,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      'User-Agent': 'baton',
      'Idempotency-Key': HEADER_SAFE.test(effect.key) ? effect.key : hexDigestOf(effect.key),
      'Baton-Event': event,
      'Baton-Delivery': id,
      'webhook-id': id,
      'webhook-timestamp': seconds,
      ...(secret === null ? {} : signatures(secret, id, seconds, text)),
    },
  };
}

/**
 * The first as Standard Webhooks has it, for whatever library the receiver has; the second is ours of before. The receiver
 * computes the same over what it got, and refuses an old time.
 */
function signatures(secret: string, id: string, seconds: number, text: string): Record<string, string> {
  const isEncoded = secret.startsWith(ENCODED_SECRET);
  const key = isEncoded ? Buffer.from(secret.slice(ENCODED_SECRET.length), 'base64') : secret;
  return {
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${text}`).digest('base64')}`,
    'Baton-Signature': `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex')}`,
  };
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
}

function post(target: URL, to: Address, { text, headers }: Message, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answer: Answer | null = null;
    const options: RequestOptions = {
      method: 'POST',
      // The name stays for the certificate and the Host header; the connection goes where the guard has looked.
      hostname: hostOf(target),
      path: `${target.pathname}${target.search}`,
      headers: { ...headers, Host: target.host },
      lookup: (_name, { all }, answer) => (all === true ? answer(null, [to]) : answer(null, to.address, to.family)),
      agent: false,
      signal,
      ...(target.port === '' ? {} : { port: target.port }),
    };
    const request = (target.protocol === 'https:' ? requestHttps : requestHttp)(options, (response) => {
      const { statusCode: status = 0, headers: said } = response;
      answer = { status, retryAfter: said['retry-after'] ?? null };
      drain(response, () => {
        settle();
        response.destroy();
      });
    });
    // Once the answer has begun it is known how it went, however the rest of it comes.
    const settle = (error?: Error): void =>
      answer === null ? reject(error ?? new Error('no answer')) : resolve(answer);
    request.on('error', settle).on('close', () => settle());
    request.end(text);
  });
}

function drain(response: IncomingMessage, settle: () => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) settle();
  });
  response.on('end', settle).on('close', settle).on('error', settle);
}

function judgeAnswer({ status, retryAfter }: Answer, tries: number, nowMs: number): SendResult {
  if (status >= 200 && status < 300) return 'done';
  if (status === 410) return { never: 'the receiver says that it is gone (410)' };
  const says = status >= 300 && status < 400 ? `redirects (${status}), which is not followed` : `answers ${status}`;
  if (status >= 300 && status < 500 && !RETRIED.has(status)) {
    return tries + 1 < HOPELESS_TRIES ? { says } : { never: `${says}, ${tries + 1} times` };
  }
  const retryInMs = retryAfterMs(retryAfter, nowMs);
  return { says, targetDown: true, ...(retryInMs === null ? {} : { retryInMs }) };
}

/** Seconds or a date; at most an hour, because the receiver's clock may be wrong. */
function retryAfterMs(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) || ms < 0 ? null : Math.min(ms, RETRY_AFTER_MAX_MS);
}

/** The name service cannot be interrupted, only left alone. */
async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
