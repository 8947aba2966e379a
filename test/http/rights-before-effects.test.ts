/** Whoever is refused has caused nothing outside the database: no command ran, no file was read, nothing was written. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { served, type Answer, type Served } from './served.ts';

const CONFIGURATION = 'evidence: { commands: allow }\nagents: { shaped: { schemas: { output: secret-shape } } }\n';
const RAN = 'ran';
const SHOWN = { result: null, evidence: [{ deliverable: 'page', kind: 'command', value: `touch ${RAN}` }] };

interface World extends Served {
  readonly id: string;
  readonly fence: number;
  readonly ran: () => boolean;
  readonly as: (
    agent: string | null,
    method: string,
    path: string,
    body?: object,
    headers?: HeaderValues,
  ) => Promise<Answer>;
}
type HeaderValues = Readonly<Record<string, string>>;

/** A handoff from @lead to @dev with one deliverable that @judge verifies; @dev holds it. */
async function world(terms: object = {}): Promise<World> {
  const server = await served({ configuration: CONFIGURATION });
  const as: World['as'] = async (agent, method, path, body, headers) =>
    server.ask(method, path, {
      token: await server.tokenFor(agent),
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers }),
    });
  const sent = await as('lead', 'POST', '/api/handoffs', {
    to: '@dev',
    deliverables: ['page'],
    verifiers: ['@judge'],
    ...terms,
  });
  const { id } = sent.json as { id: string };
  const taken = await as('dev', 'POST', `/api/handoffs/${id}/accept`, {});
  const { fence } = taken.json as { fence: number };
  return { ...server, as, id, fence, ran: () => existsSync(join(server.folder, RAN)) };
}

function codeOf(answer: Answer): string {
  return (answer.json as { code: string }).code;
}

describe('deliver', () => {
  it.each<[string, number, string, (w: World) => Promise<Answer>]>([
    [
      'what is not there',
      404,
      'no-such-handoff',
      ({ as }) => as('dev', 'POST', '/api/handoffs/nope/deliver', { ...SHOWN, fence: 1 }),
    ],
    [
      "somebody else's",
      404,
      'no-such-handoff',
      ({ as, id, fence }) => as('mallory', 'POST', `/api/handoffs/${id}/deliver`, { ...SHOWN, fence }),
    ],
    [
      'what one sent and does not hold',
      403,
      'not-entitled',
      ({ as, id, fence }) => as('lead', 'POST', `/api/handoffs/${id}/deliver`, { ...SHOWN, fence }),
    ],
    [
      'with an old fence',
      409,
      'lease-lost',
      ({ as, id, fence }) => as('dev', 'POST', `/api/handoffs/${id}/deliver`, { ...SHOWN, fence: fence + 1 }),
    ],
    [
      'what was given back',
      409,
      'lease-lost',
      async ({ as, id, fence }) => {
        await as('dev', 'POST', `/api/handoffs/${id}/release`, { fence });
        return as('dev', 'POST', `/api/handoffs/${id}/deliver`, { ...SHOWN, fence });
      },
    ],
    [
      'a revision that is past',
      412,
      'revision-passed',
      ({ as, id, fence }) =>
        as('dev', 'POST', `/api/handoffs/${id}/deliver`, { ...SHOWN, fence }, { 'if-match': '"1"' }),
    ],
    [
      'a deliverable that nobody asked for',
      422,
      'evidence-unknown',
      ({ as, id, fence }) =>
        as('dev', 'POST', `/api/handoffs/${id}/deliver`, {
          fence,
          evidence: [...SHOWN.evidence, { deliverable: 'pony', kind: 'command', value: `touch ${RAN}` }],
        }),
    ],
  ])('(D7, I12) %s runs no command', async (_, status, code, ask) => {
    const w = await world();
    const answer = await ask(w);
    expect([answer.status, codeOf(answer), w.ran()]).toEqual([status, code, false]);
  });

  it('D7: by its holder runs the command', async () => {
    const w = await world();
    const { status } = await w.as('dev', 'POST', `/api/handoffs/${w.id}/deliver`, { ...SHOWN, fence: w.fence });
    expect([status, w.ran()]).toEqual([200, true]);
  });

  it('I12: reads no schema for a stranger, and tells it nothing about one', async () => {
    const w = await world();
    const { json } = await w.as('lead', 'POST', '/api/handoffs', { to: '@shaped' });
    const { id } = json as { id: string };
    const answer = await w.as('mallory', 'POST', `/api/handoffs/${id}/deliver`, { result: 1, fence: 1 });
    expect([answer.status, codeOf(answer)]).toEqual([404, 'no-such-handoff']);
  });
});

describe('verify', () => {
  const COUNT = 'echo x >> count';
  const delivered = async (terms: object = {}): Promise<World & { readonly runs: () => number }> => {
    const w = await world(terms);
    const evidence = [{ deliverable: 'page', kind: 'command', value: COUNT }];
    const { status } = await w.as('dev', 'POST', `/api/handoffs/${w.id}/deliver`, { fence: w.fence, evidence });
    expect(status).toBe(200);
    return { ...w, runs: () => readFileSync(join(w.folder, 'count'), 'utf8').trim().split('\n').length };
  };

  it.each<[string, string, number, string, object]>([
    ['a stranger', 'mallory', 404, 'no-such-handoff', {}],
    ['the sender', 'lead', 403, 'own-work', {}],
    ['the doer', 'dev', 403, 'own-work', {}],
    ['a verifier who leaves criteria open', 'judge', 422, 'criteria-open', {}],
  ])('(D7, I12) by %s runs no command again', async (_, agent, status, code, body) => {
    const w = await delivered({ criteria: ['it works'] });
    const answer = await w.as(agent, 'POST', `/api/handoffs/${w.id}/verify`, body);
    expect([answer.status, codeOf(answer), w.runs()]).toEqual([status, code, 1]);
  });

  it('D7: by its verifier runs it again', async () => {
    const w = await delivered();
    const answer = await w.as('judge', 'POST', `/api/handoffs/${w.id}/verify`, {});
    expect([answer.status, w.runs()]).toEqual([200, 2]);
  });
});

describe('send', () => {
  it('I12: in the name of another reads no file of the workspace', async () => {
    const w = await world();
    mkdirSync(join(w.folder, 'context'), { recursive: true });
    writeFileSync(join(w.folder, 'context/tech-stack.json'), 'not json: a secret');
    const forged = { from: '@lead', to: '@mallory', context: { stack: 'context/tech-stack.json' } };
    const answer = await w.as('mallory', 'POST', '/api/handoffs', forged);
    expect([answer.status, codeOf(answer)]).toEqual([403, 'not-entitled']);
    const unknown = { from: '@lead', to: '@mallory', schema: 'none' };
    expect(codeOf(await w.as('mallory', 'POST', '/api/handoffs', unknown))).toBe('not-entitled');
  });
});
