/** Lies by the command line and over HTTP, and what a stranger sees who looks at one place only. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { activate } from '../../src/engine/handoffs/activate.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { verify } from '../../src/engine/handoffs/verify.ts';
import { openWorkspace } from '../../src/app/open-workspace.ts';
import { shortIdOf } from '../../src/domain/names.ts';
import { handoffView } from '../../src/interfaces/shared/views.ts';
import { type Ended, quickBaton, tempFolder } from '../support/processes.ts';
import { local, LOCAL, named, proven, truthWorld, type Attempt, type TruthWorld } from './world.ts';

interface Called {
  readonly world: TruthWorld;
  readonly id: HandoffId;
  readonly run: (args: readonly string[], env?: Record<string, string>) => Promise<Ended>;
}

async function called(): Promise<Called> {
  const world = await truthWorld();
  world.write('page.html', 'done');
  const handoff = await world.ask();
  await world.deliver(handoff, [{ kind: 'file', value: 'page.html' }]);
  const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
    quickBaton([...args, '--workspace', world.folder], { env });
  return { world, id: handoff.id, run };
}

function tried(
  lie: string,
  answer: string,
  args: (id: string) => readonly string[],
  env?: Record<string, string>,
): Attempt {
  const attempt = async (): Promise<string> => {
    const { id, run } = await called();
    const { code, stdout, stderr } = await run([...args(id), '--json'], env);
    const said = JSON.parse(code === 0 ? stdout : stderr) as {
      readonly error?: { readonly code?: string };
      readonly state?: string;
      readonly assurance?: string;
    };
    return `${code} ${said.error?.code ?? [said.state, said.assurance].filter(Boolean).join(' ')}`.trim();
  };
  return { lie, through: 'command line', answer, attempt };
}

const WORKER = { BATON_AGENT: 'dev' };

const ATTEMPTS: readonly Attempt[] = [
  tried('the operator by saying nothing verifies', '4 say-who', (id) => ['verify', id]),
  tried('the operator by saying nothing refuses', '4 say-who', (id) => ['verify', id, '--refuse', 'no']),
  tried('the operator by saying nothing cancels', '4 say-who', (id) => ['cancel', id]),
  tried('the operator by saying nothing imports', '4 say-who', () => ['import', '/dev/null']),
  tried('the operator by saying nothing makes a token', '4 say-who', () => ['token', 'new', '--for', '@qa']),
  tried('the operator by saying nothing makes a token where none is left', '4 say-who', () => ['token', 'recover']),
  tried('the operator by saying nothing registers a key', '4 say-who', () => [
    'key',
    'add',
    '@qa',
    'ssh-ed25519',
    'AAAA',
  ]),
  tried('the operator, said aloud and without a token', '0 completed attested', (id) => [
    'verify',
    id,
    '--as',
    'operator',
  ]),
  tried('the verifier, only named', '0 completed attested', (id) => ['verify', id, '--as', '@qa']),
  tried('inside a worker, as the operator', '4 not-yours', (id) => ['verify', id, '--as', 'operator'], WORKER),
  tried('inside a worker, as the verifier', '4 not-yours', (id) => ['verify', id, '--as', '@qa'], WORKER),
  tried('inside a worker, by saying nothing', '4 own-work', (id) => ['verify', id], WORKER),
  tried('inside a worker, makes a token', '4 not-yours', () => ['token', 'new', '--for', '@qa'], WORKER),
  tried('inside a worker, makes an operator token', '4 not-yours', () => ['token', 'recover'], WORKER),
  tried('inside a worker, serves the dashboard', '4 token-needed', () => ['serve', '--port', '0'], WORKER),
  tried('inside a worker, cancels', '4 not-entitled', (id) => ['cancel', id], WORKER),
];

/** Four that are all completed: verified, attested, unverified, reported. */
async function four(): Promise<{ readonly folder: string; readonly ids: Readonly<Record<string, string>> }> {
  const folder = tempFolder();
  const world = await truthWorld(`${LOCAL}verifiers: [qa]\nfolders: { documents: on }\n`, folder);
  world.write('page.html', 'done');
  const document = async (by: Parameters<typeof verify>[1]): Promise<string> => {
    const sent = await send(world.ctx, local('pm'), {
      from: named('pm'),
      to: named('dev'),
      kind: 'document',
      title: 'A page\nverified',
      task: 'T-1',
      input: null,
      terms: { deliverables: ['page'] },
    });
    const { id } = present(sent.ok ? sent.value : null, 'sent');
    await activate(world.ctx, local('pm'), id);
    await accept(world.ctx, local('dev'), id);
    const evidence = [{ deliverable: 'page', kind: 'file', value: 'page.html' } as const];
    await deliver(world.ctx, local('dev'), { target: id, fence: null, result: null, evidence });
    const done = await verify(world.ctx, by, { id, criteria: [] });
    expect(done.ok).toBe(true);
    return id;
  };
  const queue = await world.ask({ verifiers: [], deliverables: [] });
  const taken = await world.take(queue);
  await deliver(world.ctx, local('dev'), { target: queue.id, fence: taken.fence, result: null });
  const verified = await document(proven('qa'));
  const attested = await document(local('qa'));
  const { ingestText } = await import('../../src/engine/handoffs/ingest-text.ts');
  const text = '```yaml\nhandoff:\n  phase: "Testing"\n  from: "@tester"\n  to: "None"\n  status: "complete"\n```\n';
  await ingestText(world.ctx, agentPrincipal(named('tester')), { text, source: { file: 'a.md' }, project: 'shop' });
  const { items } = await world.ctx.store.find({ by: 'filter', to: named('tester'), max: 5 });
  const reported = present(items[0], 'a leg').id;
  await world.ctx.rules.documents?.sync('thorough');
  await world.app.close();
  return { folder, ids: { verified, attested, unverified: queue.id, reported } };
}

