import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { containing } from '../support/expected.ts';
import { type Ended, quickBaton } from '../support/processes.ts';
import { containersOf, git, makeRepository, needPodman, NODE_CHANGE, NODE_PROJECT } from './samples.ts';

const MINUTES = 5 * 60_000;

/** A repository that is a workspace. */
function makeOwnPlace(configuration: string): {
  readonly folder: string;
  run(args: readonly string[]): Promise<Ended>;
} {
  const folder = makeRepository(
    { ...NODE_PROJECT, 'baton.yaml': configuration, '.gitignore': '.baton/\n' },
    NODE_CHANGE,
  );
  return { folder, run: (args) => quickBaton(args, { cwd: folder }) };
}

async function accepted(run: (args: readonly string[]) => Promise<Ended>): Promise<string> {
  const made = [
    'create',
    '--document',
    '--from',
    '@pm',
    '--to',
    '@dev',
    '--title',
    'x',
    '--deliverable',
    'it',
    '--verifier',
    '@qa',
  ];
  const id = (await run(made)).stdout.trim();
  expect((await run(['activate', id, '--as', '@pm'])).code).toBe(0);
  expect((await run(['accept', id, '--as', '@dev'])).code).toBe(0);
  return id;
}

describe('a shadow test as evidence', () => {
  beforeEach(needPodman);

  it(
    'V9, D7: a PASS of this very tree is shown, checked at delivery and again at verification',
    { timeout: MINUTES },
    async () => {
      const { folder, run } = makeOwnPlace('');
      const test = async (): Promise<string> => {
        const ended = await run(['shadow', 'test', '--json']);
        return (JSON.parse(ended.stdout) as { handoff_id: string }).handoff_id;
      };
      const passed = await test();
      const id = await accepted(run);
      expect(await run(['deliver', id, '--as', '@dev', '--evidence', `it=shadow:${passed}`])).toMatchObject({
        code: 0,
      });
      expect(await run(['verify', id, '--as', '@qa'])).toMatchObject({ code: 0, stdout: containing('completed') });

      // What was delivered is no longer what was tested.
      const other = await accepted(run);
      expect(await run(['deliver', other, '--as', '@dev', '--evidence', `it=shadow:${passed}`])).toMatchObject({
        code: 0,
      });
      writeFileSync(join(folder, 'index.js'), 'exports.add = () => 0;\n');
      expect(await run(['verify', other, '--as', '@qa'])).toMatchObject({
        code: 4,
        stderr: containing('have changed since'),
      });

      // A FAIL, another handoff and no handoff prove nothing.
      const failed = await test();
      const third = await accepted(run);
      for (const [shown, says] of [
        [failed, 'is FAIL'],
        [id, 'is no shadow test'],
        ['../../x', 'is no handoff'],
      ] as const) {
        const refused = await run(['deliver', third, '--as', '@dev', '--evidence', `it=shadow:${shown}`]);
        expect(refused).toMatchObject({ code: 4, stderr: containing(says) });
      }
    },
  );

  it(
    'D7, V3: commands of evidence run in a sandbox by default, and see the work but nothing of the host',
    { timeout: MINUTES },
    async () => {
      const { folder, run } = makeOwnPlace('');
      writeFileSync(join(folder, '.baton-secret'), 'x');
      git(folder, 'config', 'core.excludesFile', join(folder, '.git/own-excludes'));
      writeFileSync(join(folder, '.git/own-excludes'), '.baton-secret\n');
      const id = await accepted(run);
      const command = `test "$(uname -n)" = shadow && test ! -e .baton-secret && test ! -e '${folder}' && node -e 'require("./index.js").twice(1)'`;
      const delivered = await run(['deliver', id, '--as', '@dev', '--evidence', `it=command:${command}`]);
      expect(delivered).toMatchObject({ code: 0 });
      expect(await run(['verify', id, '--as', '@qa'])).toMatchObject({ code: 0 });
      expect(containersOf(folder)).toEqual([]);

      const failing = await accepted(run);
      const refused = await run(['deliver', failing, '--as', '@dev', '--evidence', 'it=command:echo no; exit 3']);
      expect(refused).toMatchObject({ code: 4, stderr: containing('exit code 3') });
    },
  );

  it('D7: without a runtime nobody runs a command that nobody allowed; `allow` is the word of the owner', async () => {
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const { folder } = makeOwnPlace('');
    const bare = (args: readonly string[]): Promise<Ended> =>
      quickBaton(args, { cwd: folder, env: { PATH: join(git, '..', 'nowhere') } });
    const id = await accepted(bare);
    const refused = await bare(['deliver', id, '--as', '@dev', '--evidence', 'it=command:true']);
    expect(refused).toMatchObject({ code: 4, stderr: containing('evidence: { commands: sandbox }') });
    const allowing = makeOwnPlace('evidence: { commands: allow }\n');
    const other = await accepted(allowing.run);
    expect(await allowing.run(['deliver', other, '--as', '@dev', '--evidence', 'it=command:true'])).toMatchObject({
      code: 0,
    });
  });
});
