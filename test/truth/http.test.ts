/** Lies over HTTP and MCP, where everybody shows a token. */
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { served, type Answer, type Served } from '../http/served.ts';
import { call, overHttp } from '../mcp/clients.ts';
import { tempFolder } from '../support/processes.ts';

type Ask = (agent: string | null, path: string, body?: object) => Promise<Answer>;

interface World extends Served {
  readonly as: Ask;
  readonly write: (path: string, text: string) => void;
}

/** Documents have to be verified by @qa; other work where its sender says so. */
const CONFIGURATION = 'evidence: { commands: allow }\nverifiers: [qa]\n';
const HELD = { deliverables: ['page'], verifiers: ['@qa'] };
const FILE = { deliverable: 'page', kind: 'file', value: 'page.html' };

async function world(configuration = CONFIGURATION): Promise<World> {
  const server = await served({ configuration });
  const as: Ask = async (agent, path, body = {}) =>
    server.ask('POST', path, { token: await server.tokenFor(agent), body });
  writeFileSync(join(server.folder, 'page.html'), 'done');
  return { ...server, as, write: (path, text) => writeFileSync(join(server.folder, path), text) };
}

/** Sent by @pm, taken by @dev. */
async function taken({ as }: World, request: object = HELD): Promise<{ readonly id: string; readonly fence: number }> {
  const { id } = (await as('pm', '/api/handoffs', { to: '@dev', ...request })).json as { id: string };
  const { fence } = (await as('dev', `/api/handoffs/${id}/accept`)).json as { fence: number };
  return { id, fence };
}

/** The same as a document, for which the workspace names the verifiers. */
async function documented(
  { as }: World,
  verifiers: readonly string[],
): Promise<{ readonly id: string; readonly fence: undefined }> {
  const request = { to: '@dev', kind: 'document', title: 'A page', deliverables: ['page'], verifiers };
  const { id } = (await as('pm', '/api/handoffs', request)).json as { id: string };
  await as('pm', `/api/handoffs/${id}/activate`);
  await as('dev', `/api/handoffs/${id}/accept`);
  return { id, fence: undefined };
}

async function delivered(w: World, evidence: readonly object[] = [FILE], request?: object): Promise<string> {
  const { id, fence } = await taken(w, request);
  const shown = await w.as('dev', `/api/handoffs/${id}/deliver`, { fence, result: null, evidence });
  expect(shown.status).toBe(200);
  return id;
}

/** `200 completed verified`, `403 own-work`. */
function told({ status, json }: Answer): string {
  const { code, state, assurance } = json as { code?: string; state?: string; assurance?: string };
  return [status, code ?? state, assurance].filter((part) => part !== undefined && part !== null).join(' ');
}

const verified = (w: World, by: string | null, id: string, more: object = {}): Promise<string> =>
  w.as(by, `/api/handoffs/${id}/verify`, more).then(told);

async function deliveredWith(evidence: object, prepare: (w: World) => void = () => undefined): Promise<string> {
  const w = await world();
  prepare(w);
  const { id, fence } = await taken(w);
  return told(await w.as('dev', `/api/handoffs/${id}/deliver`, { fence, result: null, evidence: [evidence] }));
}

async function verifiedAfter(evidence: object, change: (w: World) => void, prepare = change): Promise<string> {
  const w = await world();
  prepare(w);
  const id = await delivered(w, [{ deliverable: 'page', ...evidence }]);
  change(w);
  return verified(w, 'qa', id);
}

const nothing = (): void => undefined;

