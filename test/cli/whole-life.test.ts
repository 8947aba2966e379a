import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../src/interfaces/shared/problems.ts';
import type { Ended } from '../support/processes.ts';
import { databases, makeWorkspace, storyOf, type Workspace } from './workspaces.ts';
import type { HandoffId } from '../../src/domain/names.ts';

const STRICTLY = 'verifiers: [qa, lead]\nevidence: { commands: allow }\n';
const DELIVERABLES = ['login page', 'tests', 'notes'];

/** A workspace with a repository in it, and a handoff of three deliverables from @pm to @dev, verified by @qa. */
async function begin(workspace: Workspace): Promise<HandoffId> {
  const { folder, run } = workspace;
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'login.tsx'), 'export const Login = null;\n');
  writeFileSync(join(folder, 'check.sh'), 'exit 0\n');
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { stdio: 'ignore' });
  };
  git('init', '-q');
  git('add', 'src');
  git('commit', '-qm', 'first');
  const asked = DELIVERABLES.flatMap((name) => ['--deliverable', name]);
  const created = await run([
    'create',
    '--any-commit',
    '--document',
    '--from',
    '@pm',
    '--to',
    '@dev',
    '--task',
    'T-1',
    '--title',
    'Login',
    '--purpose',
    'people want in',
    '--criterion',
    'works on a phone',
    ...asked,
  ]);
  expect(created).toMatchObject({ code: 0 });
  return created.stdout.trim() as HandoffId;
}

const GOOD = ['--evidence', 'login page=file:src/login.tsx', '--evidence', 'tests=command:sh check.sh'];
const SHOWN = [...GOOD, '--evidence', 'notes=commit:HEAD'];

interface Refusal {
  readonly what: string;
  readonly ask: readonly string[];
  readonly code: keyof typeof PROBLEMS;
  readonly says: RegExp;
}

/** Every one changes nothing; its exit code is the one of the table of problems. */
async function expectRefusals({ run }: Workspace, refusals: readonly Refusal[]): Promise<void> {
  for (const { what, ask, code, says } of refusals) {
    const answer: Ended = await run([...ask, '--json']);
    const { error } = JSON.parse(answer.stderr) as { error: { code: string; message: string } };
    expect({ what, exit: answer.code, code: error.code, stdout: answer.stdout }).toEqual({
      what,
      exit: PROBLEMS[code].exitCode,
      code,
      stdout: '',
    });
    expect(error.message).toMatch(says);
  }
}

