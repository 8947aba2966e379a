import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/formats/document/read.ts';
import { writeDocument } from '../../src/formats/document/write.ts';
import { contentKey, originalsIn, originalsText } from '../../src/formats/legacy/originals.ts';
import { readAgentId } from '../../src/domain/names.ts';
import type { Migrate, Step } from '../../src/engine/migration/plan.ts';
import { hexDigestOf } from '../../src/foundation/digest.ts';
import { applyToWorkspace, planWorkspace, type MigrationOptions } from '../../src/adapters/migration/migrate.ts';
import { workspaceAt } from '../../src/workspace/workspace.ts';
import { tempFolder } from '../support/processes.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const OLD = '**From:** ivy\n**To:** basil\n**Status:** open\n**Date:** 2026-03-04\n';

describe('D14: a plan of migration', () => {
  it('copies of one name and one content are one handoff, wherever they lie', async () => {
    const folder = filled({
      'a/handoff-water-20260304.md': OLD,
      'b/handoff-water-20260304_063331.md': `\uFEFF${OLD.replaceAll('\n', '\r\n')}`,
      'c/handoff-water-20260304-copy.md': `${OLD}\n\n`,
    });
    const [step, ...others] = await plan(folder);
    expect(others).toEqual([]);
    expect(step).toMatchObject({ do: 'migrate', id: 'handoff-ivy-basil-BPRD-2026-0001-20260304', place: 'active' });
    expect((step as Migrate).sources.map(({ is }) => is).toSorted()).toEqual(['copy', 'copy', 'newest']);
  });

  it('files that only share a common name are not one handoff', async () => {
    const folder = filled({ 'a/handoff.md': OLD, 'b/handoff.md': OLD.replace('ivy', 'fern') });
    expect((await plan(folder)).map((step) => step.do)).toEqual(['migrate', 'migrate']);
  });

  it('a newer text that says all the older said holds both; otherwise both stay', async () => {
    const names = ['x/handoff-water-20260304.md', 'x/handoff-water-20260304 (2).md'] as const;
    const grown = filled({ [names[1]]: OLD }, { [names[0]]: `${OLD.replace('open', 'DONE')}\nThe beds are wet.\n` });
    const [step] = await plan(grown);
    expect(step).toMatchObject({ do: 'migrate', mapped: { status: 'Complete' } });
    await apply(grown);
    const text = documentIn(grown, step as Migrate);
    expect([...originalsIn(text).values()].map((bytes) => contentKey(bytes))).toContain(contentKey(Buffer.from(OLD)));

    const torn = filled({ [names[1]]: `${OLD}Water them.\n` }, { [names[0]]: `${OLD}Do not water them.\n` });
    expect(await plan(torn)).toMatchObject([{ do: 'conflict' }]);
    await apply(torn);
    for (const name of names) expect(existsSync(join(torn, name))).toBe(true);
  });

  it('newest is what git says, then what is not committed, whatever the names say', async () => {
    const names = ['x/handoff-water-20260304.md', 'x/handoff-water-20260304 (2).md'] as const;
    const folder = filled({ [names[0]]: OLD }, { [names[1]]: `${OLD}More.\n` });
    expect(await plan(folder)).toMatchObject([{ do: 'migrate', sources: [{ path: names[1] }, { path: names[0] }] }]);
    put(folder, { [names[0]]: `${OLD}More.\nAnd more.\n` });
    expect(await plan(folder)).toMatchObject([{ do: 'migrate', sources: [{ path: names[0] }, { path: names[1] }] }]);
  });

  it('whoever comes back with another text after a migration is a conflict, not an overwriting', async () => {
    const folder = filled({ 'x/handoff-water-20260304.md': OLD });
    const [step] = await plan(folder);
    await apply(folder);
    const before = documentIn(folder, step as Migrate);
    put(folder, { 'x/handoff-water-20260304.md': OLD });
    expect(await plan(folder)).toMatchObject([{ do: 'clear' }]);
    put(folder, { 'y/handoff-water-20260304.md': `${OLD}Changed.\n` });
    expect(await plan(folder)).toMatchObject([{ do: 'conflict' }]);
    await apply(folder);
    expect(documentIn(folder, step as Migrate)).toBe(before);
    expect(existsSync(join(folder, 'y/handoff-water-20260304.md'))).toBe(true);
  });

  it('a JSON file that calls itself a handoff is one, with its fields and its text', async () => {
    const said = { from: 'ivy', to: 'basil', status: 'open', date: '2026-03-04', weather: 'dry' };
    const json = JSON.stringify({ handoff: said }, null, 2);
    const folder = filled({
      'notes/water.json': json,
      'notes/water-copy.json': `${json}\n`,
      'done/handoff-old-20260101.json': JSON.stringify({ ...said, date: '2026-01-01' }),
    });
    const steps = await plan(folder);
    expect(steps).toMatchObject([
      { do: 'migrate', mapped: { from: 'ivy', to: 'basil', status: 'Complete' }, sources: [{ is: 'newest' }] },
      {
        do: 'migrate',
        mapped: { state: 'offered', legacy: { 'handoff.weather': 'dry' } },
        sources: [{}, { is: 'copy' }],
      },
    ]);
    await apply(folder);
    const text = documentIn(folder, steps[1] as Migrate);
    expect(readDocument(text).fields).toMatchObject({
      from_agent: 'ivy',
      to_agent: 'basil',
      created_at: '2026-03-04T00:00:00Z',
    });
    expect([...originalsIn(text).values()].map(String)).toContain(json);
    expect(existsSync(join(folder, 'notes'))).toBe(false);
    expect(await plan(folder)).toEqual([]);
  });

  it('JSON that programs live by stays where it is', async () => {
    const route = { from: 'ivy', to: 'basil', status: 'open', date: '2026-03-04', id: 'a-1', task: 'T-1' };
    const message = { handoff_id: 'q-1', source: { agent_id: 'ivy' }, target: 'basil', status: 'pending', input: {} };
    const files = {
      'data/routes.json': JSON.stringify(route),
      'data/hands.json': JSON.stringify({ ...route, about: 'a handoff of keys' }),
      'handoffs/pending/q-1.json': JSON.stringify(message),
      'handoffs/completed/handoff-q-2.json': JSON.stringify({ ...route, handoff_id: 'q-2' }),
      'elsewhere/handoff-q-3.json': JSON.stringify({ ...message, handoff_id: 'q-3' }),
      'handoffs/all.jsonl': `${JSON.stringify({ handoff: route })}\n`,
      'schemas/handoff.schema.json': JSON.stringify({
        title: 'Handoff',
        properties: { handoff_id: { type: 'string' }, from: { type: 'string' }, to: { type: 'string' }, status: {} },
        required: ['handoff_id', 'from', 'to', 'status'],
      }),
    };
    const folder = filled(files);
    expect(await plan(folder)).toEqual([]);
    await apply(folder);
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  });

  it('what names no sender waits for somebody who does', async () => {
    const folder = filled({
      'handoffs/handoff-readings-20260304_063331.md': '# Readings\n\n**Attention:** Ivy / Lead\n',
    });
    expect(await plan(folder)).toMatchObject([{ do: 'unclear', because: 'it names no sender' }]);
    expect(await plan(folder, { from: readAgentId('meter') })).toMatchObject([
      { do: 'migrate', mapped: { from: 'meter', to: 'ivy' } },
    ]);
  });

  it('a settled document of ours in the wrong place only moves (D1)', async () => {
    const text = writeDocument({
      handoff_id: 'handoff-ivy-basil-BPRD-2026-0042-20260304',
      from_agent: 'ivy',
      to_agent: 'basil',
      related_task: 'BPRD-2026-0042',
      status: 'Complete',
      created_at: '2026-03-04T10:00:00Z',
      updated_at: '2026-04-01T10:00:00Z',
      expires_at: null,
      completed_at: '2026-04-01T10:00:00Z',
      title: 'Water',
      purpose: 'wet beds',
      context: 'dry beds',
      deliverables: ['wet beds'],
      verification_criteria: [],
    });
    const folder = filled({ 'agents/ivy/somewhere.md': text });
    expect(await plan(folder)).toMatchObject([{ do: 'migrate', verbatim: true, place: 'archived/2026/04' }]);
    await apply(folder);
    const path = '_handoffs/archived/2026/04/handoff-ivy-basil-BPRD-2026-0042-20260304.md';
    expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(existsSync(join(folder, 'agents'))).toBe(false);
    expect(await plan(folder)).toEqual([]);
  });

  it('one task for all handoffs that named it, with numbers that nobody has (D11)', async () => {
    const folder = filled({
      'tasks/done/BPRD-2026-0007.md': 'id: BPRD-2026-0007\n',
      'a/handoff-1.md': `${OLD}**Task:** GARD-1\n`,
      'a/handoff-2.md': `${OLD.replace('ivy', 'fern')}**Task:** GARD-1\n`,
      'a/handoff-3.md': `${OLD.replace('ivy', 'moss')}**Task:** BPRD-2026-0007\n`,
      'a/handoff-4.md': `${OLD.replace('ivy', 'rue')}**Task:** BPRD-2026-0099\n`,
    });
    await apply(folder);
    const tasks = readdirSync(join(folder, 'tasks')).filter((name) => name.endsWith('.md'));
    expect(tasks.toSorted()).toEqual(['BPRD-2026-0008.md', 'BPRD-2026-0099.md']);
    expect(readFileSync(join(folder, 'tasks/BPRD-2026-0008.md'), 'utf8')).toContain('migrated_for: GARD-1');
  });

  it('one name and two recipients are two handoffs, not a conflict', async () => {
    const folder = filled({
      'a/handoff-water-20260304.md': OLD,
      'b/handoff-water-20260304.md': OLD.replace('basil', 'moss'),
    });
    expect(await plan(folder)).toMatchObject([
      { do: 'migrate', mapped: { to: 'basil' } },
      { do: 'migrate', mapped: { to: 'moss' } },
    ]);
  });

  it('the newest text decides, also when it names no recipient: closed stays closed', async () => {
    const names = ['x/handoff-water-20260304.md', 'x/handoff-water-20260304_063331.md'] as const;
    const newer = `${OLD.replace('**To:** basil\n', '').replace('open', 'done')}The beds are wet.\n`;
    const folder = filled({ [names[0]]: OLD }, { [names[1]]: newer });
    expect(await plan(folder)).toMatchObject([{ do: 'conflict' }]);
    expect(await plan(folder, { newest: true })).toMatchObject([
      { do: 'migrate', mapped: { from: 'ivy', to: 'basil', status: 'Complete' }, sources: [{ path: names[1] }, {}] },
    ]);
  });

  it('a copy in an archive folder closes the handoff', async () => {
    const folder = filled({ 'x/handoff-water-20260304.md': OLD, 'x/archive/handoff-water-20260304.md': OLD });
    expect(await plan(folder)).toMatchObject([{ do: 'migrate', mapped: { status: 'Complete' } }]);
  });

  it('two open files that ask the same for the same task become one document, which the guard accepts', async () => {
    const asked = `# Handoff: water\n\n${OLD}**Task:** GARD-1\n\n## Deliverables\n- wet beds\n`;
    const folder = filled({ 'a/handoff.md': asked, 'b/handoff.md': asked.replace('2026-03-04', '2026-03-05') });
    expect(await plan(folder)).toMatchObject([{ do: 'migrate', sources: [{}, {}] }]);
  });

  it('deliverables, due date, priority and further recipients are kept as fields', async () => {
    const yaml =
      'handoff:\n  from: ivy\n  to: [basil, moss]\n  status: open\n  priority: HIGH\n  due: 2026-04-01\n' +
      '  deliverables:\n    - name: wet beds\n      where: north\n    - a rolled hose\n  requested_action: water them\n';
    const markdown =
      `${OLD}**Deadline:** 2 April 2026\n\n## Next steps\n\n### First\n- water the beds\n  before noon\n\n` +
      '### Then\n- roll up the hose\n\n## Else\n- nothing\n';
    const folder = filled({ 'x/handoff-1.yaml': yaml, 'x/handoff-2.md': markdown });
    const steps = await plan(folder);
    expect(steps).toMatchObject([
      {
        mapped: {
          fields: { deliverables: ['water the beds before noon', 'roll up the hose'], target_completion: '2026-04-02' },
        },
      },
      {
        mapped: {
          extra: { priority: 'HIGH', also_to: ['moss'] },
          fields: {
            deliverables: ['wet beds — north', 'a rolled hose'],
            purpose: 'water them',
            target_completion: '2026-04-01',
          },
        },
      },
    ]);
    await apply(folder);
    expect(documentIn(folder, steps[1] as Migrate)).toContain('also_to:\n  - moss');
  });

  it('a text in UTF-16 is read, and kept to the byte', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(OLD, 'utf16le')]);
    const folder = filled({ 'handoffs/handoff-wide-20260304.md': bytes });
    const [step] = await plan(folder);
    expect(step).toMatchObject({ do: 'migrate', mapped: { from: 'ivy', to: 'basil' } });
    await apply(folder);
    expect([...originalsIn(documentIn(folder, step as Migrate)).values()]).toEqual([bytes]);
  });

  it('sections are known by their headings in other scripts too', async () => {
    const text = `# 인수인계\n\n${OLD}\n## 목적\n물 주기\n\n## 背景\n乾いた土\n\n## 할 일\n- 북쪽\n- 남쪽\n\n## 완료 조건\n- 젖은 흙\n`;
    expect(await plan(filled({ 'handoffs/handoff-water-20260304.md': text }))).toMatchObject([
      {
        do: 'migrate',
        mapped: {
          fields: {
            purpose: '물 주기',
            context: '乾いた土',
            deliverables: ['북쪽', '남쪽'],
            verification_criteria: ['젖은 흙'],
          },
        },
      },
    ]);
  });

  it('documentation, examples and forms are listed with a reason, and migrated only when their folder is named', async () => {
    const folder = filled({
      'docs/handoffs/handoff-water-20260304.md': OLD,
      'handoffs/form.md': OLD.replace('ivy', '__FROM__'),
      'handoffs/report.md': OLD.replace('From', 'Author').replace('To', 'Owner'),
    });
    const { steps, scanned } = await planWorkspace(asked(folder));
    expect(steps).toEqual([]);
    expect(scanned.unclear.map(({ path, because }) => `${path}: ${because}`)).toEqual([
      expect.stringContaining('it is in docs/') as string,
      expect.stringContaining('its name is that of a page, a form or an example') as string,
      expect.stringContaining('it names an author or an owner') as string,
    ]);
    expect(await plan(folder, { below: 'docs' })).toMatchObject([{ do: 'migrate' }]);
  });

  it('a folder that is a link is not written through', async () => {
    const folder = filled({ 'a/handoff-water-20260304.md': OLD });
    symlinkSync(tempFolder(), join(folder, '_handoffs'));
    await expect(apply(folder)).rejects.toThrow('not a folder of its own');
    expect(existsSync(join(folder, 'a/handoff-water-20260304.md'))).toBe(true);
  });

  it('finds the same without git, and looks only where it is asked to', async () => {
    const folder = tempFolder();
    put(folder, {
      'a/handoff-x.md': OLD,
      'b/c/handoff-y.md': OLD.replace('ivy', 'fern'),
      'node_modules/z/handoff-z.md': OLD,
    });
    symlinkSync('.', join(folder, 'round'));
    expect(await plan(folder)).toHaveLength(2);
    expect(await plan(folder, { below: 'b' })).toHaveLength(1);
  });

  it.each([
    ['no last line end', Buffer.from('a')],
    ['many backticks', Buffer.from('````\n```````text\nx\n```````\n')],
    ['carriage returns', Buffer.from('a\r\nb\r\n')],
    ['lone carriage returns', Buffer.from('a\rb')],
    ['a mark', Buffer.from('\uFEFFa\n')],
    ['no text', Buffer.from([0, 255, 254, 10, 13])],
    ['nothing', Buffer.alloc(0)],
    ['only line ends', Buffer.from('\n\n\n')],
    ['what looks like one', Buffer.from(originalsText([{ path: 'x', bytes: Buffer.from('y'), changed: '' }]))],
  ])('an original with %s comes out as it went in', (_what, bytes) => {
    const text = `---\nx: y\n---\n${originalsText([{ path: 'a "b"\n.md', bytes, changed: '' }])}`;
    expect(originalsIn(text).get(hexDigestOf(bytes))).toEqual(bytes);
    expect(originalsIn(text).size).toBe(1);
  });
});

