/**
 * A repository as V1 left it: some hundred handoffs in many forms and places, with copies, contradicting copies, texts
 * that only speak of handoffs, odd file names, and a history in git. The same seed makes the same tree.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface LegacyRepository {
  readonly folder: string;
  /** Every text that hands something over, by path. */
  readonly handoffs: ReadonlyMap<string, string>;
  /** Paths that must stay as they are. */
  readonly untouched: ReadonlyMap<string, string>;
  /** How many distinct handoffs there are, without those in conflict. */
  readonly distinct: number;
  /** Pairs of paths that contradict each other. */
  readonly conflicts: readonly (readonly [string, string])[];
}

const AGENTS = ['ivy', 'basil', 'fern', 'moss', 'sage', 'rue'] as const;
const WORDS = ['open', 'DONE', 'in progress', '✅ Complete', 'superseded', 'rejected', 'expired', 'pending'] as const;
const PLACES = [
  '_agents/ivy/_handoffs',
  '_agents/_handoffs',
  'research/beds/processed',
  'garden/notes',
  '_handoffs',
] as const;

export function makeLegacyRepository(folder: string, count = 300): LegacyRepository {
  const handoffs = new Map<string, string>();
  const untouched = new Map<string, string>();
  const conflicts: (readonly [string, string])[] = [];
  let distinct = 0;
  const git = (...args: string[]): void => {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.org', ...args], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
  };
  const put = (path: string, text: string, into: Map<string, string>): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    into.set(path, text);
  };
  const commit = (day: number): void => {
    const at = new Date(Date.UTC(2026, 1, day, 12)).toISOString();
    git('add', '-A');
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
    execFileSync(
      'git',
      ['-c', 'user.name=test', '-c', 'user.email=test@example.org', 'commit', '-q', '-m', `day ${day}`],
      { cwd: folder, env, stdio: 'ignore' },
    );
  };

  git('init', '-q');
  put('.gitignore', 'ignored/\n.baton/\n', untouched);
  for (let n = 0; n < count; n += 1) {
    const path = pathOf(n);
    const text = textOf(n);
    put(path, text, handoffs);
    distinct += 1;
    if (n % 5 === 0) put(copyOf(path, n), n % 10 === 0 ? text : text.replaceAll('\n', '\r\n'), handoffs);
  }
  // The first text of some that were gone on with: its lines are all in the newer one.
  for (let n = 0; n < count; n += 13) put(pathOf(n).replace(/\.md$/, '_063331.md'), textOf(n), handoffs);
  commit(1);
  for (let n = 0; n < count; n += 13) {
    const newer = `${textOf(n)}\n## Later\n\nGone on with, number ${n}.\n`;
    put(pathOf(n), newer, handoffs);
    if (n % 5 === 0) put(copyOf(pathOf(n), n), newer, handoffs);
  }
  commit(2);
  // Newer by git, older by the file system: the latter says only when somebody copied it.
  for (let n = 7; n < count; n += 50) {
    const other = pathOf(n).replace(/\.md$/, '-copy.md');
    put(other, textOf(n).replace('the beds need', 'the roofs need'), handoffs);
    utimesSync(join(folder, other), 1, 1);
    conflicts.push([pathOf(n), other]);
    distinct -= 1;
  }
  commit(3);
  put('docs/how-handoffs-work.md', PROSE, untouched);
  put('_agents/_handoffs/README.md', PROSE, untouched);
  put('templates/handoff-template.md', TEMPLATE, untouched);
  put('src/handoff.ts', '// From: here\n// To: there\n', untouched);
  put('data/personas/ivy/handoffs/20260201T101010-00000007.md', textOf(9_001), untouched);
  put('node_modules/x/handoff-x-20260101.md', textOf(9_002), untouched);
  put('ignored/handoff-y-20260101.md', textOf(9_003), untouched);
  put('tasks/backlog/BPRD-2026-0004.md', TASK, untouched);
  put('elsewhere/handoff-behind-a-link-20260101.md', textOf(9_004), handoffs);
  distinct += 1;
  symlinkSync('elsewhere', join(folder, 'linked'));
  symlinkSync(join(folder, 'elsewhere/handoff-behind-a-link-20260101.md'), join(folder, 'handoff-link-20260101.md'));
  put('notes/it\'s "quoted"\nand broken/handoff -x $(id) 20260102.md', textOf(9_005), handoffs);
  distinct += 1;
  put('fresh/handoff-late-20260203.md', textOf(9_006), handoffs);
  distinct += 1;
  commit(4);
  return { folder, handoffs, untouched, distinct, conflicts };
}

