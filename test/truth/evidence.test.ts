/** Evidence that is not what it looks like. Each row: the lie, the interface, and the answer it has to get. */
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Terms } from '../../src/domain/handoff.ts';
import { tempFolder } from '../support/processes.ts';
import { answerOf, truthWorld, type Attempt, type Shown, type TruthWorld } from './world.ts';

interface Story {
  readonly terms?: Partial<Terms>;
  readonly before?: (world: TruthWorld) => void;
  readonly shown: readonly Shown[] | ((world: TruthWorld) => readonly Shown[]);
  /** Between delivery and verification. */
  readonly between?: (world: TruthWorld) => void;
}

function told(lie: string, answer: string, story: Story): Attempt {
  const attempt = async (): Promise<string> => {
    const world = await truthWorld();
    world.write('page.html', '<p>done</p>');
    story.before?.(world);
    const handoff = await world.ask(story.terms);
    const shown = typeof story.shown === 'function' ? story.shown(world) : story.shown;
    const delivered = await world.deliver(handoff, shown);
    if (!delivered.ok) return `delivery ${answerOf(delivered)}`;
    story.between?.(world);
    return answerOf(await world.verify(handoff.id));
  };
  return { lie, through: 'library', answer, attempt };
}

const file = (value: string, deliverable = 'page'): Shown => ({ kind: 'file', value, deliverable });
const command = (value: string): Shown => ({ kind: 'command', value });
const commit = (value: string): Shown => ({ kind: 'commit', value });

const TWO = { deliverables: ['page', 'tests'] };
const REFUSED = 'delivery refused evidence-false';

const FILES: readonly Attempt[] = [
  told('no lie: a file that stays as it is', 'completed verified', { shown: [file('page.html')] }),
  told('an empty file', 'completed attested', {
    before: ({ write }) => write('empty.html', ''),
    shown: [file('empty.html')],
  }),
  told('a file that git ignores', 'completed attested', {
    before: ({ write }) => write('ignored.txt', 'gone with the next clone'),
    shown: [file('ignored.txt')],
  }),
  told('a hard link to a file elsewhere', 'completed attested', {
    before: ({ folder }) => {
      const elsewhere = join(tempFolder(), 'theirs');
      writeFileSync(elsewhere, 'theirs');
      linkSync(elsewhere, join(folder, 'linked.html'));
    },
    shown: [file('linked.html')],
  }),
  told('one file for two deliverables', 'completed attested', {
    terms: TWO,
    shown: [file('page.html'), file('page.html', 'tests')],
  }),
  told('a file that is destroyed after the delivery', 'refused evidence-false', {
    shown: [file('page.html')],
    between: ({ folder }) => rmSync(join(folder, 'page.html')),
  }),
  told('a file that is changed after the delivery', 'refused evidence-false', {
    shown: [file('page.html')],
    between: ({ write }) => write('page.html', 'something else'),
  }),
  told('a file that never was', REFUSED, { shown: [file('nowhere.html')] }),
  told('a file outside of the workspace', REFUSED, { shown: [file('/etc/hostname')] }),
  told('a path that climbs out', REFUSED, { shown: [file('../../etc/hostname')] }),
  told('a link that leads out', REFUSED, {
    before: ({ folder }) => symlinkSync('/etc/hostname', join(folder, 'out')),
    shown: [file('out')],
  }),
  told('a folder', REFUSED, {
    before: ({ folder }) => mkdirSync(join(folder, 'pages')),
    shown: [file('pages')],
  }),
  told('only words', 'completed attested', { shown: [{ kind: 'note', value: 'believe me' }] }),
  told('only an address', 'completed attested', { shown: [{ kind: 'url', value: 'https://example.org/done' }] }),
  told('words for one of two deliverables', 'completed attested', {
    terms: TWO,
    shown: [file('page.html'), { kind: 'note', value: 'tested', deliverable: 'tests' }],
  }),
  told('nothing for one of two deliverables', 'delivery refused evidence-missing', {
    terms: TWO,
    shown: [file('page.html')],
  }),
  told('evidence for something that nobody asked for', 'delivery refused evidence-unknown', {
    shown: [file('page.html'), file('page.html', 'pagee')],
  }),
];

