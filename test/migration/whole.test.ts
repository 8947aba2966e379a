import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorsIn, readDocument } from '../../src/formats/document/read.ts';
import { contentKey, originalsIn } from '../../src/formats/legacy/originals.ts';
import { hexDigestOf } from '../../src/foundation/digest.ts';
import { makeLegacyRepository, type LegacyRepository } from '../support/legacy-repository.ts';
import { quickBaton, startBaton, tempFolder, until } from '../support/processes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

interface Plan {
  readonly steps: readonly {
    readonly do: string;
    readonly document?: string;
    readonly status?: string;
    readonly sources?: readonly { readonly path: string; readonly is: string }[];
    readonly versions?: readonly (readonly { readonly path: string; readonly changed_at: string | null }[])[];
    readonly related_task?: string;
  }[];
  readonly named_only: readonly { readonly path: string }[];
  readonly over_limit: readonly string[];
  readonly applied: { readonly migrated: number; readonly tasks: number; readonly cleared: number } | null;
}

describe('D14: a repository of the first version', () => {
  it('is migrated without loss, and a second run changes nothing (D1, D2, D11, D12)', async () => {
    const old = await repository();
    const before = treeOf(old.folder);
    const trial = await planOf(old, []);
    expect(treeOf(old.folder)).toEqual(before);
    expect(trial.applied).toBeNull();
    expect(trial.steps.filter((step) => step.do === 'migrate')).toHaveLength(old.distinct);
    expect(conflictsIn(trial)).toEqual(old.conflicts.map((pair) => pair.toSorted().join(' | ')).toSorted());

    const applied = await planOf(old, ['--apply']);
    // Clocks start at the run.
    const timeless = ({ steps }: Plan): readonly unknown[] => steps.map((step) => ({ ...step, expires_at: null }));
    expect(timeless(applied)).toEqual(timeless(trial));
    expect(applied.applied).toMatchObject({ migrated: old.distinct });
    everythingIsKept(old);
    everyDocumentIsSound(old);
    const index = readFileSync(join(old.folder, '_handoffs/_index.yaml'), 'utf8');
    const open = readdirSync(join(old.folder, '_handoffs/active')).filter((name) => name.endsWith('.md'));
    expect(
      [...index.matchAll(/^ {2}- id: (\S+)$/gm)]
        .slice(0, open.length)
        .map(([, id]) => `${id}.md`)
        .toSorted(),
    ).toEqual(open.toSorted());

    const after = treeOf(old.folder);
    const again = await planOf(old, ['--apply']);
    expect(again.applied).toMatchObject({ migrated: 0, tasks: 0, cleared: 0 });
    expect(conflictsIn(again)).toEqual(conflictsIn(trial));
    expect(treeOf(old.folder)).toEqual(after);
  });

  it('goes on where it was killed', async () => {
    const old = await repository(60);
    for (const share of [0.2, 0.5, 0.8]) {
      const running = startBaton(['migrate', '--apply', '--json'], { cwd: old.folder });
      await until('some of them are written', () => documentsIn(old).length >= old.distinct * share);
      running.signal('SIGKILL');
      await running.ended;
      everythingIsKept(old);
    }
    await planOf(old, ['--apply']);
    everythingIsKept(old);
    everyDocumentIsSound(old);
    expect(documentsIn(old)).toHaveLength(old.distinct);
    // No task was made twice for the same work.
    const tasks = readdirSync(join(old.folder, 'tasks')).filter((name) => name.endsWith('.md'));
    const named = documentsIn(old).map((path) => readDocument(textIn(old, path)).fields.related_task);
    expect(tasks.toSorted()).toEqual([...new Set(named)].map((task) => `${task}.md`).toSorted());
    expect(await planOf(old, ['--apply'])).toMatchObject({ applied: { migrated: 0, tasks: 0, cleared: 0 } });
  });

  it('takes the newest by git date, whatever the file system says, and keeps the others inside', async () => {
    const old = await repository(60);
    await planOf(old, ['--apply', '--newest']);
    everythingIsKept(old);
    for (const [, newer] of old.conflicts) {
      const document = documentsIn(old).find((path) => textIn(old, path).includes(`path: ${newer}`));
      expect(readDocument(textIn(old, document ?? '')).fields.context).toContain('the roofs need');
    }
    expect((await planOf(old, [])).steps).toEqual([]);
  });

  it('settled ones go to the archive, open ones start their clocks now, and limits are told', async () => {
    const old = await repository(40);
    writeFileSync(join(old.folder, 'baton.yaml'), 'limits: { incoming: 2, outgoing: 2 }\n');
    const began = Date.now();
    const { over_limit: told } = await planOf(old, ['--apply']);
    expect(told.join('\n')).toMatch(/@\w+ will have \d+ incoming open, at most 2 are allowed/);
    for (const path of documentsIn(old)) {
      const { status, expires_at: expires } = readDocument(textIn(old, path)).fields;
      const isOpen = ['Created', 'Active', 'Acknowledged'].includes(String(status));
      expect(path.startsWith(isOpen ? '_handoffs/active/' : '_handoffs/archived/')).toBe(true);
      const isStarted = status !== 'Active' || Date.parse(expires ?? '') > began;
      expect(isStarted ? null : path).toBeNull();
    }
  });

  it('is not migrated where a file has changed since the plan, and says so', async () => {
    const old = await repository(8);
    const folder = join(old.folder, '_agents/ivy/_handoffs');
    const [name = ''] = readdirSync(folder);
    const { applyToWorkspace, planWorkspace } = await import('../../src/adapters/migration/migrate.ts');
    const { workspaceAt } = await import('../../src/workspace/workspace.ts');
    const asked = {
      workspace: workspaceAt(old.folder),
      below: '',
      nowMs: Date.now(),
      offeredMs: null,
      from: null,
      to: null,
      newest: false,
    };
    const planned = await planWorkspace(asked);
    writeFileSync(join(folder, name), 'From: somebody else\n');
    const applied = await applyToWorkspace(planned, asked);
    expect(applied.left.map(({ because }) => because)).toContain('has changed since the plan was made');
    expect(readFileSync(join(folder, name), 'utf8')).toBe('From: somebody else\n');
  });
});

