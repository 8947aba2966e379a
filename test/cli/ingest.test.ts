/** `baton ingest`, as agents and people call it. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { summaryIn } from '../../src/domain/summary-in-fact.ts';
import { blockOf } from '../engine/summaries/summary-world.ts';
import { summaryProject } from '../support/summary-project.ts';
import { commandDatabases } from './command-databases.ts';
import { makeWorkspace, sqlite, type Workspace } from './workspaces.ts';

interface Answered {
  readonly files: readonly { readonly file: string; readonly blocks: readonly Record<string, unknown>[] }[];
  readonly done: number;
  readonly known: number;
  readonly refused: number;
  readonly invalid: number;
  readonly quoted: number;
  readonly nothing: number;
}

function put({ folder }: Workspace, name: string, text: string | Buffer): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
}

async function ingested(workspace: Workspace, ...args: readonly string[]): Promise<Answered & { code: number | null }> {
  const { code, stdout, stderr } = await workspace.run(['ingest', '--json', ...args]);
  if (stdout === '') throw new Error(stderr);
  return { ...(JSON.parse(stdout) as Answered), code };
}

describe.each(commandDatabases)('baton ingest on $name', (database) => {
  it('S4, S9: a project of 200 summaries in one go; a second time changes nothing', async () => {
    const workspace = await makeWorkspace(database, 'project: shop\n');
    const { summaries } = summaryProject(7);
    for (const { name, text } of summaries) put(workspace, `summaries/${name}`, text);
    const first = await ingested(workspace, 'summaries/*.md');
    expect(first).toMatchObject({ code: 0, done: 200, known: 0, refused: 0, invalid: 0 });
    const { store } = await workspace.open();
    const facts = await store.facts({ max: 10_000 });
    const told = facts.filter(({ fact }) => fact.detail.includes('"summary":'));
    expect(told).toHaveLength(200);
    const open = await store.find({ by: 'filter', states: ['draft', 'offered', 'accepted', 'blocked'], max: 10 });
    expect(open.items).toEqual([]);
    const again = await ingested(workspace, 'summaries/**/*.md');
    expect(again).toMatchObject({ code: 0, done: 0, known: 200 });
    expect(await store.facts({ max: 10_000 })).toEqual(facts);
  });

  it('S4, S9: three at once read the same files, and every block is taken once', async () => {
    const workspace = await makeWorkspace(database);
    const { summaries } = summaryProject(3, 110);
    for (const { name, text } of summaries) put(workspace, name, text);
    const runs = await Promise.all([1, 2, 3].map(async () => ingested(workspace, '*.md', '--project', 'shop')));
    expect(runs.map(({ code, refused }) => ({ code, refused }))).toEqual(runs.map(() => ({ code: 0, refused: 0 })));
    // Two that decide the same in the same millisecond both say that they did it; the trail has it once.
    expect(runs.reduce((sum, { done }) => sum + done, 0)).toBeGreaterThanOrEqual(110);
    const facts = (await (await workspace.open()).store.facts({ max: 10_000 })).map(({ fact }) => fact);
    const told = facts.map(summaryIn).filter((summary) => summary !== null);
    expect(told.map(({ from, status }) => `${from} ${status}`)).toEqual(
      summaries.map(({ from, status }) => `${from} ${status}`),
    );
  });

  it('S4: whatever state a leg is in, one word can settle it', async () => {
    const workspace = await makeWorkspace(database);
    put(workspace, '1.md', `${blockOf({ to: '@a', status: 'pending' })}\n${blockOf({ from: '@a' })}`);
    put(
      workspace,
      '2.md',
      `${blockOf({ to: '@b' })}\n${blockOf({ from: '@b', status: 'blocked', waits_for: 'rain' })}`,
    );
    put(workspace, '3.md', `${blockOf({ from: '@b', status: 'failed' })}`);
    put(
      workspace,
      '4.md',
      `${blockOf({ from: '@c', status: 'blocked', waits_for: 'sun' })}\n${blockOf({ from: '@c' })}`,
    );
    expect(await ingested(workspace, '*.md')).toMatchObject({ code: 0, done: 7 });
    const { store } = await workspace.open();
    const { items } = await store.find({ by: 'filter', max: 100 });
    expect(items.map(({ to, state }) => `${to} ${state}`).toSorted()).toEqual([
      'a completed',
      'b failed',
      'c completed',
      'research completed',
    ]);
  });
});

const OLD = '# Handoff: water\n\n**From:** Ivy\n**To:** @basil\n**Status:** STATUS\n**Created:** March 4, 2026\n';

