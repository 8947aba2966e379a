import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { howToGet, needComponent } from '../support/components.ts';
import {
  baton,
  quickBaton,
  start,
  startBaton,
  tempFolder,
  until,
  type Ended,
  type Running,
} from '../support/processes.ts';
import { ROOT } from '../support/source-files.ts';

const EXAMPLES = 'examples/queue-folder';
const COUNT_WORDS = ['jq', '{words: (.text | split(" ") | length)}'];
const TEXT = '{"text": "three short words"}';

interface Workspace {
  readonly folder: string;
  readonly shell: (...args: readonly string[]) => Running;
  readonly python: (...args: readonly string[]) => Running;
  readonly work: (...command: readonly string[]) => Running;
  readonly baton: (...args: readonly string[]) => Promise<Ended>;
  readonly isPending: (id?: string) => boolean;
}

const missing: string[] = [];
let interpreter = '';

beforeAll(async () => {
  for (const name of ['jq', 'python3'] as const) if ((await needComponent(name)) === null) missing.push(howToGet(name));
  interpreter = (await needComponent('python3')) ?? '';
});

async function workspace(): Promise<Workspace> {
  const folder = tempFolder();
  await quickBaton(['init'], { cwd: folder });
  writeFileSync(join(folder, 'baton.yaml'), 'folders: { queue: on }\n');
  await quickBaton(['sync'], { cwd: folder });
  return {
    folder,
    shell: (...args) => start('sh', [join(ROOT, EXAMPLES, 'handoffs.sh'), ...args], { cwd: folder }),
    python: (...args) => start(interpreter, [join(ROOT, EXAMPLES, 'handoffs.py'), ...args], { cwd: folder }),
    work: (...command) => startBaton(['work', '@counter', '--', ...command], { cwd: folder }),
    baton: async (...args) => quickBaton(args, { cwd: folder }),
    isPending: (id = '') => readdirSync(join(folder, 'handoffs/pending')).some((name) => name.startsWith(id)),
  };
}

async function said(running: Running): Promise<string> {
  const { code, stdout, stderr } = await running.ended;
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trim();
}

describe('the programs of docs/protocols/queue.md', () => {
  it('are linked from the page, and every field of a message stands there', () => {
    const page = readFileSync(join(ROOT, 'docs/protocols/queue.md'), 'utf8');
    for (const file of ['handoffs.py', 'handoffs.sh', 'handoffs.go'])
      expect(page).toContain(`(../../${EXAMPLES}/${file})`);
    const schemas = ['request', 'response', 'failure'].map((name) => `schemas/queue-${name}.schema.json`);
    for (const path of schemas) {
      expect(page).toContain(`(../../${path})`);
      const { properties } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as { properties: object };
      expect([path, Object.keys(properties).filter((name) => !page.includes(`\`${name}\``))]).toEqual([path, []]);
    }
  });

  it.for(['shell', 'python'] as const)('Q16: %s keeps to the protocol', async (language, { skip }) => {
    if (missing.length > 0) return skip(missing.join('; '));
    const program = language === 'shell' ? ['sh', 'handoffs.sh'] : [interpreter, 'handoffs.py'];
    const tried = await baton(['conformance', 'queue', '--json', '--', ...program], { cwd: join(ROOT, EXAMPLES) });
    const { results } = JSON.parse(tried.stdout) as { results: readonly { name: string; verdict: string }[] };
    // A file can be taken away in the instant after it was looked for; whoever only knows files cannot see that.
    const isKnown = ({ name, verdict }: (typeof results)[number]): boolean =>
      name === 'late answer' && verdict === 'warning';
    expect(results.filter((each) => each.verdict !== 'ok' && !isKnown(each))).toEqual([]);
    expect([results.length, tried.code]).toEqual([14, 0]);
  });

  it.for(['shell', 'python'] as const)(
    'Q2, Q5, Q13: %s sends and waits, one of ours works',
    async (language, { skip }) => {
      if (missing.length > 0) return skip(missing.join('; '));
      const { shell, python, work } = await workspace();
      const worker = work('sh', '-c', `jq .input | ${COUNT_WORDS[0]} '${COUNT_WORDS[1]}'`);
      const send = ['@me', '@counter', TEXT];
      const id = await said(language === 'shell' ? shell('send', ...send) : python('send', ...send));
      const answer = await said(language === 'shell' ? shell('wait', id) : python('wait', id));
      expect(JSON.parse(answer)).toEqual({ words: 3 });
      worker.signal('SIGTERM');
      await worker.ended;
    },
  );

  it.for(['shell', 'python'] as const)('Q4, Q16: one of ours sends and waits, %s works', async (language, { skip }) => {
    if (missing.length > 0) return skip(missing.join('; '));
    const { folder, shell, python, isPending } = await workspace();
    const args = ['send', '--from', '@me', '--to', '@counter', '--input', TEXT, '--wait', '--json'];
    const sender = startBaton(args, { cwd: folder });
    await until('it is there', () => isPending());
    await said(language === 'shell' ? shell('work', '@counter', ...COUNT_WORDS) : python('work', '@counter'));
    const { code, stdout } = await sender.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('"words":3');
  });

  it('Q4, Q13: they work for each other, and Baton has seen it', async ({ skip }) => {
    if (missing.length > 0) return skip(missing.join('; '));
    const { shell, python, folder, baton: run } = await workspace();
    const idle = startBaton(['work', '@nobody', '--', 'true'], { cwd: folder });
    const byShell = await said(shell('send', '@me', '@counter', TEXT));
    await until('it is taken in', async () => (await run('show', byShell)).code === 0);
    await said(python('work', 'counter'));
    expect(JSON.parse(await said(shell('wait', byShell)))).toEqual({ words: 3 });
    const byPython = await said(python('send', '@me', '@counter', TEXT));
    await until('it is taken in', async () => (await run('show', byPython)).code === 0);
    await said(shell('work', '@counter', ...COUNT_WORDS));
    expect(JSON.parse(await said(python('wait', byPython)))).toEqual({ words: 3 });
    for (const id of [byShell, byPython]) expect((await run('wait', id)).code).toBe(0);
    idle.signal('SIGTERM');
    await idle.ended;
  });

  it('Q6, Q11: a failure is told to all who wait, with its reason', async ({ skip }) => {
    if (missing.length > 0) return skip(missing.join('; '));
    const { shell, python, folder, baton: run, isPending } = await workspace();
    const idle = startBaton(['work', '@nobody', '--', 'true'], { cwd: folder });
    const id = await said(python('send', '@me', '@counter', '{}'));
    await until('it is taken in', async () => (await run('show', id)).code === 0);
    expect(isPending(id)).toBe(true);
    await shell('work', '@counter', 'false').ended;
    expect(await shell('wait', id).ended).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/^PROCESSING_ERROR/) as string,
    });
    expect((await python('wait', id).ended).stderr).toContain('PROCESSING_ERROR: the command ended with 1');
    expect((await run('wait', id)).code).toBe(8);
    idle.signal('SIGTERM');
    await idle.ended;
  });
});
