import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SPEC_DOCUMENT } from '../formats/document/spec-document.ts';
import { quickBaton, tempFolder } from '../support/processes.ts';
import { ACTIVE, another, COMPLETE, documentWith, makeRepository, NAME } from './repository.ts';

const QUOTED = `# How we hand work over\n\nA handoff begins like this:\n\n\`\`\`yaml\n${SPEC_DOCUMENT}\`\`\`\n`;

/** Text about handoffs, as real repositories have it. */
const PROSE = {
  'docs/handoff-protocol.md': QUOTED,
  'docs/handoff-guide.md': `---\ntitle: Handoffs\nstatus: Active\nfrom: the team\n---\n\nFrom: one agent\nTo: another\n`,
  'docs/handoffs/why.md': '# Why handoffs\n\nfrom_agent: and to_agent: are fields of the front matter.\n',
  'docs/fields.md': '# Fields\n\n- handoff_id: the name\n- from_agent: who sends\n- to_agent: who takes\n',
  'templates/handoff-template.md': documentWith({
    handoff_id: 'handoff-{from}-{to}-{task}-{date}',
    from_agent: '{from}',
    to_agent: '{to}',
  }),
  'meetings/handoff-2026-02-21.md':
    '# Handoff meeting\n\n**Date:** today\n**From:** 14:00\n\nWe spoke about handoffs.\n',
  // Of another system, from nobody to nobody.
  '.notes/history/2026-04-07_close.md':
    '---\nhandoff_id: 2026-04-07_1600_effects_close\nkind: phase-close\nstatus: active\n---\n\n# Handoff\n\nDone.\n',
  '.notes/broken.md': '---\nhandoff_id: 2026-04-07_1600\nstatus: "unclosed\n---\n\n# Handoff\n',
  'src/handoff.py': 'handoff_id: str\nfrom_agent: str\n',
  'handoff-letter.txt': 'From: Ann\nTo: Bob\n\nThe handoff went well.\n',
  '_handoffs/README.md': QUOTED,
  '_handoffs/active/.gitkeep': '',
  '_handoffs/_index.yaml':
    'last_updated: null\n\nactive_handoffs: []\n\ncounts_by_agent: {}\n\nrecently_completed: []\n',
  [`data/personas/max/handoffs/20260221T120000-00000001.md`]: SPEC_DOCUMENT,
  'tasks/BPRD-2026-0042.md': '---\nid: BPRD-2026-0042\nstatus: Assigned\nowner: grok\n---\n',
  'empty.md': '',
};

