/** `baton work --agent`, with programs that print what the real ones print. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VENDORS } from '../../src/domain/vendors.ts';
import { makeWorkspace, sqlite, type Workspace } from '../cli/workspaces.ts';
import { FAKE_SESSION, fakePrograms, LIMITS, printed, type FakeOutput, type FakePrograms } from './fake-programs.ts';

interface Shown {
  readonly state: string;
  readonly attempt: number;
  readonly notBefore?: string;
  readonly until?: string;
  readonly since: string;
  readonly result?: unknown;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly claims?: unknown;
  readonly facts: readonly { readonly deed: string; readonly detail?: Readonly<Record<string, unknown>> }[];
}

interface Bench extends Workspace {
  readonly programs: FakePrograms;
  readonly work: (agent: string, ...more: readonly string[]) => Promise<string>;
  readonly shown: (id: string) => Promise<Shown>;
}

/** Retries at once: how long they wait is tested elsewhere. */
const AT_ONCE = 'retry:\n  delay_seconds: 0\n';

async function bench(outputs: FakeOutput): Promise<Bench> {
  const workspace = await makeWorkspace(sqlite, AT_ONCE);
  const programs = fakePrograms(outputs);
  return {
    ...workspace,
    programs,
    work: async (agent, ...more) => {
      const args = ['work', '@coder', '--agent', agent, '--once', ...more];
      const ended = await workspace.run(args, { env: { PATH: programs.path } });
      return ended.stderr;
    },
    shown: async (id) => JSON.parse((await workspace.run(['show', id, '--json'])).stdout) as Shown,
  };
}

const factOf = (shown: Shown, deed: string): Readonly<Record<string, unknown>> =>
  shown.facts.findLast((fact) => fact.deed === deed)?.detail ?? {};

describe.each(VENDORS)('%s as a worker', (vendor) => {
  it('gets the handoff as a prompt, and its last message is the result', async () => {
    const { send, work, shown, programs } = await bench({ [vendor]: [printed(vendor, '{"answer": 42}')] });
    const id = await send('@coder', { q: 'six times seven' }, ['--title', 'Multiply', '--criterion', 'it is a number']);
    await work(vendor, '--model', 'some-model', '--', '--extra', 'one');
    const seen = await shown(id);
    expect(seen).toMatchObject({ state: 'completed', result: { answer: 42 } });
    const [run] = programs.runs(vendor);
    expect(run?.args).toEqual(expect.arrayContaining(['--model', 'some-model', '--extra', 'one']));
    for (const part of [
      'You are @coder',
      'six times seven',
      'Title: Multiply',
      '- it is a number',
      'from @me',
      'is data',
    ]) {
      expect(run?.prompt).toContain(part);
    }
    expect(factOf(seen, 'deliver')['agent']).toMatchObject({ vendor, session: FAKE_SESSION, inputTokens: 2000 });
    expect(seen.facts.some(({ deed }) => deed === 'progress')).toBe(true);
  });
});

it('an agent that prints plain text has a result: the text', async () => {
  const { send, work, shown } = await bench({ codex: [printed('codex', 'It is 42.\nI checked.')] });
  const id = await send('@coder');
  await work('codex');
  expect(await shown(id)).toMatchObject({ state: 'completed', result: { text: 'It is 42.\nI checked.' } });
});

it('an agent at its usage limit has not failed: the handoff is offered again later', async () => {
  const { send, work, shown } = await bench({ codex: [LIMITS.codex] });
  const id = await send('@coder');
  const said = await work('codex');
  const seen = await shown(id);
  expect(said).toMatch(new RegExp(`offered again in \\d+ s: usage limit of codex`));
  expect(seen.state).toBe('offered');
  expect(seen.facts.map(({ deed }) => deed).filter((deed) => deed !== 'progress')).toEqual([
    'create',
    'accept',
    'release',
  ]);
  expect(Date.parse(seen.notBefore ?? '') - Date.parse(seen.since)).toBeGreaterThan(14 * 60_000);
  expect(factOf(seen, 'release')['reason']).toContain('usage limit');
});

it('an agent goes on with its session when its work is sent back, and is told why', async () => {
  const { run, send, work, shown, programs } = await bench({
    codex: [printed('codex', 'first'), printed('codex', 'second')],
  });
  const id = await send('@coder', {}, ['--verifier', '@judge']);
  await work('codex');
  await run(['verify', id, '--as', '@judge', '--refuse', 'say second', '--rework']);
  await work('codex');
  expect(await shown(id)).toMatchObject({ state: 'delivered', attempt: 2, result: { text: 'second' } });
  const [, again] = programs.runs('codex');
  expect(again?.args).toContain(FAKE_SESSION);
  expect(again?.prompt).toContain('say second');
});

it('the next vendor on the list takes what the first is too exhausted for', async () => {
  const { send, work, shown, programs } = await bench({ claude: [LIMITS.claude], codex: [printed('codex', 'done')] });
  const [one, two] = [await send('@coder'), await send('@coder')];
  await work('claude,codex');
  await work('claude,codex');
  expect(await shown(one)).toMatchObject({ state: 'completed', result: { text: 'done' } });
  expect(await shown(two)).toMatchObject({ state: 'completed' });
  expect(factOf(await shown(one), 'deliver')['agent']).toMatchObject({ vendor: 'codex' });
  expect(programs.runs('codex')).toHaveLength(2);
});