async function repository(count = 120): Promise<LegacyRepository> {
  const folder = tempFolder();
  const old = makeLegacyRepository(folder, count);
  expect(await quickBaton(['init'], { cwd: folder })).toMatchObject({ code: 0 });
  return old;
}

async function planOf(old: LegacyRepository, options: readonly string[]): Promise<Plan> {
  const ended = await quickBaton(['migrate', '--json', ...options], { cwd: old.folder });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ended.stdout) as Plan;
}

function conflictsIn({ steps }: Plan): readonly string[] {
  const conflicts = steps.filter((step) => step.do === 'conflict');
  const paths = conflicts.map(({ versions = [] }) => versions.flat().map(({ path }) => path));
  return paths.map((each) => each.toSorted().join(' | ')).toSorted();
}

/** Every distinct content is where it was, or inside of a document, to the byte or but for line ends. */
function everythingIsKept(old: LegacyRepository): void {
  const held = new Set(
    documentsIn(old).flatMap((path) => [...originalsIn(textIn(old, path)).values()].map(contentKey)),
  );
  const byte = new Set(documentsIn(old).flatMap((path) => [...originalsIn(textIn(old, path)).keys()]));
  const lost: string[] = [];
  for (const [path, text] of old.handoffs) {
    const bytes = Buffer.from(text);
    const isThere = existsSync(join(old.folder, path)) && readFileSync(join(old.folder, path)).equals(bytes);
    const isHeld = held.has(contentKey(bytes)) && (text.includes('\r') || byte.has(hexDigestOf(bytes)));
    if (!isThere && !isHeld) lost.push(path);
  }
  expect(lost).toEqual([]);
  for (const [path, text] of old.untouched) expect(readFileSync(join(old.folder, path), 'utf8')).toBe(text);
  for (const link of ['linked', 'handoff-link-20260101.md'])
    expect(lstatSync(join(old.folder, link)).isSymbolicLink()).toBe(true);
}

function everyDocumentIsSound(old: LegacyRepository): void {
  for (const path of documentsIn(old)) {
    const read = readDocument(textIn(old, path));
    expect(errorsIn(read)).toEqual([]);
    expect(path.endsWith(`/${read.fields.handoff_id}.md`)).toBe(true);
    const task = read.fields.related_task ?? '';
    expect(existsSync(join(old.folder, 'tasks', `${task}.md`))).toBe(true);
  }
}

function documentsIn(old: LegacyRepository): readonly string[] {
  const found = (below: string): readonly string[] =>
    existsSync(join(old.folder, below))
      ? readdirSync(join(old.folder, below), { recursive: true, encoding: 'utf8' })
          .filter((name) => /(?:^|\/)handoff-[^/]+\.md$/.test(name))
          .map((name) => `${below}/${name}`)
      : [];
  return [...found('_handoffs/active'), ...found('_handoffs/archived')];
}

function textIn(old: LegacyRepository, path: string): string {
  return readFileSync(join(old.folder, path), 'utf8');
}

/** All files that git would see, with their hashes. */
function treeOf(folder: string): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '-c', '-o', '--exclude-standard'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const paths = listed
    .split('\0')
    .filter((path) => path !== '' && lstatSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true);
  return paths.toSorted().map((path) => `${hexDigestOf(readFileSync(join(folder, path)))} ${path}`);
}
