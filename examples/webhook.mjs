/** A receiver of webhooks that checks the signature, and a workspace that notifies it of completed handoffs. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBaton } from 'batonpass';

// begin: signature
/** `header` is `Baton-Signature`, `body` the request's bytes as they came: parse them only after this said yes. */
function isGenuine(header, body, secret, nowMs = Date.now()) {
  const [, seconds, given] = /^t=([0-9]+),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  if (given === undefined) return false;
  // An old message that somebody has kept and sends again is not news.
  if (Math.abs(nowMs / 1000 - Number(seconds)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(given, 'hex'));
}
// end: signature

const secret = randomBytes(32).toString('hex');
const received = [];
const receiver = createServer((request, response) => void receive(request, response));

async function receive(request, response) {
  const body = Buffer.concat(await request.toArray());
  if (!isGenuine(request.headers['baton-signature'], body, secret)) return response.writeHead(401).end();
  // At least once: the same Idempotency-Key is the same event.
  received.push({ key: request.headers['idempotency-key'], ...JSON.parse(body.toString()) });
  response.writeHead(204).end();
  receiver.emit('news');
}
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const { port } = receiver.address();

// The secret is in the environment of whoever works or waits; the configuration only names the variable.
process.env.HOOK_SECRET = secret;
const folder = mkdtempSync(join(tmpdir(), 'baton-example-'));
writeFileSync(
  join(folder, 'baton.yaml'),
  `notifications:
  webhooks:
    - { url: "http://127.0.0.1:${port}/hook", events: [completed], secret_env: HOOK_SECRET }
  allow_hosts: ["127.0.0.1:${port}"]
`,
);
const baton = await openBaton({ workspace: folder });

try {
  const told = once(receiver, 'news');
  baton.work('@echo', ({ input }) => input);
  const { id } = await baton.send({ from: '@me', to: '@echo', input: 'secret content', title: 'Echo' });
  await told;
  assert.equal(received[0].event, 'completed');
  assert.equal(received[0].body.handoff, id);
  // Names and circumstances, never the content.
  assert.ok(!JSON.stringify(received).includes('secret content'));

  const forged = Buffer.from('{"event":"completed"}');
  assert.equal(isGenuine(`t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`, forged, secret), false);
  console.log(JSON.stringify(received[0], null, 2));
} finally {
  await baton.close();
  receiver.close();
  rmSync(folder, { recursive: true });
}
