/**
 * A labelled corpus for "is this file a handoff?": bundles written by hand, and files composed from topics, forms,
 * words and places by a seeded generator. All texts are ours.
 *
 * A bundle holds many files. Each begins with a line `@@@ LABEL PATH`. The label is `from>to` for a handoff between
 * these two, `-` for a file that is none, and `?` for one that must be listed as unclear and never moved.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

export interface LabelledFile {
  readonly path: string;
  readonly text: string;
  readonly is: 'handoff' | 'other' | 'unclear';
  /** `from>to`; empty where it is none. */
  readonly parties: string;
}

const FOLDER = join(ROOT, 'test/fixtures/legacy-corpus');

export function bundledFiles(name: 'handoffs' | 'others' | 'held-out'): readonly LabelledFile[] {
  const [, ...parts] = readFileSync(join(FOLDER, `${name}.txt`), 'utf8').split(/^@@@ /m);
  return parts.map((part) => {
    const end = part.indexOf('\n');
    const [, label = '', path = ''] = /^(\S+) (.+)$/.exec(part.slice(0, end)) ?? [];
    const is = label === '-' ? 'other' : label === '?' ? 'unclear' : 'handoff';
    return { path, text: part.slice(end + 1), is, parties: is === 'handoff' ? label : '' };
  });
}

interface Topic {
  readonly title: string;
  readonly context: string;
  readonly items: readonly string[];
}

interface Said extends Topic {
  readonly from: string;
  readonly to: string;
  readonly status: string;
  readonly date: string;
  readonly task: string;
  readonly priority: string;
  readonly isNamed: boolean;
}

/** 120 handoffs in 12 forms; the same seed makes the same files. */
export function composedHandoffs(count = 120, seed = 7): readonly LabelledFile[] {
  const pick = picker(seed);
  return Array.from({ length: count }, (_, n) => composed(n, pick));
}

/**
 * Texts that would be handoffs elsewhere: in the folders of tests, examples, templates, documentation and other
 * people's packages, or with the blanks of a form instead of names.
 */
export function misplacedHandoffs(count = 60, seed = 11): readonly LabelledFile[] {
  const pick = picker(seed);
  return Array.from({ length: count }, (_, n): LabelledFile => {
    if (n % 2 === 0) {
      const { path, text } = composed(n, pick);
      return { path: `${FOREIGN[(n / 2) % FOREIGN.length]}/${path}`, text, is: 'other', parties: '' };
    }
    const [from, to] = BLANKS[((n - 1) / 2) % BLANKS.length] ?? ['XXX', 'XXX'];
    const { path, text } = composed(n, pick, { from, to });
    return { path, text, is: 'other', parties: '' };
  });
}

const FOREIGN = [
  'test/fixtures',
  'tests/e2e/data',
  'examples/two-agents',
  'templates',
  'docs/concepts',
  'vendor/relay',
  'src/__tests__/cases',
  'packages/core/fixtures',
  'third_party/agents',
  'documentation/de',
  'spec/samples',
  'web/node_modules/relay-kit',
  'example/quickstart',
  'lib/testdata',
  'site/docs/guides',
];
const BLANKS = [
  ['XXX', 'XXX'],
  ['__FROM__', '__TO__'],
  ['string', 'string'],
  ['from_agent', 'to_agent'],
  ['<sender>', '<recipient>'],
  ['{{from}}', '{{to}}'],
  ['[agent name]', '[agent name]'],
  ['${FROM}', '${TO}'],
  ['Agent A', 'Agent B'],
  ['your-name', 'next-agent-name'],
] as const;

const AGENTS =
  'ivy basil fern moss sage rue claude codex gemini grok planner builder reviewer qa-bot ops tester ada tim otto lena atlas'.split(
    ' ',
  );
const STATUSES = [
  'open',
  'OPEN',
  'pending',
  'in progress',
  'Done ✅',
  'ready for review',
  'blocked',
  '🚧 wip',
  'closed',
];
const PRIORITIES = ['high', 'P1', 'Low', 'urgent', 'Medium'];
const PLACES: readonly ((said: Said, slug: string, day: string) => string)[] = [
  ({ from }, slug, day) => `agents/${from}/handoffs/handoff-${slug}-${day}.md`,
  (_said, slug, day) => `handoffs/${day}-${slug}.md`,
  ({ from, to }, _slug, day) => `comms/HANDOFF-${from.toUpperCase()}-TO-${to.toUpperCase()}-${day}.md`,
  ({ to }, slug) => `.ai/handoffs/to-${to}/open/${slug}.md`,
  (_said, slug) => `work/${slug}/handoff.md`,
  (_said, slug, day) => `team/handovers/${slug}_${day}.md`,
  ({ task }, slug) => `projects/alpha/handoffs/${task}-${slug}.md`,
  (_said, slug) => `notes/handoff ${slug}.md`,
];
const DATES = [
  '2026-03-04',
  'March 4, 2026',
  '4 Mar 2026',
  '04.03.2026',
  '2026-03-04T07:30:00Z',
  '2026-03-04 07:30 UTC+2',
];