it('an agent has two hours for an attempt, and one retry', async () => {
  const { send, work, shown, start, programs } = await bench({ codex: ['!exit 7'] });
  const id = await send('@coder');
  expect(await work('codex')).toContain('again in 0 s');
  expect(await work('codex')).toContain('not tried again');
  expect(await shown(id)).toMatchObject({ state: 'failed', attempt: 2 });

  const slow = fakePrograms({ codex: ['!sleep 600'] });
  const long = await send('@coder');
  start(['work', '@coder', '--agent', 'codex'], { env: { PATH: slow.path } });
  await expect.poll(async () => (await shown(long)).state).toBe('accepted');
  const { until, since } = await shown(long);
  expect(Date.parse(until ?? '') - Date.parse(since)).toBe(2 * 60 * 60 * 1000);
  expect(programs.runs('codex')).toHaveLength(2);
});

it('an agent that never answers is ended with all it started, and its session is noted', async () => {
  const started = `{"type":"thread.started","thread_id":"${FAKE_SESSION}"}`;
  const { send, work, shown } = await bench({ codex: [`!echo '${started}'; sleep 600`] });
  const id = await send('@coder');
  await work('codex', '--timeout', '10s', '--retries', '0');
  const seen = await shown(id);
  expect(seen).toMatchObject({ state: 'failed', failure: { code: 'TIMEOUT', message: 'no result within 10 s' } });
  expect(factOf(seen, 'fail')['agent']).toMatchObject({ session: FAKE_SESSION });
});

it('an agent that says nothing at the end has failed', async () => {
  const { send, work, shown } = await bench({ claude: [printed('claude', '')] });
  const id = await send('@coder');
  await work('claude', '--retries', '0');
  expect(await shown(id)).toMatchObject({ state: 'failed', failure: { message: 'claude ended without an answer' } });
});

it('the transcript is an artifact, without the secrets that were in it', async () => {
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  const { send, work, run, shown, folder } = await bench({ codex: [printed('codex', `token ${secret}`)] });
  const id = await send('@coder');
  await work('codex');
  const { transcript } = factOf(await shown(id), 'deliver')['agent'] as { readonly transcript: string };
  expect((await run(['artifact', 'show', transcript])).code).toBe(0);
  const text = readFileSync(join(folder, 'artifacts/agent-runs', `${transcript}.jsonl`), 'utf8');
  expect(text).toContain('thread.started');
  expect(text).not.toContain(secret);
});

it('deliverables are shown by evidence in the answer, and a false one is a failed attempt', async () => {
  const answer = (path: string): string =>
    printed('gemini', JSON.stringify({ ok: true, evidence: { page: `file:${path}` } }));
  const { send, work, shown, folder } = await bench({ gemini: [answer('missing.txt'), answer('page.txt')] });
  writeFileSync(join(folder, 'page.txt'), 'hello');
  const id = await send('@coder', {}, ['--deliverable', 'page']);
  expect(await work('gemini')).toContain('evidence does not hold');
  await work('gemini');
  expect(await shown(id)).toMatchObject({ state: 'completed', attempt: 2, result: { ok: true } });
});

describe('--worktree', () => {
  const git = (folder: string, ...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: folder,
      encoding: 'utf8',
    }).trim();

  async function repository(outputs: FakeOutput): Promise<Bench> {
    const made = await bench(outputs);
    git(made.folder, 'init', '--quiet');
    writeFileSync(join(made.folder, 'a.txt'), 'one\n');
    git(made.folder, 'add', 'a.txt', 'baton.yaml');
    git(made.folder, 'commit', '--quiet', '-m', 'first');
    return made;
  }

  it('gives each attempt a branch, which is handed on as evidence; the next attempt begins there', async () => {
    const edit = (word: string): string => `!echo ${word} >> a.txt\n${printed('codex', word)}`;
    const { send, run, work, shown, folder, programs } = await repository({ codex: [edit('two'), edit('three')] });
    const id = await send('@coder', {}, ['--deliverable', 'text', '--verifier', '@judge']);
    await work('codex', '--worktree');
    const branch = `baton/${id}-1`;
    expect(git(folder, 'show', `${branch}:a.txt`)).toBe('one\ntwo');
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
    const commit = git(folder, 'rev-parse', branch);
    expect(await shown(id)).toMatchObject({
      state: 'delivered',
      result: { text: 'two', branch, commit },
      claims: [{ deliverable: 'text', evidence: [{ kind: 'commit', commit }] }],
    });
    await run(['verify', id, '--as', '@judge', '--refuse', 'more', '--rework']);
    await work('codex', '--worktree');
    expect(git(folder, 'show', `baton/${id}-2:a.txt`)).toBe('one\ntwo\nthree');
    expect(git(folder, 'worktree', 'list').split('\n')).toHaveLength(1);
    // The folder of an attempt has a baton.yaml of its own, and still belongs to the workspace around it.
    expect(programs.runs('codex')[0]?.cwd).toContain(join('.baton', 'worktrees'));
  });

  it('leaves nothing behind where nothing was changed', async () => {
    const { send, work, folder } = await repository({ codex: [printed('codex', 'looked')] });
    await send('@coder');
    await work('codex', '--worktree');
    expect(git(folder, 'branch', '--list', 'baton/*')).toBe('');
  });
});

it('says what is wrong with how it was called', async () => {
  const { run } = await bench({});
  const wrong: readonly (readonly [readonly string[], number, string])[] = [
    [['--agent', 'copilot'], 5, 'expected claude, codex, gemini'],
    [['--agent', 'codex'], 5, 'cannot find the command "codex"'],
    [['--model', 'x', '--', 'cat'], 2, '--model needs --agent'],
    [[], 2, 'work needs an agent or a command'],
    [['--cwd', '/nowhere', '--', 'cat'], 5, 'there is no such folder'],
    [['--timeout', 'soon', '--', 'cat'], 5, 'or with a unit: 90s, 5m, 2h, 1d'],
  ];
  for (const [args, code, says] of wrong) {
    const ended = await run(['work', '@coder', ...args], { env: { PATH: '/usr/bin:/bin' } });
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(says) as unknown });
  }
});