describe('baton check', () => {
  it('D13: passes a repository whose documentation merely talks about handoffs', async () => {
    const repository = makeRepository();
    for (const [path, text] of Object.entries(PROSE)) repository.write(path, text);
    repository.git('add', '-A');
    for (const args of [['--staged'], []]) {
      const { code, complaints, stderr } = await repository.check(...args);
      expect({ code, complaints, stderr }).toEqual({ code: 0, complaints: [], stderr: '' });
    }
  });

  it('D13: judges the working tree without --staged, also what git does not know yet', async () => {
    const repository = makeRepository();
    repository.commit({ 'README.md': 'hello\n', '.gitignore': 'ignored/\n' });
    repository.write(`notes/new.md`, SPEC_DOCUMENT);
    repository.write(`ignored/new.md`, SPEC_DOCUMENT);
    const { code, complaints } = await repository.check();
    expect({ code, files: complaints.map(({ file }) => file) }).toEqual({ code: 5, files: ['notes/new.md'] });
    expect((await repository.check('--staged')).code).toBe(0);
  });

  it('D13: works in a folder that is no repository, and says what cannot be asked there', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'notes'));
    writeFileSync(join(folder, 'notes/x.md'), SPEC_DOCUMENT);
    const found = await quickBaton(['check'], { cwd: folder });
    expect(found.code).toBe(5);
    expect(found.stdout).toBe(
      'notes/x.md:1:1: a handoff outside of _handoffs/; move it to _handoffs/active/, or to ' +
        '_handoffs/archived/YYYY/MM/ if it is settled\n',
    );
    expect(found.stderr).toBe('baton: 1 problem in 1 file\n');
    const staged = await quickBaton(['check', '--staged'], { cwd: folder });
    expect(staged).toMatchObject({ code: 5, stdout: '' });
    expect(staged.stderr).toContain('is in no git repository');
  });

  it('D13: compares with another commit for CI, and judges only what came since', async () => {
    const repository = makeRepository();
    repository.commit({ 'old.md': SPEC_DOCUMENT, [ACTIVE]: documentWith({ status: 'Acknowledged' }) });
    repository.git('tag', 'base');
    repository.commit({ [ACTIVE]: documentWith({ status: 'Created' }) });
    const { complaints } = await repository.check('--since', 'base');
    expect(complaints.map(({ file, rule }) => `${file} ${rule}`)).toEqual([`${ACTIVE} transition`]);
    const unknown = await repository.check('--since', 'nowhere');
    expect(unknown.code).toBe(5);
    expect(unknown.stderr).toContain('there is no commit');
    const trick = await repository.check('--since', '--output=hacked');
    expect(trick.code).toBe(5);
  });

  it('D13: looks only at the paths it is given, and refuses those that lead out', async () => {
    const repository = makeRepository();
    repository.commit({ 'a/x.md': SPEC_DOCUMENT, 'b/y.md': SPEC_DOCUMENT.replaceAll('grok', 'gemini') });
    expect((await repository.check('a')).complaints.map(({ file }) => file)).toEqual(['a/x.md']);
    expect((await repository.check('b/y.md')).complaints).toHaveLength(1);
    expect((await repository.check('../elsewhere')).code).toBe(5);
    expect((await repository.check('nothing-here')).code).toBe(5);
  });

  it('D13: leaves alone what the configuration names', async () => {
    const repository = makeRepository();
    repository.commit({
      'baton.yaml': 'check: { ignore: [test/fixtures/, ./one.md] }\n',
      'test/fixtures/x.md': SPEC_DOCUMENT,
      'test/fixtures-not/x.md': SPEC_DOCUMENT,
      'one.md': SPEC_DOCUMENT,
    });
    expect((await repository.check()).complaints.map(({ file }) => file)).toEqual(['test/fixtures-not/x.md']);
  });

  it('D13: a workspace inside of the repository has its own handoffs and limits', async () => {
    const repository = makeRepository();
    const [one, two] = ['A-1', 'A-2'].map((task) => another('grok', 'claude', task));
    repository.commit({
      'packages/web/baton.yaml': 'limits: { outgoing: 1 }\n',
      [`packages/web/${one?.path}`]: one?.text ?? '',
      [`packages/web/${two?.path}`]: two?.text ?? '',
      [one?.path ?? '']: one?.text ?? '',
      [two?.path ?? '']: two?.text ?? '',
    });
    const { complaints } = await repository.check();
    expect(complaints.map(({ file, rule }) => `${file} ${rule}`)).toEqual(['packages/web/_handoffs/active limit']);
  });

  it('D13: shows a name with a line end so that it cannot pretend to be another complaint', async () => {
    const repository = makeRepository();
    repository.write('a\nREADME.md:1:1: fine.md', SPEC_DOCUMENT);
    const { stdout } = await quickBaton(['check'], { cwd: repository.folder, env: repository.env });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stdout).toMatch(/^"a\\nREADME\.md:1:1: fine\.md":1:1: a handoff/);
  });

  it('D13: finds a handoff whose name is no text at all', async () => {
    const repository = makeRepository();
    const name = Buffer.concat([Buffer.from(`${repository.folder}/`), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]);
    writeFileSync(name, SPEC_DOCUMENT);
    expect((await repository.check()).complaints).toHaveLength(1);
    repository.git('add', '-A');
    expect((await repository.check('--staged')).complaints).toHaveLength(1);
  });

  it('D13: says where a broken configuration is wrong', async () => {
    const repository = makeRepository();
    repository.commit({ 'baton.yaml': 'limits: { outgoing: many }\n' });
    const { code, stderr } = await repository.check();
    expect(code).toBe(5);
    expect(stderr).toContain('baton.yaml:1:21');
  });

  it('D13: takes the limits from the index too, and not from a file that is not committed with it', async () => {
    const repository = makeRepository();
    const [one, two] = ['A-1', 'A-2'].map((task) => another('grok', 'claude', task));
    repository.commit({ 'baton.yaml': 'limits: { outgoing: 1 }\n', [one?.path ?? '']: one?.text ?? '' });
    repository.write(two?.path ?? '', two?.text ?? '');
    repository.git('add', '-A');
    repository.write('baton.yaml', 'limits: { outgoing: 9 }\n');
    expect((await repository.check('--staged')).complaints).toMatchObject([{ rule: 'limit' }]);
    repository.git('add', 'baton.yaml');
    expect((await repository.check('--staged')).code).toBe(0);
  });

  it('D13: nothing of a hostile repository is run: monitor, hooks, filters, external diff', async () => {
    const repository = makeRepository();
    const trap = join(repository.folder, 'trap.sh');
    const sprung = join(tempFolder(), 'sprung');
    writeFileSync(trap, `#!/bin/sh\ntouch ${sprung}\ncat\n`, { mode: 0o755 });
    repository.commit({ [ACTIVE]: SPEC_DOCUMENT, '.gitattributes': '* filter=trap diff=trap\n' });
    for (const key of [
      'core.fsmonitor',
      'core.pager',
      'diff.external',
      'filter.trap.clean',
      'filter.trap.smudge',
      'filter.trap.process',
      'diff.trap.textconv',
      'core.editor',
    ]) {
      repository.git('config', key, trap);
    }
    repository.git('config', 'core.hooksPath', repository.folder);
    writeFileSync(join(repository.folder, 'post-index-change'), `#!/bin/sh\ntouch ${sprung}\n`, { mode: 0o755 });
    writeFileSync(join(repository.folder, 'bad.md'), SPEC_DOCUMENT.replaceAll('grok', 'x'));
    for (const args of [['--staged'], [], ['--since', 'HEAD']]) await repository.check(...args);
    const { existsSync } = await import('node:fs');
    expect(existsSync(sprung)).toBe(false);
    expect((await repository.check()).complaints.map(({ file }) => file)).toEqual(['bad.md']);
  });

  it('D13: one more document costs a hook the same, however many are settled', async () => {
    const repository = makeRepository();
    const settled = Array.from({ length: 3_000 }, (_, index) => {
      const id = `handoff-grok-claude-T-${index}-20260221`;
      return [`_handoffs/archived/2026/02/${id}.md`, COMPLETE.replaceAll(NAME, id)] as const;
    });
    repository.commit(Object.fromEntries(settled));
    repository.write(ACTIVE, SPEC_DOCUMENT);
    repository.git('add', '-A');
    const answer = await repository.check('--staged');
    expect(answer.code).toBe(0);
    expect(JSON.parse(answer.stdout)).toMatchObject({ checked: 1, complaints: [] });
  });

  it('D4: what is overdue is said beside the complaints, and stops nobody', async () => {
    const repository = makeRepository();
    const late = SPEC_DOCUMENT.replace(/^expires_at:.*$/m, 'expires_at: 2026-01-02T00:00:00Z');
    repository.commit({ [ACTIVE]: late });
    const said = { file: ACTIVE, rule: 'overdue', says: 'overdue: nobody acknowledged it until 2026-01-02T00:00:00Z' };
    for (const args of [['--staged'], []]) {
      const answer = await repository.check(...args);
      expect([answer.code, JSON.parse(answer.stdout)]).toMatchObject([0, { complaints: [], overdue: [said] }]);
    }
  });
});
