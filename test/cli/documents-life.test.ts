import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDocument, type DocumentValues } from '../../src/formats/document/read.ts';
import { PROBLEMS } from '../../src/interfaces/shared/problems.ts';
import { commandDatabases } from './command-databases.ts';
import { makeWorkspace, sqlite, type Workspace } from './workspaces.ts';

/** The workspace of the specification. */
const SPECIFIED = `
verifiers: [perplexity]
evidence: { commands: allow }
folders: { documents: on }
agents:
  grok: { roles: [chief], limits: { outgoing: 10, incoming: 5 } }
  claude: { limits: { outgoing: 5, incoming: 10 } }
  perplexity: { limits: { outgoing: 3, incoming: 15 } }
`;
const CREATE = [
  'create',
  '--any-commit',
  '--document',
  '--from',
  'grok',
  '--to',
  'claude',
  '--task',
  'BPRD-2026-0042',
  '--title',
  'Implement API Rate Limiting',
  '--purpose',
  'Transfer implementation task from planning phase to development.',
  '--context',
  'Discussed in sprint planning meeting.',
  '--deliverable',
  'Implemented rate limiting middleware',
  '--deliverable',
  'Unit tests passing',
  '--deliverable',
  'Documentation updated',
  '--criterion',
  'All tests pass in CI',
  '--criterion',
  'No performance regression',
  '--meeting',
  'meetings/sprint-planning.md',
  '--skill',
  'skills/api-development',
];

interface Repository extends Workspace {
  readonly git: (...args: readonly string[]) => string;
  readonly good: (...args: readonly string[]) => Promise<string>;
  /** Refused, with the reason; and no file is another one than before. */
  readonly bad: (code: keyof typeof PROBLEMS, says: RegExp, ...args: readonly string[]) => Promise<void>;
  readonly active: (id: string) => string;
  readonly fields: (path: string) => DocumentValues;
  /** What git shows as changed, without what the lines say. */
  readonly changedKeys: () => readonly string[];
  readonly index: () => string;
}

async function repository(database = sqlite, configuration = SPECIFIED): Promise<Repository> {
  const workspace = await makeWorkspace(database, configuration);
  const { folder, run } = workspace;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      encoding: 'utf8',
    });
  git('init', '-q');
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'rate_limit.ts'), 'export const limit = 10;\n');
  writeFileSync(join(folder, 'check.sh'), 'exit 0\n');
  writeFileSync(join(folder, '.gitignore'), '.baton/\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  const files = (): string => git('status', '--porcelain', '-uall') + git('diff');
  return {
    ...workspace,
    git,
    async good(...args) {
      const answer = await run(args);
      expect({ code: answer.code, stderr: answer.code === 0 ? '' : answer.stderr }).toEqual({ code: 0, stderr: '' });
      return answer.stdout.trim();
    },
    async bad(code, says, ...args) {
      const before = files();
      const answer = await run([...args, '--json']);
      const { error } = JSON.parse(answer.stderr) as { error: { code: string; message: string } };
      expect({ code: error.code, exit: answer.code }).toEqual({ code, exit: PROBLEMS[code].exitCode });
      expect(error.message).toMatch(says);
      expect(files()).toBe(before);
    },
    active: (id) => join(folder, '_handoffs', 'active', `${id}.md`),
    fields: (path) => readDocument(readFileSync(path, 'utf8')).all,
    changedKeys: () => {
      const lines = git('diff', '-U0', '--', '_handoffs/active').split('\n');
      return [...new Set(lines.flatMap((line) => /^[+-]([a-z_]+):/.exec(line)?.[1] ?? []))];
    },
    index: () => readFileSync(join(folder, '_handoffs', '_index.yaml'), 'utf8'),
  };
}

function archivedIn({ folder }: Workspace): readonly string[] {
  const names = readdirSync(join(folder, '_handoffs', 'archived'), { recursive: true }).map(String);
  return names.filter((name) => name.endsWith('.md'));
}