const ATTEMPTS: readonly (readonly [lie: string, answer: string, attempt: () => Promise<string>])[] = [
  ['no lie: the verifier agrees, the file is there', '200 completed verified', () => verifiedAfter(FILE, nothing)],
  [
    'nobody shows a token',
    '401 token-needed',
    async () => {
      const w = await world();
      return told(await w.ask('POST', `/api/handoffs/${await delivered(w)}/verify`, { body: {} }));
    },
  ],
  [
    'a token that is none',
    '401 token-refused',
    async () => {
      const w = await world();
      return told(await w.ask('POST', `/api/handoffs/${await delivered(w)}/verify`, { body: {}, token: 'baton_x' }));
    },
  ],
  [
    'the doer verifies',
    '403 own-work',
    async () => {
      const w = await world();
      return verified(w, 'dev', await delivered(w));
    },
  ],
  [
    'the sender verifies',
    '403 own-work',
    async () => {
      const w = await world();
      return verified(w, 'pm', await delivered(w));
    },
  ],
  [
    'a stranger verifies, and does not learn that it is there',
    '404 no-such-handoff',
    async () => {
      const w = await world();
      return verified(w, 'mallory', await delivered(w));
    },
  ],
  [
    'the doer names itself verifier with `as`',
    '400 bad-request',
    async () => {
      const w = await world();
      return verified(w, 'dev', await delivered(w), { as: '@qa' });
    },
  ],
  [
    'the doer writes who it is into the fact',
    '400 bad-request',
    async () => {
      const w = await world();
      return verified(w, 'dev', await delivered(w), { by: '@qa', via: 'token tok-qa' });
    },
  ],
  [
    'the doer writes its own checks',
    '400 bad-request',
    async () => {
      const w = await world();
      const { id, fence } = await taken(w);
      const body = {
        fence,
        result: null,
        evidence: [FILE],
        checks: [{ deliverable: 'page', verdict: 'true', says: '' }],
      };
      return told(await w.as('dev', `/api/handoffs/${id}/deliver`, body));
    },
  ],
  [
    '`verifiers: []` empties what the workspace requires',
    '200 delivered',
    async () => {
      const w = await world();
      const { id, fence } = await documented(w, []);
      return told(await w.as('dev', `/api/handoffs/${id}/deliver`, { fence, result: null, evidence: [FILE] }));
    },
  ],
  [
    'a sender names a friend as verifier',
    '200 delivered',
    async () => {
      const w = await world();
      const { id, fence } = await documented(w, ['@dev']);
      return told(await w.as('dev', `/api/handoffs/${id}/deliver`, { fence, result: null, evidence: [FILE] }));
    },
  ],
  [
    'a sender asks for less: `assurance: verified`',
    '400 bad-request',
    async () => {
      const w = await world();
      return told(await w.as('pm', '/api/handoffs', { to: '@dev', ...HELD, assurance: 'verified' }));
    },
  ],
  [
    'a sender says that it was imported',
    '400 bad-request',
    async () => {
      const w = await world();
      return told(await w.as('pm', '/api/handoffs', { to: '@dev', ...HELD, lineage: { imported: 'x' } }));
    },
  ],
  [
    'completed without deliverables',
    '200 completed attested',
    async () => {
      const w = await world();
      return verified(w, 'qa', await delivered(w, [], { verifiers: ['@qa'] }));
    },
  ],
  [
    'work for oneself, agreed by oneself',
    '403 own-work',
    async () => {
      const w = await world('');
      const sent = (await w.as('dev', '/api/handoffs', { to: '@dev', ...HELD })).json as { id: string };
      const { fence } = (await w.as('dev', `/api/handoffs/${sent.id}/accept`)).json as { fence: number };
      await w.as('dev', `/api/handoffs/${sent.id}/deliver`, { fence, result: null, evidence: [FILE] });
      return verified(w, 'dev', sent.id);
    },
  ],
  [
    'a verifier whose own part below it is done',
    '403 own-work',
    async () => {
      const w = await world();
      const { id, fence } = await taken(w);
      const child = (await w.as('dev', '/api/handoffs', { to: '@qa', parent: id, verifiers: ['@pm'] })).json as {
        id: string;
      };
      const part = (await w.as('qa', `/api/handoffs/${child.id}/accept`)).json as { fence: number };
      await w.as('qa', `/api/handoffs/${child.id}/deliver`, { fence: part.fence, result: null });
      await w.as('dev', `/api/handoffs/${id}/deliver`, { fence, result: null, evidence: [FILE] });
      return verified(w, 'qa', id);
    },
  ],
  [
    'nothing is shown',
    '422 evidence-missing',
    async () => {
      const w = await world();
      const { id, fence } = await taken(w);
      return told(await w.as('dev', `/api/handoffs/${id}/deliver`, { fence, result: null }));
    },
  ],
  ['a file that is not there', '422 evidence-false', () => deliveredWith({ ...FILE, value: 'none.html' })],
  ['a file outside', '422 evidence-false', () => deliveredWith({ ...FILE, value: '../../../etc/hostname' })],
  ['the database as a file', '422 evidence-false', () => deliveredWith({ ...FILE, value: '.baton/baton.db' })],
  [
    'an empty file',
    '200 completed attested',
    () => verifiedAfter({ kind: 'file', value: 'empty' }, nothing, (w) => w.write('empty', '')),
  ],
  [
    'a file with a second name outside',
    '200 completed attested',
    () =>
      verifiedAfter({ kind: 'file', value: 'linked' }, nothing, (w) => {
        const outside = join(tempFolder(), 'outside');
        writeFileSync(outside, 'done');
        linkSync(outside, join(w.folder, 'linked'));
      }),
  ],
  [
    'a file that is destroyed before the verdict',
    '422 evidence-false',
    () => verifiedAfter(FILE, (w) => rmSync(join(w.folder, 'page.html')), nothing),
  ],
  [
    'a file that is changed before the verdict',
    '422 evidence-false',
    () => verifiedAfter(FILE, (w) => w.write('page.html', 'other'), nothing),
  ],
  [
    '`check.sh` rewritten to `exit 0`',
    '200 completed attested',
    () =>
      verifiedAfter(
        { kind: 'command', value: 'sh ./check.sh' },
        (w) => w.write('check.sh', 'exit 0'),
        (w) => w.write('check.sh', 'grep -q done page.html'),
      ),
  ],
  [
    'another command than the sender fixed',
    '422 evidence-false',
    async () => {
      const w = await world();
      const { id, fence } = await taken(w, { ...HELD, check: 'test -s page.html' });
      const evidence = [{ deliverable: 'page', kind: 'command', value: 'true' }];
      return told(await w.as('dev', `/api/handoffs/${id}/deliver`, { fence, result: null, evidence }));
    },
  ],
  [
    'a command that looks for a token',
    '422 evidence-false',
    () => deliveredWith({ deliverable: 'page', kind: 'command', value: 'env | grep -q ^BATON_' }),
  ],
  [
    'a note and an address',
    '200 completed attested',
    () => verifiedAfter({ kind: 'url', value: 'https://example.org/verified' }, nothing),
  ],
  [
    'an agreement without a word about the criteria',
    '422 criteria-open',
    async () => {
      const w = await world();
      return verified(w, 'qa', await delivered(w, [FILE], { ...HELD, criteria: ['it loads'] }));
    },
  ],
  [
    'a verdict on what has changed since',
    '412 revision-passed',
    async () => {
      const w = await world();
      const id = await delivered(w);
      const token = await w.tokenFor('qa');
      const headers = { 'if-match': '"1"' };
      return told(await w.ask('POST', `/api/handoffs/${id}/verify`, { token, body: {}, headers }));
    },
  ],
  [
    'a worker makes a token for the verifier',
    '403',
    async () => {
      const w = await world();
      return String((await w.as('dev', '/api/tokens', { agent: '@qa' })).status);
    },
  ],
  [
    'MCP: the doer verifies',
    'own-work',
    async () => {
      const w = await world();
      return byTool(w, 'dev', await delivered(w));
    },
  ],
  [
    'MCP: a stranger verifies',
    'no-such-handoff',
    async () => {
      const w = await world();
      return byTool(w, 'mallory', await delivered(w));
    },
  ],
  [
    'MCP: no lie: the verifier agrees',
    'completed verified',
    async () => {
      const w = await world();
      return byTool(w, 'qa', await delivered(w));
    },
  ],
];

async function byTool(w: World, agent: string, id: string): Promise<string> {
  const client = await overHttp(w, '2026-07-28', await w.tokenFor(agent));
  const { text, isError } = await call(client, 'baton_verify', { id });
  if (isError) return text.slice(0, text.indexOf(':'));
  const { handoff } = JSON.parse(text) as { handoff: { state: string; assurance?: string } };
  return [handoff.state, handoff.assurance].join(' ');
}

describe('over HTTP', () => {
  it.each(ATTEMPTS)('%s → %s', async (_lie, answer, attempt) => {
    expect(await attempt()).toBe(answer);
  });
});
