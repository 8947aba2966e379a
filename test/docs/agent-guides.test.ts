/** The guides in which agents work, followed with programs that print what the real ones print. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakePrograms, LIMITS, printed } from '../agents/fake-programs.ts';
import { tempFolder } from '../support/processes.ts';
import { follow } from './run-page.ts';

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
}

/** A repository of somebody who has told git a name. */
function repository(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  git(folder, 'init', '--quiet');
  git(folder, 'config', 'user.name', 'reader');
  git(folder, 'config', 'user.email', 'reader@example.org');
  mkdirSync(join(folder, 'src'));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '-m', 'first');
  return folder;
}

it('Claude plans, Codex builds, Gemini reviews: each finds what the one before it made (Q9)', async () => {
  const folder = repository({ 'README.md': 'a project\n' });
  const programs = fakePrograms({
    claude: [printed('claude', 'Two cases: a name, and none.')],
    codex: [`!echo 'export const greet = (name) => name;' > greet.js\n${printed('codex', '{"done": true}')}`],
    gemini: [printed('gemini', 'The case without a name is missing.')],
  });
  const { stdout } = await follow('docs/guides/plan-build-review.md', { folder, path: programs.path });
  expect(stdout).toMatch(/ blocked {2}@me {3}@reviewer .*Review greet\(\)\n {2}waits for [0-9a-f]{8}\n/);
  expect(programs.runs('codex')[0]?.prompt).toContain('Two cases: a name, and none.');
  expect(programs.runs('gemini')[0]?.prompt).toMatch(/baton\/hoff-[0-9a-f-]+-1/);
  expect(stdout).toContain('The case without a name is missing.');
  expect(readFileSync(join(folder, 'greet.js'), 'utf8')).toContain('greet');
});

it('an overnight queue: Codex does what Claude is at its limit for, each job on its branch', async () => {
  const folder = repository({ 'src/a.js': '1;\n', 'src/b.js': '2;\n' });
  const programs = fakePrograms({
    claude: [LIMITS.claude],
    codex: [`!echo '/** typed */' >> typed.js\n${printed('codex', 'typed')}`],
  });
  const { stdout } = await follow('docs/guides/overnight-queue.md', { folder, path: programs.path });
  expect(stdout.match(/ completed {2}unverified {2}@me {3}@night {2}1 .* Types in src\/[ab]\.js$/gm)).toHaveLength(2);
  expect(stdout.match(/^ *baton\/hoff-[0-9a-f-]+-1$/gm)).toHaveLength(2);
  expect(stdout).toMatch(/^links +0 2 \* \* \* \(UTC\)/m);
  expect(programs.runs('claude').length).toBeGreaterThan(0);
  expect(readFileSync(join(folder, 'night.log'), 'utf8')).toContain('working as @night');
});

it('from other tools: what was moved arrives, and the same bead is one handoff', async () => {
  const programs = fakePrograms({ claude: [printed('claude', 'Line 3 is the riskiest.')] });
  const { stdout } = await follow('docs/guides/from-other-tools.md', { path: programs.path });
  expect(stdout).toContain('The button is hidden behind the keyboard.');
  const ids = stdout.match(/^hoff-[0-9a-f-]{36}$/gm) ?? [];
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(2);
  expect(stdout).toMatch(/bd-a1b2 · Fix the login$/m);
  expect(programs.runs('claude')[0]?.args).toEqual(expect.arrayContaining(['--append-system-prompt']));
  expect(stdout).toContain('Line 3 is the riskiest.');
});