describe.each(commandDatabases)('the example of the specification on $name', (database) => {
  it('D1, D2, D3, D6, D7, D8, D12: lives by the command line alone, and its file tells every step', async () => {
    const here = await repository(database);
    const { good, bad, git, fields, active, changedKeys } = here;
    const id = await good(...CREATE);
    const month = new Date().toISOString().slice(0, 7).replace('-', '/');
    expect(id).toMatch(/^handoff-grok-claude-BPRD-2026-0042-\d{8}$/);
    expect(readDocument(readFileSync(active(id), 'utf8')).problems).toEqual([]);
    expect(fields(active(id))).toMatchObject({ status: 'Created', source_meeting: 'meetings/sprint-planning.md' });
    git('add', '-A');
    git('commit', '-qm', 'created');

    await bad('move-not-allowed', /is draft: it cannot be accepted/, 'accept', id, '--as', 'claude');
    await good('activate', id, '--as', 'grok');
    // Instants have seconds: on a quick machine it was changed in the second in which it was made.
    expect(changedKeys().filter((key) => key !== 'updated_at')).toEqual(['status', 'expires_at']);
    expect(here.index()).toContain(`status: Active`);
    await bad('no-such-handoff', /there is no handoff/, 'accept', id, '--as', 'gemini');
    await bad('move-not-allowed', /is offered: it cannot be verified/, 'verify', id, '--as', 'perplexity');

    await good('accept', id, '--as', 'claude', '--notes', 'Accepted. Will start after current task.');
    expect(fields(active(id))).toMatchObject({
      status: 'Acknowledged',
      acknowledged_by: 'claude',
      acknowledgment_notes: 'Accepted. Will start after current task.',
    });
    const shown = [
      '--evidence',
      'Implemented rate limiting middleware=file:src/rate_limit.ts',
      '--evidence',
      'Unit tests passing=command:sh check.sh',
    ];
    const deliver = ['deliver', id, '--as', 'claude', ...shown];
    await bad('evidence-missing', /Documentation updated/, ...deliver);
    await bad('evidence-false', /nowhere.md/, ...deliver, '--evidence', 'Documentation updated=file:nowhere.md');
    await good(...deliver, '--evidence', 'Documentation updated=commit:HEAD');
    expect(fields(active(id))['deliverable_status']).toMatchObject([
      { status: 'claimed', evidence: [expect.stringMatching(/^file:src\/rate_limit.ts#sha256=[0-9a-f]{64}$/)] },
      { status: 'claimed', evidence: [expect.stringMatching(/^command:sh check.sh#exit=0,sha256=/)] },
      { status: 'claimed', evidence: [expect.stringMatching(/^commit:[0-9a-f]{40}$/)] },
    ]);

    const verify = [
      'verify',
      id,
      '--check',
      'All tests pass in CI=run 456',
      '--check',
      'No performance regression=p99',
    ];
    await bad('own-work', /grok/, ...verify, '--as', 'grok');
    await bad('own-work', /claude/, ...verify, '--as', 'claude');
    await bad('criteria-open', /No performance regression/, ...verify.slice(0, 4), '--as', 'perplexity');
    writeFileSync(join(here.folder, 'src', 'rate_limit.ts'), 'changed\n');
    await bad('evidence-false', /rate_limit.ts/, ...verify, '--as', 'perplexity');
    git('checkout', '-q', '--', 'src');
    await good(...verify, '--as', 'perplexity', '--notes', 'PR #123 merged');

    expect(existsSync(active(id))).toBe(false);
    expect(archivedIn(here)).toEqual([`${month}/${id}.md`]);
    const done = join(here.folder, '_handoffs', 'archived', month, `${id}.md`);
    expect(readDocument(readFileSync(done, 'utf8')).problems).toEqual([]);
    expect(fields(done)).toMatchObject({
      status: 'Complete',
      completion_verified_by: 'perplexity',
      completion_notes: 'PR #123 merged',
      verification_record: {
        deliverable_checks: [
          { deliverable: 'Implemented rate limiting middleware', status: 'attested' },
          { deliverable: 'Unit tests passing', status: 'attested' },
          { deliverable: 'Documentation updated', status: 'attested' },
        ],
      },
      criteria_checks: [
        { criterion: 'All tests pass in CI', status: 'met', says: 'run 456' },
        { criterion: 'No performance regression', status: 'met', says: 'p99' },
      ],
    });
    expect(here.index()).toContain('active_handoffs: []\n');
    expect(here.index()).toContain(`recently_completed:\n  - id: ${id}\n`);

    git('add', '-A');
    const diff = git('diff', '--cached', '-M10%', 'HEAD', '--', '_handoffs/active', '_handoffs/archived');
    expect(diff).toContain(`rename from _handoffs/active/${id}.md`);
    const removed = diff.split('\n').filter((line) => /^-(?!--)/.test(line));
    expect(removed.map((line) => line.slice(1).split(':', 1)[0])).toEqual([
      'status',
      'updated_at',
      'expires_at',
      'acknowledged_at',
      'acknowledged_by',
      'acknowledgment_notes',
      'completed_at',
      'completion_verified_by',
      'completion_notes',
      '- Expires if not acknowledged',
    ]);
  });
});

describe('the other ends, seen in files', () => {
  it('D9, D4: what nobody answers expires into the archive, and its sender is told', async () => {
    const here = await repository(sqlite, `${SPECIFIED}clocks: { documents: { offered_seconds: 1 } }\n`);
    const id = await here.good(...CREATE, '--target-completion', '2026-01-01');
    const { stderr } = await here.run(['sync']);
    expect(stderr).toContain(`${id}: was to be completed by 2026-01-01, and is not`);
    await here.good('activate', id, '--as', 'grok');
    const { expires_at: due } = here.fields(here.active(id));
    while (existsSync(here.active(id))) await here.good('sync');
    const [name = ''] = archivedIn(here);
    const fields = here.fields(join(here.folder, '_handoffs', 'archived', name));
    expect(fields).toMatchObject({ status: 'Expired', updated_at: due, acknowledged_by: null });
    expect(await here.good('inbox', 'grok', '--as', 'grok')).toContain(id);
    expect(here.index()).toContain('active_handoffs: []\n');
  });

  it('D10: what is rejected says why, and leads to what took its place', async () => {
    const here = await repository();
    const id = await here.good(...CREATE);
    await here.good('activate', id, '--as', 'grok');
    await here.good('reject', id, '--as', 'claude', '--type', 'skill_gap', '--reason', 'I know no Rust');
    const [name = ''] = archivedIn(here);
    const path = join(here.folder, '_handoffs', 'archived', name);
    expect(here.fields(path)).toMatchObject({
      status: 'Rejected',
      rejection_reason: { type: 'skill_gap', message: 'I know no Rust' },
    });
    expect(await here.good('inbox', 'grok', '--as', 'grok')).toContain(id);
    const next = await here.good('retry', id, '--as', 'grok');
    expect(next).toBe(`${id}-2`);
    expect(here.fields(path)['replaced_by']).toBe(next);
    expect(here.fields(here.active(next))['replaces']).toBe(id);
  });

  it('D3: a draft that is cancelled is archived as rejected, and rework goes back to the same hands', async () => {
    const here = await repository();
    const draft = await here.good(...CREATE);
    await here.good('cancel', draft, '--as', 'grok', '--reason', 'not needed');
    const [name = ''] = archivedIn(here);
    expect(here.fields(join(here.folder, '_handoffs', 'archived', name))).toMatchObject({
      status: 'Rejected',
      rejection_reason: { type: 'cancelled', message: 'not needed' },
    });
    const id = await here.good(...CREATE);
    await here.good('activate', id, '--as', 'grok');
    await here.good('accept', id, '--as', 'claude');
    const names = ['Implemented rate limiting middleware', 'Unit tests passing', 'Documentation updated'];
    const shown = names.flatMap((each) => ['--evidence', `${each}=note:seen`]);
    await here.good('deliver', id, '--as', 'claude', ...shown);
    await here.good('verify', id, '--as', 'perplexity', '--refuse', 'no tests', '--rework');
    expect(here.fields(here.active(id))).toMatchObject({
      status: 'Acknowledged',
      delivered_at: null,
      rework_reason: 'no tests',
    });
  });

  it('D5: what waits for a place is no file until it has one', async () => {
    const limited = SPECIFIED.replace(
      'claude: { limits: { outgoing: 5, incoming: 10 } }',
      'claude: { limits: { incoming: 1 } }',
    );
    const here = await repository(sqlite, limited);
    const first = await here.good(...CREATE);
    await here.bad('limit-reached', /claude/, ...CREATE);
    const waiting = await here.good(...CREATE, '--queue');
    expect(existsSync(here.active(waiting))).toBe(false);
    await here.good('cancel', first, '--as', 'grok');
    await here.good('sync');
    expect(here.fields(here.active(waiting))).toMatchObject({ status: 'Active' });
  });
});
