/** What is said of documents without being asked: what git has brought, what is overdue, what is missing. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HandoffId } from '../../src/domain/names.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { examineOverdue } from '../../src/engine/health-checks.ts';
import { activate } from '../../src/engine/handoffs/activate.ts';
import { claimByHand } from '../../src/engine/handoffs/claim.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import { manualClock } from '../contract/manual-clock.ts';
import { summaryWorld } from '../engine/summaries/summary-world.ts';
import { quickBaton, tempFolder } from '../support/processes.ts';
import { agentOf, as, documentsWorld, gitIn } from './documents-world.ts';
import { commit, pull, push, twoClones } from './two-clones.ts';

describe('D17: what git has brought and nobody has taken in', () => {
  it('is known without taking it in, and no longer once it is', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('offered');
    push(a, 'a new handoff');
    // Our own words are no news to us, committed or not.
    expect(await a.documents.unsynced()).toEqual([]);
    expect(await a.documents.unsynced(id)).toEqual([]);
    b.git('pull', '-q', '--no-rebase');
    expect(await b.documents.unsynced()).toEqual([id]);
    expect(await b.documents.unsynced(id)).toEqual([id]);
    expect(await b.state(id)).toBeNull();
    await b.sync();
    expect([await b.state(id), await b.documents.unsynced(), await b.documents.unsynced(id)]).toEqual([
      'offered',
      [],
      [],
    ]);
    b.edit(id, { status: 'Acknowledged' });
    await b.sync();
    push(b, 'accepted');
    a.git('pull', '-q', '--no-rebase');
    expect(await a.documents.unsynced(id)).toEqual([id]);
    await pull(a);
    commit(a, 'nothing about documents');
    expect([await a.state(id), await a.documents.unsynced()]).toEqual(['accepted', []]);
  });

  it('is said by list and show', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('offered');
    push(a, 'a new handoff');
    b.git('pull', '-q', '--no-rebase');
    const listed = await quickBaton(['list'], { cwd: b.folder });
    expect(listed).toMatchObject({ code: 0 });
    expect(listed.stderr).toContain(
      `1 document is not taken in yet (${id}); take in what git has brought with: baton sync`,
    );
    const shown = await quickBaton(['show', id], { cwd: b.folder });
    expect(shown).toMatchObject({ code: 3 });
    expect(shown.stderr).toContain('its document is here and not taken in yet: baton sync');
    await b.sync();
    expect((await quickBaton(['list'], { cwd: b.folder })).stderr).not.toContain('not taken in');
  });
});

describe('D4: what is overdue', () => {
  it('is reported by a doctor until somebody has marked it', async () => {
    const clock = manualClock();
    const { ctx } = summaryWorld({}, NO_LIMITS, openMemoryStore({ clock, limits: NO_LIMITS }));
    const [from, to] = [agentOf('grok'), agentOf('claude')];
    const request = { from, to, kind: 'document', title: 'A thing', task: 'T-1', input: {} } as const;
    const sent = await send(ctx, as('grok'), request);
    if (!sent.ok) throw new Error(sent.refusal.code);
    expect(await examineOverdue(ctx)).toMatchObject({ verdict: 'ok' });
    clock.advance(2 * 3_600_000);
    expect(await examineOverdue(ctx)).toMatchObject({
      verdict: 'warning',
      says: `${sent.value.id} is draft, and its time was up at 2026-01-01T01:00:00Z`,
    });
  });

  it('is not claimed where nobody sweeps, and does not stand before what came later', async () => {
    const clock = manualClock();
    const { ctx } = summaryWorld({}, NO_LIMITS, openMemoryStore({ clock, limits: NO_LIMITS }));
    const [from, to] = [agentOf('grok'), agentOf('claude')];
    const offer = async (task: string): Promise<HandoffId> => {
      const sent = await send(ctx, as('grok'), { from, to, kind: 'document', title: task, task, input: {} });
      if (!sent.ok) throw new Error(sent.refusal.code);
      expect(await activate(ctx, as('grok'), sent.value.id)).toMatchObject({ ok: true });
      return sent.value.id;
    };
    const late = await offer('T-1');
    clock.advance(5 * 3_600_000);
    const inTime = await offer('T-2');
    expect((await claimByHand(ctx, as('claude'), to))?.handoff.id).toBe(inTime);
    expect((await ctx.store.load(late))?.handoff.state).toBe('expired');
  });
});

describe('D2: a new document', () => {
  it('names the parts that agents have, and links from the root of the repository', async () => {
    const root = tempFolder();
    gitIn(root, 'init', '-q');
    mkdirSync(join(root, 'sub'));
    const world = await documentsWorld(
      join(root, 'sub'),
      'folders: { documents: on }\nagents:\n  grok: { roles: [chief] }\n',
    );
    const text = world.text(await world.create());
    expect(text).toContain('## From: Grok (Chief)\n## To: claude\n');
    expect(text).toContain('- Task: [BPRD-2026-0042](/sub/tasks/BPRD-2026-0042.md)');
  });

  it('D2, D5: says what is missing, refuses a task that no file can have, and calls a limit by its own word', async () => {
    const { folder } = await documentsWorld(
      tempFolder(),
      'folders: { documents: on }\nagents:\n  grok: { limits: { outgoing: 1 } }\n',
    );
    const create = (...more: readonly string[]) =>
      quickBaton(['create', '--document', '--from', '@grok', '--to', '@claude', '--title', 'T', ...more], {
        cwd: folder,
      });
    const astray = await create('--task', '../x');
    expect([astray.code, astray.stderr]).toEqual([2, expect.stringContaining('holds no ".."')]);
    const made = await create('--task', 'T-1', '--purpose', 'why');
    expect(made.code).toBe(0);
    expect(made.stderr).toContain(
      'the document is missing: context (--context), deliverables (--deliverable), verification criteria (--criterion)',
    );
    const full = await create('--task', 'T-2', '--json');
    expect(full.code).toBe(6);
    expect(JSON.parse(full.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: {
        code: 'limit-reached',
        documentCode: 'LIMIT_EXCEEDED',
        message: expect.stringMatching(/^LIMIT_EXCEEDED: @grok has 1 of 1/) as string,
      },
    });
    const waits = await create('--task', 'T-2', '--wait-for-capacity');
    expect(waits.stderr).toContain('it is Created and waits for room under the limit');
  });
});
