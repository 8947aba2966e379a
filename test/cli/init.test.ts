import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/workspace/configuration.ts';
import { TEMPLATES } from '../../src/workspace/templates.ts';
import { quickBaton, tempFolder } from '../support/processes.ts';

describe('baton init', () => {
  it('makes a workspace whose private folder nobody else can read and git does not see', async () => {
    const folder = tempFolder();
    const made = await quickBaton(['init'], { cwd: folder });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toBe(`made .baton/ and baton.yaml in ${folder}\n`);
    const inside = join(folder, '.baton');
    expect(statSync(inside).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(inside, '.gitignore'), 'utf8')).toBe('*\n');
    expect(readdirSync(inside).toSorted()).toEqual(['.gitignore', 'baton.db', 'bells']);
    expect(statSync(join(inside, 'bells')).mode & 0o777).toBe(0o700);
  });

  it('is safe to repeat: nothing that is there is touched', async () => {
    const folder = tempFolder();
    await quickBaton(['init'], { cwd: folder });
    const configuration = join(folder, 'baton.yaml');
    writeFileSync(configuration, 'project: mine\n');
    const sent = await quickBaton(['send', '--from', 'me', '--to', 'react'], { cwd: folder });

    const again = await quickBaton(['init'], { cwd: folder });
    expect(again).toMatchObject({ code: 0, stdout: `${folder} is a workspace already\n`, stderr: '' });
    expect(readFileSync(configuration, 'utf8')).toBe('project: mine\n');
    const waited = await quickBaton(['wait', sent.stdout.trim(), '--timeout', '0'], { cwd: folder });
    expect(waited.code).toBe(7);
  });

  it('is not needed in a fresh clone: the first command keeps its database out of git, too', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'baton.yaml'), 'project: cloned\n');
    expect(await quickBaton(['list'], { cwd: folder })).toMatchObject({ code: 0, stderr: 'no handoffs found\n' });
    expect(readFileSync(join(folder, '.baton/.gitignore'), 'utf8')).toBe('*\n');
    expect(statSync(join(folder, '.baton')).mode & 0o777).toBe(0o700);
  });

  it('is no way to lose a database without a word: whoever makes a new one in its place says so', async () => {
    const folder = tempFolder();
    await quickBaton(['init'], { cwd: folder });
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `.baton/baton.db${suffix}`), { force: true });
    const listed = await quickBaton(['list'], { cwd: folder });
    expect(listed.stderr).toContain('baton.db was missing; a new, empty database was created\n');
    expect((await quickBaton(['list'], { cwd: folder })).stderr).not.toContain('was gone');
  });

  it('answers programs with what it made', async () => {
    const folder = tempFolder();
    const made = await quickBaton(['init', 'deep/inside', '--json'], { cwd: folder });
    const workspace = join(folder, 'deep/inside');
    expect(JSON.parse(made.stdout)).toEqual({ workspace, made: ['.baton/', 'baton.yaml'] });
    const again = await quickBaton(['init', workspace, '--json']);
    expect(JSON.parse(again.stdout)).toEqual({ workspace, made: [] });
  });

  it('is neutral: no agent, task or schema of a specification unless a template is asked for', async () => {
    const folder = tempFolder();
    await quickBaton(['init'], { cwd: folder });
    expect(readFileSync(join(folder, 'baton.yaml'), 'utf8')).not.toMatch(/grok|abacus|perplexity|react|BPRD/i);
    expect(readdirSync(folder).toSorted()).toEqual(['.baton', 'baton.yaml']);
  });

  it.each(TEMPLATES)('--template %s begins with settings that are in force', async (template) => {
    const folder = tempFolder();
    const made = await quickBaton(['init', '--template', template], { cwd: folder });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { queueFolder, documentFolder, verifiers } = readConfiguration(join(folder, 'baton.yaml'));
    expect([queueFolder, documentFolder, verifiers]).toEqual(
      {
        queue: [true, false, []],
        documents: [false, true, ['perplexity']],
        relay: [false, false, ['reviewer']],
      }[template],
    );
    expect((await quickBaton(['doctor'], { cwd: folder })).code).toBe(0);
  });

  it('refuses a template that there is none of, and says which there are', async () => {
    const refused = await quickBaton(['init', '--template', 'react'], { cwd: tempFolder() });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('queue, documents, relay');
  });

  it('refuses a file in the place of the folder', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'taken'), 'a file');
    const refused = await quickBaton(['init', 'taken'], { cwd: folder });
    expect(refused).toMatchObject({ code: 5, stdout: '', stderr: 'baton: taken is not a folder\n' });
    expect(readFileSync(join(folder, 'taken'), 'utf8')).toBe('a file');
  });

  it('I21: leaves no draft of the database behind, even when eight make the same one at once', async () => {
    const folder = tempFolder();
    const made = await Promise.all(Array.from({ length: 8 }, () => quickBaton(['init'], { cwd: folder })));
    expect(made.map((each) => [each.code, each.stderr])).toEqual(made.map(() => [0, '']));
    expect(readdirSync(join(folder, '.baton')).toSorted()).toEqual(['.gitignore', 'baton.db', 'bells']);
  });
});
