import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baton, tempFolder, type Ended } from '../support/processes.ts';
import { commandDatabases } from './command-databases.ts';
import { makeWorkspace, sendWith, NO_RETRIES, type Workspace } from './workspaces.ts';

const SEND = ['send', '--from', 'me', '--to', 'react'];
const LIMITED = 'agents:\n  react: { limits: { incoming: 1 } }\n';

interface Case {
  readonly code: number;
  readonly means: string;
  readonly provoke: (workspace: Workspace) => Promise<Ended>;
  readonly says: RegExp;
  readonly refusal: unknown;
}

/** 9 is in test/crash/stalled.test.ts: only a worker that has lost its lease gets it. */
const CASES: readonly Case[] = [
  {
    code: 1,
    means: 'a fault',
    provoke: async ({ run, folder }) => {
      writeFileSync(join(folder, 'text'), 'not a database at all');
      return run([...SEND, '--json', '--database', join(folder, 'text')]);
    },
    says: /is not a SQLite database; it was left as it is/,
    refusal: { code: 'fault', outcome: 'unchanged' },
  },
  {
    code: 2,
    means: 'usage',
    provoke: ({ run }) => run(['send', '--json', '--to', 'react']),
    says: /send needs --from and --to, for example/,
    refusal: { code: 'usage' },
  },
  {
    code: 3,
    means: 'not found',
    provoke: ({ run }) => run(['wait', 'hoff-nobody-knows', '--json']),
    says: /there is no handoff hoff-nobody-knows here/,
    refusal: { code: 'no-such-handoff', id: 'hoff-nobody-knows' },
  },
  {
    code: 4,
    means: 'refused by rights',
    provoke: async ({ run, send }) => run(['accept', await send('react'), '--json', '--as', '@me']),
    says: /@me may not accept hoff-/,
    refusal: { code: 'not-entitled', op: 'accept', principal: '@me' },
  },
  {
    code: 5,
    means: 'invalid input',
    provoke: ({ run }) => run([...SEND, '--json', '--input', '{"a":\n oops}']),
    says: /--input:2:2: "o" where a value should stand/,
    refusal: { code: 'not-json', line: 2, column: 2 },
  },
  {
    code: 6,
    means: 'limit (D5, I15)',
    provoke: async ({ run, send }) => {
      await send('react');
      return run([...SEND, '--json']);
    },
    says: /@react has 1 of 1 incoming handoffs open; wait until one is settled/,
    refusal: { code: 'limit-reached', agent: 'react', direction: 'incoming', count: 1, max: 1 },
  },
  {
    code: 7,
    means: 'timed out (I18)',
    provoke: async ({ run, send }) => run(['wait', await send('react'), '--timeout', '0.1', '--json']),
    says: /was not settled within 0.1 s; wait again with/,
    refusal: { code: 'timed-out' },
  },
];

describe.each(commandDatabases)('exit codes on $name', (database) => {
  it.each(CASES)(
    '$code is $means, and only the error is on standard error',
    async ({ code, provoke, says, refusal }) => {
      const ended = await provoke(await makeWorkspace(database, LIMITED));
      expect(ended.code).toBe(code);
      expect(ended.stdout).toBe('');
      const told = JSON.parse(ended.stderr) as { error: { message: string } };
      expect(told).toMatchObject({ error: refusal });
      expect(told.error.message).toMatch(says);
    },
  );

  it('0 is done', async () => {
    const { run } = await makeWorkspace(database);
    expect(await run(SEND)).toMatchObject({ code: 0, stderr: '' });
  });

  it('8 is a handoff that failed: its failure is the answer', async () => {
    const { run, open } = await makeWorkspace(database);
    const id = await sendWith(await open(), 'react', NO_RETRIES);
    await run(['work', 'react', '--once', '--', 'false']);
    const told = await run(['wait', id, '--json']);
    expect([told.code, told.stderr]).toEqual([8, '']);
    const failure = { code: 'PROCESSING_ERROR', message: 'false ended with exit code 1' };
    expect(JSON.parse(told.stdout)).toMatchObject({ id, state: 'failed', failure });
    const shown = await run(['wait', id]);
    expect(shown).toMatchObject({ code: 8, stdout: '' });
    expect(shown.stderr).toContain('attempt 1: PROCESSING_ERROR: false ended with exit code 1');
  });

  it('people get the same errors as one line', async () => {
    const { run } = await makeWorkspace(database);
    expect(await run(['wait', 'hoff-nobody-knows'])).toEqual({
      code: 3,
      signal: null,
      stdout: '',
      stderr: 'baton: there is no handoff hoff-nobody-knows here that you may see\n',
    });
  });
});

describe('without a workspace', () => {
  it('the answer is 3 and says how to make one', async () => {
    const folder = tempFolder();
    for (const args of [SEND, ['wait', 'hoff-x'], ['work', 'react', '--', 'cat']]) {
      const ended = await baton(args, { cwd: folder });
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr).toBe(`baton: no baton.yaml in ${folder} or above it; make a workspace with: baton init\n`);
    }
    mkdirSync(join(folder, 'inside'));
    const named = await baton([...SEND, '--workspace', 'inside'], { cwd: folder });
    expect(named.stderr).toContain(`no baton.yaml in ${join(folder, 'inside')}`);
  });
});
