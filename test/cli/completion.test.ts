/** What a shell offers, and that nothing of what was typed is run. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PRIORITIES } from '../../src/domain/priority.ts';
import { CATALOGUE } from '../../src/interfaces/cli/catalogue/all-commands.ts';
import { sharedOptionsOf } from '../../src/interfaces/cli/catalogue/all-options.ts';
import { completionFor, type Completion } from '../../src/interfaces/cli/completion/candidates.ts';
import { howToGet, needComponent } from '../support/components.ts';
import { BATON, quickBaton, tempFolder } from '../support/processes.ts';

const TYPED = '$(touch pwned) `touch pwned` ;touch pwned; "$(touch pwned)"';

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

async function workspace(): Promise<{ readonly folder: string; readonly id: string }> {
  const folder = tempFolder();
  mkdirSync(join(folder, 'below'));
  writeFileSync(join(folder, 'file.json'), '{}');
  await quickBaton(['init'], { cwd: folder });
  const { stdout } = await quickBaton(['send', '--from', '@me', '--to', '@react'], { cwd: folder });
  return { folder, id: stdout.trim() };
}

/** Runs a shell that finds `baton`, and answers what it printed, line by line. */
async function linesOf(shell: string, args: readonly string[], folder: string): Promise<readonly string[]> {
  const bin = tempFolder();
  symlinkSync(BATON, join(bin, 'baton'));
  const env = { PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter), HOME: folder };
  const { stdout, stderr } = await promisify(execFile)(shell, args, { cwd: folder, env });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((each) => each !== '');
}

describe('in bash, without bash-completion', () => {
  const reply = async (folder: string, line: string, words: readonly string[]): Promise<readonly string[]> => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const script = [
      'set -u',
      'source <(baton complete bash)',
      'source <(baton complete bash)',
      `COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}`,
      '_baton_complete baton',
      'printf "%s\\n" "${COMPREPLY[@]+"${COMPREPLY[@]}"}"',
    ].join('\n');
    return linesOf('bash', ['--norc', '-c', script, 'bash', line], folder);
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
    const typed = `${TYPED} >pwned`;
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

/** Types into an interactive zsh, presses Tab after each line, and prints what the line is then. */
const ZSH_SESSION = `
  zmodload zsh/zpty
  zpty shell 'PS1= TERM=dumb zsh -f -i'
  zpty -w shell 'autoload -Uz compinit; compinit -u -D; source <(baton complete zsh); source <(baton complete zsh)
    show() { print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show; bindkey "^X" show; bindkey "^I" complete-word
    unsetopt auto_list; print re""ady'
  zpty -r -m shell line '*ready*'
  for typed in "$@"; do
    zpty -n -w shell "$typed"$'\\t\\x18'
    zpty -r -m shell line '*>>*'
    print -r -- "\${\${line##*<<}%%>>*}"
  done
  zpty -d shell
`;

describe('in zsh', () => {
  it('Tab completes agents, ids, files, folders and commands, and runs nothing of the line', async ({ skip }) => {
    const zsh = await needComponent('zsh');
    if (zsh === null) return skip(howToGet('zsh'));
    const { folder, id } = await workspace();
    const lines = {
      'baton send --to @r': 'baton send --to @react ',
      [`baton show ${id.slice(0, 9)}`]: `baton show ${id} `,
      'baton send --input f': 'baton send --input file.json ',
      'baton list --workspace b': 'baton list --workspace below/',
      'baton acti': 'baton activate ',
      [`baton send --to ${TYPED.replaceAll(';', '')} --on-f`]: `baton send --to ${TYPED.replaceAll(';', '')} --on-failed `,
    };
    const args = ['-f', '-c', ZSH_SESSION, 'zsh', ...Object.keys(lines)];
    expect(await linesOf(zsh, args, folder)).toEqual(Object.values(lines));
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });
});

describe('in fish', () => {
  it('Tab completes agents, ids, files, folders and commands, and runs nothing of the line', async ({ skip }) => {
    const fish = await needComponent('fish');
    if (fish === null) return skip(howToGet('fish'));
    const { folder, id } = await workspace();
    const asked = [
      'baton send --to ',
      `baton show ${id.slice(0, 9)}`,
      'baton send --input f',
      'baton list --workspace b',
      'baton acti',
      `baton send --to ${TYPED.replaceAll(';', '')} --on-f`,
    ];
    const load = 'baton complete fish | source; baton complete fish | source';
    const script = `${load}; for line in $argv; complete -C "$line"; end`;
    const words = (await linesOf(fish, ['--no-config', '-c', script, ...asked], folder)).map(
      (line) => line.split('\t')[0],
    );
    expect(words).toEqual(['@me', '@react', id, 'file.json', 'below/', 'activate', '--on-failed']);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });
});

it('a shell that is none is refused with those that there are', async () => {
  const { code, stderr } = await quickBaton(['complete', 'tcsh'], { cwd: tempFolder() });
  expect(code).toBe(2);
  expect(stderr).toContain('bash, zsh, fish, powershell');
});

it.each(['bash', 'zsh', 'fish', 'powershell'])('the script for %s evaluates nothing', async (shell) => {
  const { stdout } = await quickBaton(['complete', shell], { cwd: tempFolder() });
  expect(stdout.replaceAll(/^#.*$/gm, '')).not.toMatch(/\beval\b|Invoke-Expression/);
  expect(stdout).toContain('baton');
});