describe.each(commandDatabases)('baton ingest of files in forms of their own on $name', (database) => {
  it('S4, D14: open ones are there to be claimed, settled ones are history; a second time changes nothing', async () => {
    const workspace = await makeWorkspace(database, 'folders:\n  queue: on\n');
    for (const status of ['open', 'done', 'failed', 'rejected', 'expired', 'superseded', 'in review']) {
      put(workspace, `old/handoff-${status}.md`, OLD.replace('STATUS', status));
    }
    put(workspace, 'old/prose.md', 'Nothing is complete.\n');
    expect(await ingested(workspace, 'old/*')).toMatchObject({ code: 0, done: 7, known: 0, nothing: 1, invalid: 0 });
    const { store } = await workspace.open();
    const { items } = await store.find({ by: 'filter', max: 100 });
    expect(items.map(({ state }) => state).toSorted()).toEqual(
      ['cancelled', 'completed', 'draft', 'expired', 'failed', 'offered', 'rejected'].toSorted(),
    );
    expect(readdirSync(join(workspace.folder, 'handoffs/pending'))).toHaveLength(1);
    const facts = await store.facts({ max: 1_000 });
    expect(await ingested(workspace, 'old/*')).toMatchObject({ code: 0, done: 0, known: 7 });
    expect(await store.facts({ max: 1_000 })).toEqual(facts);
    const claimed = await workspace.run(['claim', '@basil', '--json']);
    expect(claimed.stdout).toContain('**Status:** open');
    expect((await workspace.run(['claim', '@basil', '--json'])).stdout).not.toContain('Ivy');
  });
});