const COMMANDS: readonly Attempt[] = [
  told('no lie: a command that passes twice', 'completed verified', { shown: [command('test -s page.html')] }),
  told('a command that fails', REFUSED, { shown: [command('exit 3')] }),
  told('a command that passes only at delivery', 'refused evidence-false', {
    shown: [command('test -s page.html')],
    between: ({ folder }) => rmSync(join(folder, 'page.html')),
  }),
  told('check.sh rewritten to `exit 0` after the delivery', 'completed attested', {
    before: ({ write }) => write('check.sh', 'test -s page.html\n'),
    shown: [command('sh check.sh')],
    between: ({ write }) => write('check.sh', 'exit 0\n'),
  }),
  told('a command that restores the destroyed file', 'refused evidence-false', {
    before: ({ write }) => write('kept.html', '<p>done</p>'),
    shown: [file('page.html'), command('cp kept.html page.html')],
    between: ({ folder }) => rmSync(join(folder, 'page.html')),
  }),
  told('a command that makes the file it is shown beside', REFUSED, {
    shown: [command('echo made > made.html'), file('made.html')],
  }),
  told('a command that looks for a token in its environment', REFUSED, {
    shown: [command('env | grep -q BATON_')],
  }),
  told('a command that steals a token from .baton/', REFUSED, {
    before: ({ folder }) => writeFileSync(join(folder, '.baton', 'token'), 'secret'),
    shown: [command('cat .baton/token')],
  }),
  told('a command that uncovers .baton/ first', REFUSED, {
    before: ({ folder }) => writeFileSync(join(folder, '.baton', 'token'), 'secret'),
    shown: [command('umount .baton; umount -l .baton; cat .baton/token || cat /proc/1/root"$PWD"/.baton/token')],
  }),
  told('a command that changes the database', REFUSED, {
    shown: [command('test -f .baton/baton.db && : > .baton/baton.db')],
  }),
  told('another command than the one that the sender fixed', REFUSED, {
    terms: { check: 'test -s page.html' },
    shown: [command('true')],
  }),
  told('nothing shown where the sender fixed a command that fails', REFUSED, {
    terms: { check: 'test -s nowhere.html' },
    shown: [],
  }),
  told('no lie: the command that the sender fixed', 'completed verified', {
    terms: { check: 'test -s page.html' },
    shown: [],
  }),
  told('words beside a fixed command that fails later', 'refused evidence-false', {
    terms: { check: 'test -s page.html' },
    shown: [{ kind: 'note', value: 'believe me' }],
    between: ({ folder }) => rmSync(join(folder, 'page.html')),
  }),
];

const LATER = { GIT_COMMITTER_DATE: '2001-01-01T00:00:00Z', GIT_AUTHOR_DATE: '2001-01-01T00:00:00Z' };

function committed({ git }: TruthWorld, ...more: readonly string[]): string {
  git('add', '-A');
  git('commit', '-qm', 'work', ...more);
  return git('rev-parse', 'HEAD').trim();
}

function old(world: TruthWorld): string {
  Object.assign(process.env, LATER);
  try {
    return committed(world);
  } finally {
    for (const name of Object.keys(LATER)) delete process.env[name];
  }
}

const COMMITS: readonly Attempt[] = [
  told('no lie: a commit made for it', 'completed verified', { shown: (world) => [commit(committed(world))] }),
  told("somebody's commit from long before", REFUSED, { shown: (world) => [commit(old(world))] }),
  told('an old commit that the sender allows', 'completed verified', {
    terms: { anyCommit: true },
    shown: (world) => [commit(old(world))],
  }),
  told('an empty commit', REFUSED, {
    shown: (world) => {
      committed(world);
      return [commit(committed(world, '--allow-empty'))];
    },
  }),
  told('a commit that no branch holds', REFUSED, {
    shown: (world) => {
      const first = committed(world);
      world.write('page.html', 'second');
      const second = committed(world);
      world.git('reset', '-q', '--hard', first);
      return [commit(second)];
    },
  }),
  told('a commit that never was', REFUSED, { shown: [commit('0123456789012345678901234567890123456789')] }),
];

describe('evidence', () => {
  it.each([...FILES, ...COMMANDS, ...COMMITS])('$through: $lie → $answer', async ({ attempt, answer }) => {
    expect(await attempt()).toBe(answer);
  });

  it('says of a commit who made it, when, where it is and what it touches', async () => {
    const world = await truthWorld();
    world.write('page.html', 'x');
    const handoff = await world.ask();
    const delivered = await world.deliver(handoff, [commit(committed(world))]);
    expect(delivered.ok).toBe(true);
    const [check] = (await world.ctx.rules.evidence.check(
      delivered.ok ? delivered.value.claims : [],
      handoff,
    )) as readonly { readonly says: string }[];
    expect(check?.says).toMatch(/by "A Person <person@example.org>" at 20\d\d-.*, on "main", files: .*"page.html"/);
  });

  it('records where evidence was checked, and under which policy', async () => {
    const world = await truthWorld();
    world.write('page.html', 'x');
    const handoff = await world.ask();
    await world.deliver(handoff, [file('page.html')]);
    await world.verify(handoff.id);
    const facts = await world.ctx.store.facts({ handoff: handoff.id, max: 100 });
    const last = JSON.parse(facts.at(-1)?.fact.detail ?? '{}') as Record<string, unknown>;
    expect(last).toMatchObject({ via: 'token tok-qa', policy: 1 });
    expect(last['where']).toMatch(new RegExp(`:${world.folder}$`));
  });
});
