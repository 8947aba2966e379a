/** A real git repository for the test that calls it, and the command in it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Violation } from '../../src/engine/guard/violation.ts';
import { SPEC_DOCUMENT } from '../formats/document/spec-document.ts';
import { BATON, quickBaton, tempFolder, type Ended } from '../support/processes.ts';

export interface Repository {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Never through a shell: names hold everything that a shell would obey. */
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
  /** Writes, stages and commits, past every hook. */
  commit(files: Readonly<Record<string, string>>): void;
  check(...args: readonly string[]): Promise<Ended & { readonly complaints: readonly Violation[] }>;
}

export const NAME = 'handoff-grok-claude-BPRD-2026-0042-20260221';
export const ACTIVE = `_handoffs/active/${NAME}.md`;
export const ARCHIVED = `_handoffs/archived/2026/02/${NAME}.md`;

/** With `baton` and `node` on its path, as after an installation; nothing of this machine's git settings. */
function environment(): Record<string, string> {
  const bin = join(tempFolder(), 'bin');
  mkdirSync(bin);
  symlinkSync(BATON, join(bin, 'baton'));
  symlinkSync(process.execPath, join(bin, 'node'));
  return {
    PATH: [bin, process.env['PATH'] ?? ''].join(delimiter),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
}

export function makeRepository(): Repository {
  const folder = tempFolder();
  const env = environment();
  const git = (...args: readonly string[]): string => {
    const own = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...own, ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...env },
      stdio: 'pipe',
    });
  };
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  git('init', '-q', '-b', 'main');
  return {
    folder,
    env,
    git,
    write,
    commit: (files) => {
      for (const [path, text] of Object.entries(files)) write(path, text);
      git('add', '-A');
      git('commit', '-q', '--no-verify', '--allow-empty', '-m', 'a state');
    },
    check: async (...args) => {
      const ended = await quickBaton(['check', '--json', ...args], { cwd: folder, env });
      const { complaints } = JSON.parse(ended.stdout || '{"complaints":[]}') as { complaints: readonly Violation[] };
      return { ...ended, complaints };
    },
  };
}

/** The specification's example with other values; null takes the line away. */
export function documentWith(values: Readonly<Record<string, string | null>> = {}): string {
  return Object.entries(values).reduce((text, [key, value]) => {
    const line = new RegExp(`^${key}:.*\\n`, 'm');
    if (value === null) return text.replace(line, '');
    return line.test(text)
      ? text.replace(line, `${key}: ${value}\n`)
      : text.replace(/\n---\n\n# Handoff/, `\n${key}: ${value}\n---\n\n# Handoff`);
  }, SPEC_DOCUMENT);
}

const DELIVERED = ['Implemented rate limiting middleware', 'Unit tests passing', 'Documentation updated'];
const CRITERIA = ['All tests pass in CI', 'Rate limiting works as specified', 'No performance regression'];

export const ACKNOWLEDGED = documentWith({
  status: 'Acknowledged',
  acknowledged_at: '2026-02-21T15:00:00Z',
  acknowledged_by: 'claude',
});

export const EXPIRED = documentWith({ status: 'Expired', updated_at: '2026-02-21T18:35:00Z' });

export const COMPLETE = documentWith({
  status: 'Complete',
  acknowledged_at: '2026-02-21T15:00:00Z',
  acknowledged_by: 'claude',
  completed_at: '2026-02-21T20:00:00Z',
  completion_verified_by: 'perplexity',
  deliverable_status: JSON.stringify(DELIVERED.map((deliverable) => ({ deliverable, evidence: 'note:seen' }))),
  criteria_checks: JSON.stringify(CRITERIA.map((criterion) => ({ criterion, status: 'met' }))),
});

/** The same work as another handoff, from and to whom one likes. */
export function another(
  from: string,
  to: string,
  task: string,
  more: Readonly<Record<string, string>> = {},
): {
  readonly path: string;
  readonly text: string;
} {
  const id = `handoff-${from}-${to}-${task}-20260221`;
  const text = documentWith({
    handoff_id: id,
    from_agent: from,
    to_agent: to,
    related_task: task,
    title: `"${task}"`,
    ...more,
  });
  return { path: `_handoffs/active/${id}.md`, text };
}
