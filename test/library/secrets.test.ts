/** The policy for secrets, by the ways in which words come into the database. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBaton, type Baton } from '../../src/index.ts';
import { commandDatabases } from '../cli/command-databases.ts';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';

const SECRET = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6'}`;
const RULE = 'github-token';
const REDACTED = `[redacted:${RULE}]`;

interface Opened {
  readonly baton: Baton;
  readonly folder: string;
  readonly events: Readonly<Record<string, unknown>>[];
}

async function open(policy: string, database = sqlite): Promise<Opened> {
  const { folder, address } = await makeWorkspace(database, policy === '' ? '' : `secrets: ${policy}\n`);
  const events: Readonly<Record<string, unknown>>[] = [];
  const baton = await openBaton({
    workspace: folder,
    ...(address.kind === 'postgres' ? { database: address.url } : {}),
    onEvent: (event) => {
      if (event.kind === 'secret-found') events.push(event);
    },
  });
  onTestFinished(() => baton.close());
  return { baton, folder, events };
}

const REQUEST = { from: 'me', to: 'react', input: {} } as const;
const AS = { as: 'react' } as const;

/** Each way that words take, with the field that is named for them. */
const EDGES: readonly (readonly [string, string, (baton: Baton) => Promise<unknown>])[] = [
  ['a title', 'title', (baton) => baton.send({ ...REQUEST, title: `use ${SECRET}` })],
  ['an input', 'input.env[1].key', (baton) => baton.send({ ...REQUEST, input: { env: [{}, { key: SECRET }] } })],
  ['a context', 'context.a', (baton) => baton.send({ ...REQUEST, context: { a: SECRET } })],
  ['a criterion', 'criteria[0]', (baton) => baton.send({ ...REQUEST, criteria: [SECRET] })],
  ['a document', 'task', (baton) => baton.send({ ...REQUEST, kind: 'document', task: SECRET })],
  [
    'a result',
    'result.key',
    async (baton) => baton.deliver(await held(baton), { ...AS, fence: 1, result: { key: SECRET } }),
  ],
  ['progress', 'says', async (baton) => baton.progress(await held(baton), { ...AS, fence: 1, says: SECRET })],
  ['a question', 'question', async (baton) => baton.block(await held(baton), { ...AS, fence: 1, question: SECRET })],
  ['an answer', 'answer', async (baton) => baton.unblock(await blocked(baton), { answer: SECRET })],
  [
    'a rejection',
    'reason',
    async (baton) => baton.reject((await baton.send(REQUEST)).id, { ...AS, type: 'unclear', reason: SECRET }),
  ],
  [
    'notes of a verifier',
    'notes',
    async (baton) => baton.verify(await delivered(baton), { as: 'judge', notes: SECRET }),
  ],
];

async function held(baton: Baton, more: object = {}): Promise<string> {
  const { id } = await baton.send({ ...REQUEST, ...more });
  await baton.accept(id, AS);
  return id;
}

async function blocked(baton: Baton): Promise<string> {
  const id = await held(baton);
  await baton.block(id, { ...AS, fence: 1, question: 'which color?' });
  return id;
}

async function delivered(baton: Baton): Promise<string> {
  const id = await held(baton, { verifiers: ['judge'] });
  await baton.deliver(id, { ...AS, fence: 1 });
  return id;
}

/** Everything that can be read of it, as one text. */
async function everythingOf(baton: Baton): Promise<string> {
  const { items } = await baton.find({ max: 100 });
  const wholes = await Promise.all(items.map(({ id }) => baton.load(id)));
  const facts = await Promise.all(items.map(({ id }) => baton.facts(id)));
  const inboxes = await Promise.all(['me', 'react', 'judge'].map((agent) => baton.inbox(agent)));
  return JSON.stringify([wholes, facts, inboxes]);
}

describe.each(commandDatabases)('secrets on $name', (database) => {
  it.each(EDGES)(
    'by default, %s is kept and told of in the answer, in a fact and as an event',
    async (_, field, act) => {
      const { baton, events } = await open('', database);
      const answer = await act(baton);
      expect(answer).toMatchObject({
        warnings: expect.arrayContaining([`${field} looks like a secret (${RULE}); it was kept as it is`]) as unknown,
      });
      expect(events).toContainEqual(expect.objectContaining({ rule: RULE, field, did: 'warned' }));
      expect(JSON.stringify(events)).not.toContain(SECRET);
      const facts = await baton.facts((answer as { id: string }).id);
      expect(facts.map(({ detail }) => detail)).toContainEqual(
        expect.objectContaining({ secrets: expect.arrayContaining([{ rule: RULE, field }]) as unknown }),
      );
      expect(await everythingOf(baton)).toContain(SECRET);
    },
  );
});