const FORMS: readonly ((said: Said) => string)[] = [
  (said) =>
    `# Handoff: ${said.title}\n\n**From:** ${said.from}\n**To:** ${said.to}\n**Status:** ${said.status}\n**Created:** ${said.date}\n${body(said)}`,
  (said) =>
    `---\nfrom: ${quoted(said.from)}\nto: ${quoted(said.to)}\nstatus: "${said.status}"\ndate: ${said.date}\npriority: ${said.priority}\n---\n\n# ${said.title}\n${body(said)}`,
  (said) =>
    `# ${said.title}\nStatus: ${said.status}\nSender: ${said.from}\nRecipient: ${said.to}\nCreated: ${said.date}\n${body(said)}`,
  (said) =>
    `# ${said.title}\n\n## Metadata\n- From: ${said.from}\n- To: ${said.to}\n- Status: ${said.status}\n- Task: ${said.task}\n${body(said)}`,
  (said) =>
    `# ${said.title}\n\n| Field | Value |\n|---|---|\n| From | ${said.from} |\n| To | ${said.to} |\n| Status | ${said.status} |\n| Date | ${said.date} |\n${body(said)}`,
  (said) =>
    `---\nhandoff:\n  id: ${said.task}\n  from_agent: ${quoted(said.from)}\n  to_agent: ${quoted(said.to)}\n  status: "${said.status}"\n---\n# ${said.title}\n${body(said)}`,
  (said) =>
    `**Handoff ID**: handoff-${slugOf(said.title)}\n**From**: ${said.from} (Lead)\n**Assigned to**: ${said.isNamed ? '@' : ''}${said.to}\n**Status**: ${said.status}\n**Due**: 2026-04-01\n${body(said)}`,
  (said) =>
    `# Session summary: ${said.title}\n\n**From:** ${said.from} | **To:** ${said.to} | **Status:** ${said.status}\n${body(said)}`,
  (said) => `# ${said.title}\n\n## From\n${said.from}\n\n## To\n${said.to}\n\n## Status\n${said.status}\n${body(said)}`,
  (said) =>
    `> From: ${said.from}\n> To: ${said.to}\n> Status: ${said.status}\n> Date: ${said.date}\n\n${said.context}\n${body(said)}`,
  (said) =>
    `From : ${said.from}\r\nTo : ${said.to}\r\nStatus : ${said.status}\r\nRe : ${said.title}\r\n\r\n${said.context}\r\n`,
  (said) =>
    `---\ntype: handoff\nparties:\n  from: ${quoted(said.from)}\n  to: ${quoted(said.to)}\nstate: "${said.status}"\ntitle: "${said.title.replaceAll('"', "'")}"\n---\n${body(said)}`,
];
const STRUCTURES: readonly ((said: Said) => readonly [ending: string, text: string])[] = [
  (said) => ['json', JSON.stringify({ handoff: recordOf(said) }, null, 2)],
  (said) => ['json', JSON.stringify({ handoff_id: `handoff-${slugOf(said.title)}`, ...recordOf(said) })],
  (said) => [
    'yaml',
    `handoff:\n  from: ${quoted(said.from)}\n  to: ${quoted(said.to)}\n  status: "${said.status}"\n  deliverables:\n${said.items.map((item) => `    - ${item}\n`).join('')}`,
  ],
  (said) => [
    'yml',
    `# ${said.title}\nhandoff_id: ${said.task}\nfrom_agent: ${quoted(said.from)}\nto_agent: ${quoted(said.to)}\nstatus: "${said.status}"\nrequested_action: ${quoted(said.items[0] ?? '')}\n`,
  ],
];

function composed(n: number, pick: Pick, parties?: Parties): LabelledFile {
  const topic = topics()[n % topics().length];
  if (topic === undefined) throw new Error('there are no topics');
  const from = parties?.from ?? pick(AGENTS);
  const to = parties?.to ?? pick(AGENTS.filter((agent) => agent !== from));
  const said: Said = {
    ...topic,
    from,
    to,
    status: pick(STATUSES),
    date: pick(DATES),
    task: `${pick(['GARD', 'LIB', 'T', 'OPS'])}-${100 + n}`,
    priority: pick(PRIORITIES),
    isNamed: parties === undefined,
  };
  const day = `2026-0${1 + (n % 9)}-${10 + (n % 18)}`;
  const names = parties === undefined ? said : { ...said, from: 'ivy', to: 'basil' };
  const path = pick(PLACES)(names, `${slugOf(said.title)}-${n}`, day);
  const structure = n % 5 === 4 ? pick(STRUCTURES)(said) : null;
  const text = structure === null ? (FORMS[n % FORMS.length]?.(said) ?? '') : structure[1];
  return {
    path: structure === null ? path : path.replace(/md$/, structure[0]),
    text,
    is: 'handoff',
    parties: `${from}>${to}`,
  };
}

interface Parties {
  readonly from: string;
  readonly to: string;
}

function recordOf({ from, to, status, date, title, items, context }: Said): object {
  return { from, to, status, created: date, title, deliverables: items, notes: context };
}

function body({ context, items }: Said): string {
  return `\n## Context\n\n${context}\n\n## Deliverables\n${items.map((item) => `- [ ] ${item}\n`).join('')}`;
}

function quoted(text: string): string {
  return /^[\w-]+$/.test(text) ? text : JSON.stringify(text);
}

function slugOf(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

let known: readonly Topic[] | null = null;

function topics(): readonly Topic[] {
  known ??= readFileSync(join(FOLDER, 'topics.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [title = '', context = '', items = ''] = line.split('|');
      return { title, context, items: items.split(';') };
    });
  return known;
}

type Pick = <T>(from: readonly T[]) => T;

function picker(seed: number): Pick {
  let state = seed;
  return (from) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return from[(state >> 8) % from.length] as (typeof from)[number];
  };
}