describe.each(databases)('a handoff with three deliverables on $name', (database) => {
  it('D3, D6, D7, D8: lives from draft to completed by the shell alone, and every wrong step is refused', async () => {
    const workspace = await makeWorkspace(database, STRICTLY);
    const { run, folder } = workspace;
    const id = await begin(workspace);
    const as = (agent: string, ...args: readonly string[]): readonly string[] => [...args, '--as', agent];
    const good = async (args: readonly string[], state: string): Promise<void> => {
      const answer = await run([...args, '--json']);
      expect(answer).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(answer.stdout)).toMatchObject({ id, state });
    };

    await expectRefusals(workspace, [
      {
        what: 'accept a draft',
        ask: as('@dev', 'accept', id),
        code: 'move-not-allowed',
        says: /is draft: it cannot be accepted/,
      },
      {
        what: 'activate by another',
        ask: as('@dev', 'activate', id),
        code: 'not-entitled',
        says: /@dev may not offer/,
      },
      {
        what: 'unknown',
        ask: as('@dev', 'accept', 'hoff-x'),
        code: 'no-such-handoff',
        says: /there is no handoff hoff-x/,
      },
    ]);
    await good(as('@pm', 'activate', id), 'offered');
    await expectRefusals(workspace, [
      { what: 'accept by another', ask: as('@qa', 'accept', id), code: 'not-entitled', says: /@qa may not accept/ },
      { what: 'accept by nobody', ask: ['accept', id], code: 'not-entitled', says: /say who you are with --as/ },
      {
        what: 'deliver before',
        ask: as('@dev', 'deliver', id),
        code: 'move-not-allowed',
        says: /is offered: it cannot be delivered/,
      },
      {
        what: 'verify before',
        ask: as('@qa', 'verify', id),
        code: 'move-not-allowed',
        says: /is offered: it cannot be verified/,
      },
    ]);
    await good(as('@dev', 'accept', id, '--notes', 'by tomorrow'), 'accepted');
    await good(as('@dev', 'progress', id, '--at', '0.5', '--says', 'half'), 'accepted');
    const deliver = (...evidence: readonly string[]): readonly string[] => as('@dev', 'deliver', id, ...evidence);
    await expectRefusals(workspace, [
      {
        what: 'nothing shown',
        ask: deliver(),
        code: 'evidence-missing',
        says: /there is no evidence for: login page, tests, notes/,
      },
      { what: 'one missing', ask: deliver(...GOOD), code: 'evidence-missing', says: /there is no evidence for: notes/ },
      {
        what: 'not asked for',
        ask: deliver(...SHOWN, '--evidence', 'cake=note:x'),
        code: 'evidence-unknown',
        says: /not among the deliverables.*cake/,
      },
      {
        what: 'no such file',
        ask: deliver('--evidence', 'login page=file:src/gone.tsx', ...SHOWN.slice(2)),
        code: 'evidence-false',
        says: /login page: .*gone\.tsx/,
      },
      {
        what: 'no such commit',
        ask: deliver(...GOOD, '--evidence', 'notes=commit:0123456789012345678901234567890123456789'),
        code: 'evidence-false',
        says: /notes: .*0123456/,
      },
      {
        what: 'failing command',
        ask: deliver('--evidence', 'tests=command:exit 3', ...SHOWN.slice(0, 2), ...SHOWN.slice(4)),
        code: 'evidence-false',
        says: /tests: .*3/,
      },
      {
        what: 'not evidence',
        ask: deliver('--evidence', 'tests=maybe:x'),
        code: 'bad-request',
        says: /KIND is one of file, commit, command, shadow, url, note/,
      },
      {
        what: 'wrong fence',
        ask: deliver(...SHOWN, '--fence', '7'),
        code: 'lease-lost',
        says: /has no acceptance 7|is no longer yours/,
      },
      {
        what: 'by another',
        ask: as('@qa', 'deliver', id, ...SHOWN),
        code: 'not-entitled',
        says: /@qa may not deliver/,
      },
    ]);
    await good(deliver(...SHOWN, '--artifact', '{"page":"done"}'), 'delivered');
    const check = ['--check', 'works on a phone=tried it'];
    await expectRefusals(workspace, [
      {
        what: 'the sender verifies',
        ask: as('@pm', 'verify', id, ...check),
        code: 'own-work',
        says: /@pm is the sender/,
      },
      {
        what: 'the doer verifies',
        ask: as('@dev', 'verify', id, ...check),
        code: 'own-work',
        says: /@dev is the doer/,
      },
      {
        what: 'a stranger verifies',
        ask: as('@cook', 'verify', id, ...check),
        code: 'no-such-handoff',
        says: /there is no handoff/,
      },
      {
        what: 'a criterion is open',
        ask: as('@qa', 'verify', id),
        code: 'criteria-open',
        says: /not checked yet: works on a phone/,
      },
      {
        what: 'no such criterion',
        ask: as('@qa', 'verify', id, '--check', 'is blue=yes'),
        code: 'bad-request',
        says: /there are: works on a phone/,
      },
    ]);
    await good(as('@qa', 'verify', id, '--refuse', 'the button is grey', '--rework'), 'accepted');
    await expectRefusals(workspace, [
      {
        what: 'verify what is back',
        ask: as('@qa', 'verify', id, ...check),
        code: 'move-not-allowed',
        says: /is accepted by @dev: it cannot be verified/,
      },
    ]);
    await good(deliver(...SHOWN, '--artifact', '{"page":"done again"}'), 'delivered');
    writeFileSync(join(folder, 'src', 'login.tsx'), 'something else\n');
    await expectRefusals(workspace, [
      {
        what: 'a file that changed since',
        ask: as('@qa', 'verify', id, ...check),
        code: 'evidence-false',
        says: /login page: .*login\.tsx/,
      },
    ]);
    writeFileSync(join(folder, 'src', 'login.tsx'), 'export const Login = null;\n');
    writeFileSync(join(folder, 'check.sh'), 'exit 9\n');
    await expectRefusals(workspace, [
      {
        what: 'a command that fails now',
        ask: as('@qa', 'verify', id, ...check),
        code: 'evidence-false',
        says: /tests: .*9/,
      },
    ]);
    writeFileSync(join(folder, 'check.sh'), 'exit 0\n');
    await good(as('@qa', 'verify', id, ...check, '--notes', 'fine'), 'completed');
    await expectRefusals(workspace, [
      {
        what: 'cancel what is done',
        ask: as('@pm', 'cancel', id),
        code: 'move-not-allowed',
        says: /is completed: it cannot be cancelled/,
      },
      {
        what: 'retry what is done',
        ask: as('@pm', 'retry', id),
        code: 'not-entitled',
        says: /is completed: it cannot be retried/,
      },
    ]);

    expect(await storyOf(await workspace.open(), id)).toEqual([
      'create by @pm',
      'offer by @pm',
      'accept by @dev',
      'progress by @dev',
      'deliver by @dev',
      'rework by @qa',
      'deliver by @dev',
      'verify by @qa',
    ]);
    const shown = await run(['show', id, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ state: 'completed', result: { page: 'done again' } });
  });
});