function pathOf(n: number): string {
  const day = String(20260101 + (n % 28));
  return `${PLACES[n % PLACES.length]}/handoff-garden-work-${n}-${day}.md`;
}

function copyOf(path: string, n: number): string {
  const marks = ['-copy', ' (2)', ' - Copy (3)', '_101112', ' copy 2'];
  return path
    .replace('_agents/_handoffs', '_agents/fern/_handoffs')
    .replace(/\.md$/, `${marks[(n / 5) % marks.length]}.md`);
}

function textOf(n: number): string {
  const from = AGENTS[n % AGENTS.length] ?? 'ivy';
  const to = AGENTS[(n + 1 + (n % 4)) % AGENTS.length] ?? 'basil';
  const status = WORDS[n % WORDS.length] ?? 'open';
  const day = `2026-01-${String(1 + (n % 28)).padStart(2, '0')}`;
  const task =
    n % 3 === 0 ? `BPRD-2026-${String(1000 + (n % 40)).padStart(4, '0')}` : n % 3 === 1 ? `GARD-${n % 30}` : '';
  const body = `\n## Context\n\nNumber ${n}: the beds need water.\n\n## Deliverables\n- [ ] bed ${n} is wet\n- [ ] hose is rolled up\n`;
  switch (n % 4) {
    case 0:
      return `# Water bed ${n}\n\n**Handoff ID**: handoff-garden-work-${n}\n**From**: ${from} (Gardener)\n**Assigned to**: @${to}\n**Status**: ${status}\n**Created**: ${day}\n${task === '' ? '' : `**Task**: ${task}\n`}${body}`;
    case 1:
      return `---\nfrom: ${from}\nassigned_to: ${to}\nstatus: "${status}"\ncreated: ${day}\n${task === '' ? '' : `task: ${task}\n`}mood: wet # as always\n---\n\n# Handoff: water bed ${n}\n${body}`;
    case 2:
      return `# Water bed ${n}\nStatus: ${status}\nSender: ${from}\nRecipient: ${to}\nCreated: ${day} 07:30\n${task === '' ? '' : `Task: ${task}\n`}${body}`;
    default:
      return `# Handoff: ${from} → ${to}\n\n## Metadata\n- From: ${from}\n- To: ${to}\n- Status: ${status}\n- Timestamp: ${day}T07:30:00Z\n${task === '' ? '' : `- Task: ${task}\n`}${body}`;
  }
}

const PROSE = `# How handoffs work here

**Version:** 2.0
**Owner:** the garden office

A handoff goes from one agent to another. It looks like this:

\`\`\`
**From:** ivy
**To:** basil
**Status:** open
\`\`\`

\`\`\`yaml
---
handoff_id: handoff-ivy-basil-BPRD-2026-0042-20260221
from_agent: ivy
to_agent: basil
status: Active
created_at: 2026-02-21T14:30:00Z
---
\`\`\`

From: the first line, to: the last line, everything is written down.
`;

const TEMPLATE = `# Handoff: {title}

**From:** <sender>
**To:** <recipient>
**Status:** <open|done>
`;

const TASK = `# BPRD-2026-0004: Order a hose

id: BPRD-2026-0004
title: Order a hose
status: Created
owner: Unassigned
created: 2026-01-01
`;
