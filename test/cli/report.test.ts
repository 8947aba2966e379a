import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATOR } from '../../src/domain/principal.ts';
import { ingestText } from '../../src/engine/handoffs/ingest-text.ts';
import { blockOf, type Said } from '../engine/summaries/summary-world.ts';
import { readCsv, readXml } from '../reports/formats.ts';
import { commandDatabases } from './command-databases.ts';
import { jsonLines, makeWorkspace, sqlite, type Workspace } from './workspaces.ts';

async function tell({ open }: Workspace, project: string, said: readonly Said[]): Promise<void> {
  const ctx = await open();
  for (const [index, block] of said.entries()) {
    const text = blockOf(block);
    await ingestText(ctx, OPERATOR, { text, source: { file: `${project}-${index}.md` }, project });
  }
}

/** A summary is a report, and for these tests that is enough. */
const ENOUGH = 'report: { assurance: reported }\n';
const DONE = [{ to: '@builder' }, { from: '@builder', phase: 'Implementation', metrics: { tests: '25/25' } }];
const OPEN = [{ to: '@builder' }];
const FAILED = [{ to: '@builder' }, { from: '@builder', phase: 'Implementation', status: 'failed' }];
const BLOCKED = [{ to: '@builder' }, { from: '@builder', status: 'blocked', context: { waits_for: 'the key' } }];

describe('baton report --ci', () => {
  it.each([
    ['all complete', DONE, 0],
    ['unfinished', OPEN, 7],
    ['failed', FAILED, 8],
    ['blocked', BLOCKED, 8],
    ['nothing there', [], 3],
  ])('S8: answers the outcome with its exit code: %s', async (_, said, code) => {
    const workspace = await makeWorkspace(sqlite, ENOUGH);
    await tell(workspace, 'shop', said);
    expect((await workspace.run(['report', '--ci'])).code).toBe(code);
    expect((await workspace.run(['report'])).code).toBe(0);
    expect((await workspace.run(['report', '--ci', '--project', 'another'])).code).toBe(3);
  });

  it('S8: the worst of several projects counts, and each alone by its name', async () => {
    const workspace = await makeWorkspace(sqlite, ENOUGH);
    await tell(workspace, 'good', DONE);
    await tell(workspace, 'bad', FAILED);
    expect((await workspace.run(['report', '--ci'])).code).toBe(8);
    expect((await workspace.run(['report', '--ci', '--project', 'good'])).code).toBe(0);
  });
});

describe.each(commandDatabases)('baton report and workflow on $name', (database) => {
  it('S6, S8, S9: every format, to standard output or whole into a file', async () => {
    const workspace = await makeWorkspace(database);
    await tell(workspace, 'shop', FAILED);
    const { run, folder } = workspace;
    const markdown = await run(['report']);
    expect(markdown).toMatchObject({ code: 0, stderr: '' });
    expect(markdown.stdout).toMatch(/^# Baton: ❌ failed or blocked\n\n## shop\n/);

    const json = await run(['report', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'failed', projects: [{ project: 'shop', told: 2 }] });

    expect((await run(['report', '--format', 'junit', '-o', 'out.xml', '--ci'])).code).toBe(8);
    expect((await run(['report', '--format', 'junit', '-o', 'out.xml', '--ci'])).code).toBe(8);
    expect(readXml(readFileSync(join(folder, 'out.xml'), 'utf8')).attributes).toMatchObject({
      tests: '2',
      failures: '1',
    });
    expect(readdirSync(folder).toSorted()).toEqual(['.baton', 'baton.yaml', 'out.xml']);

    const html = await run(['report', '--format', 'html']);
    expect(html.stdout).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);

    const facts = (await (await workspace.open()).store.facts({ max: 1000 })).length;
    expect(jsonLines((await run(['report', '--format', 'jsonl'])).stdout)).toHaveLength(facts);
    expect(readCsv((await run(['report', '--format', 'csv', '--project', 'shop'])).stdout)).toHaveLength(facts + 1);
    expect(jsonLines((await run(['report', '--format', 'jsonl', '--project', 'x', '--ci'])).stdout)).toEqual([]);

    const drawn = await run(['workflow']);
    expect(drawn.stdout).toContain('shop  failed or blocked\n');
    expect(drawn.stdout).toMatch(/ {2}Implementation {2}░{24} {4}0 % {8}0\/1 /);
    // A file is no terminal: no colours.
    expect(drawn.stdout).not.toContain('\u001b');
    const flow = await run(['workflow', 'shop', '--json']);
    expect(JSON.parse(flow.stdout)).toMatchObject({ projects: [{ project: 'shop', trouble: [{ to: '@builder' }] }] });
  });
});

describe('baton report and workflow', () => {
  it('say what is wrong with a question', async () => {
    const { run } = await makeWorkspace(sqlite);
    expect(await run(['workflow', 'shop'])).toMatchObject({ code: 3, stdout: '' });
    expect(await run(['workflow'])).toMatchObject({ code: 0, stdout: '' });
    expect(await run(['report', '--project', 'shop'])).toMatchObject({ code: 3, stdout: '' });
    expect(await run(['report', '--format', 'pdf'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['report', '-o', 'no/such/folder/x'])).toMatchObject({ code: 5, stdout: '' });
    expect((await run(['report'])).stdout).toBe('# Baton\n\nThere is nothing to report on.\n');
  });

  it('are the operator’s business', async () => {
    const { run } = await makeWorkspace(sqlite);
    expect((await run(['report', '--as', '@react'])).code).toBe(4);
    expect((await run(['workflow', '--as', '@react'])).code).toBe(4);
  });
});