describe('commands', () => {
  it.each(ATTEMPTS)('$through: $lie → $answer', async ({ attempt, answer }) => {
    expect(await attempt()).toBe(answer);
  });

  it('a stranger tells from any one place which of four was really verified', async () => {
    const { folder, ids } = await four();
    const lines = (await quickBaton(['list', '--workspace', folder])).stdout.trimEnd().split('\n').slice(1);
    // A title with a line break is one line, and forges none.
    expect(lines).toHaveLength(4);
    for (const [level, id] of Object.entries(ids)) {
      const short = shortIdOf(id);
      expect(lines.find((line) => line.startsWith(`${short} `))).toMatch(new RegExp(`^${short} +completed +${level} `));
    }
    const app = present(await openWorkspace({ workspace: folder }), 'it is there');
    try {
      const board = (await app.ctx.store.find({ by: 'filter', max: 10 })).items.map(handoffView);
      for (const [level, id] of Object.entries(ids)) {
        expect(board.find((each) => each.id === id)).toMatchObject({ assurance: level });
      }
      const text = (id: string): string => {
        const month = new Date().toISOString().slice(0, 7).replace('-', '/');
        return readFileSync(join(folder, '_handoffs/archived', month, `${id}.md`), 'utf8');
      };
      expect(text(ids['verified']!)).toMatch(/^assurance: verified$/m);
      expect(text(ids['verified']!)).toMatch(/status: verified/);
      expect(text(ids['attested']!)).toMatch(/^assurance: attested$/m);
      expect(text(ids['attested']!)).not.toMatch(/status: verified/);
    } finally {
      await app.close();
    }
    const report = await quickBaton(['report', '--ci', '--format', 'junit', '--workspace', folder]);
    expect(report.code).toBe(7);
    const cases = report.stdout.match(/<testcase[\s\S]*?<\/testcase>/g) ?? [];
    expect(cases).toHaveLength(4);
    for (const [level, id] of Object.entries(ids)) {
      const said = level === 'verified' ? /name="assurance" value="verified"/ : new RegExp(`<skipped .*only ${level}`);
      expect(cases.find((each) => each.includes(`${id} `) || each.includes(`${id}"`))).toMatch(said);
    }
  });

  it('audit lists them by level with the reason, and looks again', async () => {
    const { folder, ids } = await four();
    const audit = await quickBaton(['audit', '--json', '--workspace', folder]);
    const { items } = JSON.parse(audit.stdout) as { readonly items: readonly Record<string, unknown>[] };
    for (const [level, id] of Object.entries(ids)) {
      expect(items.find((each) => each['id'] === id)).toMatchObject({ assurance: level });
    }
    expect(items.find((each) => each['id'] === ids['attested'])).toMatchObject({
      by: '@qa',
      proof: 'local',
      because: 'the identity was not proven (local)',
    });
    const again = ['audit', '--recheck', '--as', 'operator', '--workspace', folder];
    expect(await quickBaton(again)).toMatchObject({ code: 0 });
    writeFileSync(join(folder, 'page.html'), 'changed since');
    const looked = await quickBaton(again);
    expect(looked.code).toBe(8);
    expect(looked.stdout).toMatch(/today: page: DOES NOT HOLD: "page.html" has changed/);
  });
});