describe('secrets by policy', () => {
  it.each(EDGES)('redact: of %s nothing is left', async (_, field, act) => {
    const { baton, events } = await open('redact');
    const answer = await act(baton);
    expect(answer).toMatchObject({
      warnings: expect.arrayContaining([`${field} looks like a secret (${RULE}); it was redacted`]) as unknown,
    });
    expect(JSON.stringify([answer, events])).not.toContain(SECRET);
    const everything = await everythingOf(baton);
    expect(everything).not.toContain(SECRET);
    expect(everything).toContain(REDACTED);
  });

  it.each(EDGES)('block: %s is refused with field and rule, and nothing is written', async (_, field, act) => {
    const { baton, events } = await open('block');
    await expect(act(baton)).rejects.toMatchObject({
      code: 'secret-found',
      details: { rule: RULE, field },
      message: expect.stringContaining(`${field} looks like a secret (${RULE}); nothing was written`) as unknown,
    });
    expect(events).toMatchObject([{ rule: RULE, field, did: 'refused' }]);
    expect(await everythingOf(baton)).not.toContain(SECRET);
  });

  it('block: that an attempt failed is written all the same, without the secret', async () => {
    const { baton } = await open('block');
    const id = await held(baton, { retry: { max: 0 } });
    const failed = await baton.fail(id, { ...AS, fence: 1, code: 'BROKEN', message: `denied for ${SECRET}` });
    expect(failed.state).toBe('failed');
    expect((await baton.load(id))?.failure?.message).toBe(`denied for ${REDACTED}`);
  });

  it('block: a worker whose result holds one fails with the reason', async () => {
    const { baton } = await open('block');
    const { id } = await baton.send({ ...REQUEST, retry: { max: 0 } });
    const worker = baton.work('react', () => ({ key: SECRET }));
    await expect(baton.wait(id, { timeoutMs: 60_000 })).rejects.toMatchObject({ name: 'HandoffNotCompleted' });
    await worker.stop();
    const whole = await baton.load(id);
    expect(whole).toMatchObject({ state: 'failed', failure: { code: 'VALIDATION_FAILED' } });
    expect(whole?.failure?.message).toContain(`result.key looks like a secret (${RULE})`);
  });

  it('off: nobody looks', async () => {
    const { baton, events } = await open('off');
    expect(await baton.send({ ...REQUEST, title: SECRET })).not.toHaveProperty('warnings');
    expect(events).toEqual([]);
  });

  it('redact: a summary is taken in without it, and known the second time', async () => {
    const { baton } = await open('redact');
    const text = `\`\`\`yaml\nhandoff:\n  from: me\n  to: react\n  status: completed\n  summary: use ${SECRET}\n\`\`\`\n`;
    const told = { text, session: 's', turn: '1', project: 'p' };
    const [first] = await baton.ingest(told);
    expect(first).toMatchObject({ fate: 'done' });
    expect((await baton.ingest(told))[0]).toMatchObject({ fate: 'known' });
    const everything = await everythingOf(baton);
    expect(everything).not.toContain(SECRET);
    expect(everything).toContain(REDACTED);
  });

  const withArtifact = async (policy: string): Promise<Opened & { readonly path: string }> => {
    const opened = await open(policy);
    mkdirSync(join(opened.folder, 'artifacts'), { recursive: true });
    const path = join(opened.folder, 'artifacts', 'a.json');
    const parts = { artifact_id: 'a-1', artifact_type: 'notes', artifact_version: '1.0.0' };
    writeFileSync(path, JSON.stringify({ ...parts, content: { key: SECRET }, validation: { status: 'passed' } }));
    return { ...opened, path };
  };

  it('warn: an artifact that holds one is registered and told of', async () => {
    const { baton, events } = await withArtifact('warn');
    expect(await baton.registerArtifact('artifacts/a.json')).toMatchObject({ artifact_id: 'a-1' });
    expect(events).toMatchObject([{ rule: RULE, field: 'content.key', did: 'warned' }]);
  });

  it.each(['block', 'redact'])('%s: an artifact that holds one stays out, and its file as it is', async (policy) => {
    const { baton, events, path } = await withArtifact(policy);
    await expect(baton.registerArtifact('artifacts/a.json')).rejects.toMatchObject({ code: 'secret-found' });
    expect(events).toMatchObject([{ rule: RULE, field: 'content.key', did: 'refused' }]);
    expect(readFileSync(path, 'utf8')).toContain(SECRET);
  });
});
