/** A workspace that was made for a database keeps to it: no command falls back to another one without a word. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quickBaton, tempFolder } from '../support/processes.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { WITHOUT_POSTGRES } from '../support/private-postgres.ts';

const server = await sharedPostgres();

describe('database: in baton.yaml', () => {
  it('names a file from the folder of the workspace', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'baton.yaml'), 'database: kept/work.db\n');
    await quickBaton(['init'], { cwd: folder });
    const sent = await quickBaton(['send', '--from', '@me', '--to', '@you'], { cwd: folder });
    expect(sent.code).toBe(0);
    expect(existsSync(join(folder, 'kept/work.db'))).toBe(true);
    expect(existsSync(join(folder, '.baton/baton.db'))).toBe(false);
  });

  it('takes a variable of the environment, and is an error where that is not set', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'baton.yaml'), 'database: ${WORK_DATABASE}\n');
    const named = { cwd: folder, env: { WORK_DATABASE: join(folder, 'work.db') } };
    expect((await quickBaton(['list'], named)).code).toBe(0);
    const refused = await quickBaton(['list'], { cwd: folder });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('the variable WORK_DATABASE is not set');
    expect(existsSync(join(folder, '.baton/baton.db'))).toBe(false);
    expect((await quickBaton(['doctor'], { cwd: folder })).code).toBe(1);
  });

  it('is no address of something else', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'baton.yaml'), 'database: mysql://localhost/work\n');
    const refused = await quickBaton(['list'], { cwd: folder });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('expected postgres://');
  });

  it.skipIf(server === null)(
    `is written by init --database, without the password${server === null ? ` (${WITHOUT_POSTGRES})` : ''}`,
    async () => {
      const folder = tempFolder();
      const url = new URL((await server?.createDatabase('named_by_init')) ?? '');
      url.password = 'hush';
      expect(await quickBaton(['init', '--database', url.href], { cwd: folder })).toMatchObject({
        code: 0,
        stderr: '',
      });
      const text = readFileSync(join(folder, 'baton.yaml'), 'utf8');
      expect(text).toContain('database: "postgres://postgres@127.0.0.1');
      expect(text).not.toContain('hush');
      const sent = await quickBaton(['send', '--from', '@me', '--to', '@you', '--json'], { cwd: folder });
      expect(sent.code).toBe(0);
      expect(existsSync(join(folder, '.baton/baton.db'))).toBe(false);
    },
  );

  it.skipIf(server === null)('is asked for where a baton.yaml was there before', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'baton.yaml'), 'project: mine\n');
    const url = (await server?.createDatabase('named_later')) ?? '';
    const made = await quickBaton(['init', '--database', url], { cwd: folder });
    expect(made.stderr).toContain('add this to');
    expect(made.stderr).toContain(`database: ${JSON.stringify(url)}`);
  });
});
