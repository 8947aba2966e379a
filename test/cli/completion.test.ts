/** What a shell offers, and that nothing of what was typed is run. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PRIORITIES } from '../../src/domain/priority.ts';
import { CATALOGUE } from '../../src/interfaces/cli/catalogue/all-commands.ts';
import { sharedOptionsOf } from '../../src/interfaces/cli/program.ts';
import { completionFor, type Completion } from '../../src/interfaces/cli/completion/candidates.ts';
import { baton, BATON, tempFolder } from '../support/processes.ts';

function completing(...typed: readonly string[]): Completion {
  return completionFor(CATALOGUE, (entry) => [...(entry.options ?? []), ...sharedOptionsOf(entry)], typed);
}

describe('what can stand at the cursor', () => {
  it.each([
    [['send', '--to', ''], 'agents'],
    [['work', ''], 'agents'],
    [['show', ''], 'ids'],
    [['send', '--depends', 'ho'], 'ids'],
    [['send', '--input', ''], 'files'],
    [['send', '--request', './'], 'files'],
    [['work', '@a', '--', 'ca'], 'files'],
    [['import', ''], 'files'],
    [['init', ''], 'folders'],
    [['list', '--workspace', ''], 'folders'],
    [['send', '--title', ''], 'nothing'],
    [['show', 'hoff-1', ''], 'nothing'],
    [['artifact', 'show', ''], 'nothing'],
    [['no-such-command', ''], 'nothing'],
  ] as const)('%j wants %s', (typed, wants) => {
    expect(completing(...typed)).toEqual({ wants, words: [] });
  });

  it('commands, those below others, options and choices', () => {
    const words = (...typed: readonly string[]): readonly string[] => completing(...typed).words.map(([word]) => word);
    expect(words('sen')).toEqual(['send']);
    expect(words('')).toContain('token');
    expect(words('token', 're')).toEqual(['revoke', 'recover']);
    expect(words('send', '--priority', '')).toEqual(PRIORITIES);
    expect(words('send', '--to', '@a', '--on-f')).toEqual(['--on-failed']);
    expect(words('send', '--')).toContain('--json');
    expect(words('send', '--retry-m')).not.toContain('--retry-max');
  });
});

describe('in bash, without bash-completion', () => {
  const reply = async (folder: string, line: string, words: readonly string[]): Promise<readonly string[]> => {
    const bin = tempFolder();
    symlinkSync(BATON, join(bin, 'baton'));
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const script = [
      'set -u',
      'source <(baton complete bash)',
      'source <(baton complete bash)',
      `COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}`,
      '_baton_complete baton',
      'printf "%s\\n" "${COMPREPLY[@]+"${COMPREPLY[@]}"}"',
    ].join('\n');
    const env = { PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter), HOME: folder };
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script, 'bash', line], {
      cwd: folder,
      env,
    });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((each) => each !== '');
  };
  const workspace = async (): Promise<{ readonly folder: string; readonly id: string }> => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'below'));
    writeFileSync(join(folder, 'file.json'), '{}');
    await baton(['init'], { cwd: folder });
    const { stdout } = await baton(['send', '--from', '@me', '--to', '@react'], { cwd: folder });
    return { folder, id: stdout.trim() };
  };

  it('offers agents and ids of the workspace, folders, and commands; sourcing twice is fine', async () => {
    const { folder, id } = await workspace();
    expect(await reply(folder, 'baton send --to ', ['baton', 'send', '--to', ''])).toEqual(['@me', '@react']);
    // Bash takes the sign for a word of its own, and keeps it.
    expect(await reply(folder, 'baton send --to @r', ['baton', 'send', '--to', '@', 'r'])).toEqual(['react']);
    expect(await reply(folder, `baton show ${id.slice(0, 9)}`, ['baton', 'show', id.slice(0, 9)])).toEqual([id]);
    expect(await reply(folder, 'baton list --workspace b', ['baton', 'list', '--workspace', 'b'])).toEqual(['below']);
    expect(await reply(folder, 'FOO=1 baton acti', ['baton', 'acti'])).toEqual(['activate']);
    // Left to bash, which completes files by itself.
    expect(await reply(folder, 'baton send --input f', ['baton', 'send', '--input', 'f'])).toEqual([]);
  });

  it('runs nothing of what was typed', async () => {
    const { folder } = await workspace();
    const typed = '$(touch pwned) `touch pwned` ;touch pwned; "$(touch pwned)" >pwned';
    await reply(folder, `baton send --to ${typed} --title `, [
      'baton',
      'send',
      '--to',
      ...typed.split(' '),
      '--title',
      '',
    ]);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });
});