describe('baton ingest', () => {
  it('a file in UTF-16 is read like any other', async () => {
    const workspace = await makeWorkspace(sqlite);
    const text = '\uFEFF# Handoff: water\n\nFrom: ivy\nTo: basil\nStatus: open\nDate: 2026-03-04\n';
    put(workspace, 'handoffs/le.md', Buffer.from(text, 'utf16le'));
    put(workspace, 'handoffs/be.md', Buffer.from(text.replace('basil', 'moss'), 'utf16le').swap16());
    expect(await ingested(workspace, 'handoffs/*.md')).toMatchObject({ code: 0, done: 2, nothing: 0 });
  });

  it('S1: says for each block where it stands and what was done', async () => {
    const workspace = await makeWorkspace(sqlite, 'project: shop\n');
    put(workspace, 'one.md', `intro\n\n${blockOf({ to: '@planning' })}`);
    const { code, stdout, stderr } = await workspace.run(['ingest', 'one.md']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^one\.md:5:1 @research completed leg-\S+ → leg-\S+\n$/);
    const shown = await workspace.run(['list', '--json']);
    expect(shown.stdout).toContain('"to":"@planning"');
  });

  it('S4: the same file is the same, however it is named and from wherever', async () => {
    const workspace = await makeWorkspace(sqlite);
    put(workspace, 'deep/one.md', blockOf({}));
    expect((await ingested(workspace, 'deep/one.md', './deep/one.md')).done).toBe(1);
    const inside = await workspace.run(['ingest', '--json', 'one.md'], { cwd: join(workspace.folder, 'deep') });
    expect(JSON.parse(inside.stdout)).toMatchObject({ done: 0, known: 1 });
    const input = Buffer.from(blockOf({}));
    for (const turn of ['1', '2', '2']) await workspace.run(['ingest', '--session', 's', '--turn', turn], { input });
    const piped = await workspace.run(['ingest', '--json', '-', '--session', 's', '--turn', '1'], { input });
    expect(JSON.parse(piped.stdout)).toMatchObject({ known: 1 });
  });

  it('S2: lenient by default; strict answers 5 with line, column and field, and takes the others', async () => {
    const workspace = await makeWorkspace(sqlite);
    put(workspace, 'odd.md', `${blockOf({ phase: 'Development' })}\n${blockOf({ phase: 'QA' })}`);
    const strict = await workspace.run(['ingest', '--strict', 'odd.md']);
    expect(strict.code).toBe(5);
    expect(strict.stderr).toMatch(/odd\.md:5:10: phase: "Development" is not a phase \(allowed: Research, /);
    const lenient = await ingested(workspace, 'odd.md');
    expect(lenient).toMatchObject({ code: 0, done: 1, known: 1 });
  });

  it('S4: a refused block is exit code 4 and tells what to do; the others are taken', async () => {
    const workspace = await makeWorkspace(sqlite);
    await workspace.send('@build');
    await workspace.send('@build');
    put(workspace, 'two.md', `${blockOf({ from: '@build' })}\n${blockOf({ from: '@lead' })}`);
    const { code, stdout } = await workspace.run(['ingest', 'two.md']);
    expect(code).toBe(4);
    expect(stdout).toMatch(
      /@build refused: @build has several open legs \(hoff-\S+, hoff-\S+\); name one as handoff_id/,
    );
    expect(stdout).toContain('@lead completed');
  });

  it('where the workspace is strict, a token speaks for its own agent only', async () => {
    const workspace = await makeWorkspace(sqlite, 'identity: local\n');
    const minted = await workspace.run(['token', 'new', '--for', '@research', '--json', '--as', 'operator']);
    const { token } = JSON.parse(minted.stdout) as { token: string };
    writeFileSync(join(workspace.folder, 'baton.yaml'), 'identity: strict\n');
    expect(await workspace.run(['apply'])).toMatchObject({ code: 0 });
    put(workspace, 'own.md', blockOf({}));
    put(workspace, 'other.md', blockOf({ from: '@qa' }));
    expect((await workspace.run(['ingest', 'own.md'])).code).toBe(4);
    const env = { BATON_TOKEN: token };
    const other = await workspace.run(['ingest', 'other.md'], { env });
    expect(other).toMatchObject({ code: 4 });
    expect(other.stdout).toContain('@research cannot speak for @qa');
    expect((await workspace.run(['ingest', 'own.md'], { env })).code).toBe(0);
  });

  it('legs appear in the queue folder and leave it as they are settled', async () => {
    const workspace = await makeWorkspace(sqlite, 'folders:\n  queue: on\n');
    put(workspace, 'one.md', blockOf({ to: '@planning' }));
    put(workspace, 'two.md', blockOf({ from: '@planning' }));
    const { files } = await ingested(workspace, 'one.md');
    const done = present(files[0]?.blocks[0], 'one block')['ingested'] as { readonly opened: string };
    const name = `${done.opened}.json`;
    expect(readdirSync(join(workspace.folder, 'handoffs/pending'))).toEqual([name]);
    await ingested(workspace, 'two.md');
    expect(readdirSync(join(workspace.folder, 'handoffs/pending'))).toEqual([]);
    expect(readdirSync(join(workspace.folder, 'handoffs/completed'))).toContain(name);
  });

  it('S9: the trail of summaries goes from one database to another, and is known there', async () => {
    const [workspace, other] = [await makeWorkspace(sqlite), await makeWorkspace(sqlite)];
    const text = `${blockOf({ to: '@planning' })}\n${blockOf({ from: '@planning', to: '@build' })}`;
    for (const each of [workspace, other]) put(each, 'one.md', text);
    await ingested(workspace, 'one.md');
    expect((await workspace.run(['export', 'all.jsonl'])).code).toBe(0);
    expect((await other.run(['import', join(workspace.folder, 'all.jsonl'), '--as', 'operator'])).code).toBe(0);
    const before = await (await other.open()).store.facts({ max: 1_000 });
    expect(await ingested(other, 'one.md')).toMatchObject({ known: 2 });
    expect(await (await other.open()).store.facts({ max: 1_000 })).toEqual(before);
  });

  it('folders, missing files and empty patterns are told before anything is read', async () => {
    const workspace = await makeWorkspace(sqlite);
    put(workspace, 'all/one.md', blockOf({}));
    const folder = await workspace.run(['ingest', 'all/one.md', 'all']);
    expect(folder).toMatchObject({ code: 5, stdout: '' });
    expect(folder.stderr).toContain("all is a folder; name its files, for example 'all/**/*.md'");
    expect((await workspace.run(['ingest', 'none.md'])).code).toBe(5);
    expect((await workspace.run(['ingest', 'none/*.md'])).stderr).toContain('no file matches');
    expect((await ingested(workspace, 'all/o?e.[a-m]d')).done).toBe(1);
    expect((await ingested(workspace, '**/*.md')).known).toBe(1);
  });

  it('whatever stands in a file, there is an answer', async () => {
    const workspace = await makeWorkspace(sqlite);
    put(workspace, 'a.md', '```yaml\nhandoff: [&a [*a,*a]]\n```\n');
    put(workspace, 'b.md', `\u0000\u001b[2J${blockOf({ context: { text: '\u0000', ['__proto__x']: 1 } })}`);
    put(workspace, 'c.md', '`'.repeat(100_000));
    put(workspace, 'd.md', '');
    const { code, stdout, stderr } = await workspace.run(['ingest', 'a.md', 'b.md', 'c.md', 'd.md']);
    expect([0, 4, 5]).toContain(code);
    expect(stdout + stderr).not.toContain('\u001b[2J');
    expect(stderr).not.toContain('BATON_DEBUG');
  });
});