/** Each argument is a commit, one day after the one before. */
function filled(...commits: readonly Readonly<Record<string, string | Buffer>>[]): string {
  const folder = tempFolder();
  const git = (args: readonly string[], day = 1): void => {
    const at = new Date(Date.UTC(2026, 3, day, 12)).toISOString();
    const env = {
      PATH: process.env['PATH'],
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_DATE: at,
      GIT_COMMITTER_DATE: at,
    };
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
  };
  git(['init', '-q']);
  for (const [index, files] of commits.entries()) {
    put(folder, files);
    git(['add', '-A']);
    git(['commit', '-q', '-m', 'x'], index + 1);
  }
  return folder;
}

function put(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function asked(folder: string, more: Partial<MigrationOptions> = {}): MigrationOptions {
  const nothing = { below: '', offeredMs: null, from: null, to: null, newest: false };
  return { workspace: workspaceAt(folder), nowMs: NOW, ...nothing, ...more };
}

async function plan(folder: string, more: Partial<MigrationOptions> = {}): Promise<readonly Step[]> {
  return (await planWorkspace(asked(folder, more))).steps;
}

async function apply(folder: string): Promise<void> {
  await applyToWorkspace(await planWorkspace(asked(folder)), asked(folder));
}

function documentIn(folder: string, { place, id }: Migrate): string {
  const text = readFileSync(join(folder, '_handoffs', place, `${id}.md`), 'utf8');
  expect(readDocument(text).fields.handoff_id).toBe(id);
  return text;
}
