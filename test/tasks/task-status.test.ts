import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sendEffects } from '../../src/engine/effects.ts';
import { checkOnce } from '../../src/engine/stall-detection.ts';
import { sweep } from '../../src/engine/sweep.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { activate } from '../../src/engine/handoffs/activate.ts';
import { cancel, reject } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { retry } from '../../src/engine/handoffs/retry.ts';
import { requestRework, verify } from '../../src/engine/handoffs/verify.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { as, documentsWorld, ON, type DocumentsWorld } from '../folders/documents-world.ts';
import { tempFolder, until } from '../support/processes.ts';
import { readTask } from '../../src/formats/task/read.ts';

const TASK = 'BPRD-2026-0042';
const FRONT = `---\n# what we promised\nid: ${TASK}\nstatus: Open   # as of Monday\nowner: grok\n---\n\n## Mine\n`;
const BARE = `# ${TASK}: limits\n\nid: ${TASK}\nstatus: Open\nowner: grok\n\nMy own words.\n`;

async function worldWith(text: string | null, configuration = ON): Promise<DocumentsWorld> {
  const folder = tempFolder();
  mkdirSync(join(folder, 'tasks'));
  if (text !== null) writeFileSync(taskPath(folder), text);
  return documentsWorld(folder, configuration);
}

function taskPath(folder: string): string {
  return join(folder, 'tasks', `${TASK}.md`);
}

function standing({ folder }: DocumentsWorld): string {
  const read = readTask(readFileSync(taskPath(folder), 'utf8'));
  return 'form' in read ? `${read.status} ${read.owner}` : read.says;
}

async function verified({ ctx }: DocumentsWorld, id: HandoffId): Promise<void> {
  const done = await verify(ctx, as('perplexity'), { id, criteria: [{ criterion: 'works', says: 'yes' }] });
  expect(done).toMatchObject({ ok: true });
}

describe.each([
  ['with a front matter', FRONT],
  ['in the bare form', BARE],
])('a task %s', (_form, text) => {
  it('D11: follows its document through its whole life, and only its two fields change', async () => {
    const world = await worldWith(text);
    const id = await world.create();
    expect(standing(world)).toBe('Open grok');
    const { ctx } = world;
    const seen: string[] = [];
    const steps = [() => activate(ctx, as('grok'), id), () => accept(ctx, as('claude'), id)];
    for (const step of steps) {
      expect(await step()).toMatchObject({ ok: true });
      seen.push(standing(world));
    }
    expect(seen).toEqual(['Assigned claude', 'In-Progress claude']);
    const kept = readFileSync(taskPath(world.folder), 'utf8');
    expect(kept.replace('In-Progress', 'Open').replace('owner: claude', 'owner: grok')).toBe(text);
    // Nothing is left for others to carry out.
    expect((await ctx.store.outbox.due(10)).filter(({ kind }) => kind === 'task')).toEqual([]);
  });

  it('D11: is in review when it is delivered, in progress after rework, complete when it is verified', async () => {
    const world = await worldWith(text);
    const id = await world.at('delivered');
    expect(standing(world)).toBe('Review claude');
    await requestRework(world.ctx, as('perplexity'), id, 'no tests');
    expect(standing(world)).toBe('In-Progress claude');
    const other = await worldWith(text);
    await verified(other, await other.at('delivered'));
    expect(standing(other)).toBe('Complete claude');
  });

  it('D10, D11: goes back to its sender when it is rejected, and is blocked for want of a skill', async () => {
    const world = await worldWith(text);
    await reject(world.ctx, as('claude'), await world.at('offered'), { type: 'capacity', reason: 'too much' });
    expect(standing(world)).toBe('Assigned grok');
    const other = await worldWith(text);
    await reject(other.ctx, as('claude'), await other.at('accepted'), { type: 'skill_gap', reason: 'no Rust' });
    expect(standing(other)).toBe('Blocked grok');
  });

  it('D9, D11: goes back to its sender when nobody answers in time', async () => {
    const world = await worldWith(text, `${ON}clocks: { documents: { offered_seconds: 1 } }\n`);
    const id = await world.at('offered');
    expect(standing(world)).toBe('Assigned claude');
    const { ctx } = world;
    await until('it is expired', async () => {
      await sweep(ctx, await checkOnce(ctx));
      return (await world.state(id)) === 'expired';
    });
    // The sweep changes many at once and leaves the files to whoever carries out effects.
    await sendEffects(ctx, ctx.rules.effectSenders);
    await world.sync();
    expect(standing(world)).toBe('Assigned grok');
    expect(world.place(id)).toMatch(/^\d{4}\/\d{2}$/);
    expect(world.fields(id)).toMatchObject({ status: 'Expired' });
    const inbox = await ctx.store.outbox.inbox('grok' as never, 10);
    expect(inbox.map(({ payload }) => JSON.parse(payload) as unknown)).toMatchObject([
      { event: 'expired', handoff: id },
    ]);
  });
});

describe('a task of several documents', () => {
  it('D11: follows the newest open one; what was settled before is silent', async () => {
    const world = await worldWith(FRONT);
    const first = await world.at('offered');
    await reject(world.ctx, as('claude'), first, { type: 'skill_gap', reason: 'no Rust' });
    expect(standing(world)).toBe('Blocked grok');
    const second = await retry(world.ctx, as('grok'), { id: first, to: 'gemini' as never });
    if (!second.ok) throw new Error(second.refusal.code);
    expect(second.value).toMatchObject({ to: 'gemini', lineage: { retryOf: first } });
    expect(standing(world)).toBe('Blocked grok');
    await activate(world.ctx, as('grok'), second.value.id);
    expect(standing(world)).toBe('Assigned gemini');
    await world.ctx.rules.tasks?.keep(TASK);
    expect(standing(world)).toBe('Assigned gemini');
  });

  it('D11: is left as it is by a draft that is taken back', async () => {
    const world = await worldWith(FRONT);
    await cancel(world.ctx, as('grok'), await world.create());
    expect(readFileSync(taskPath(world.folder), 'utf8')).toBe(FRONT);
  });
});

describe('a task that is not as it should be', () => {
  it('D11: is not there: the handoff goes on, and no file is made', async () => {
    const world = await worldWith(null);
    await world.at('accepted');
    expect(readdirSync(join(world.folder, 'tasks'))).toEqual([]);
  });

  it.each([
    ['prose', '# Only words\n'],
    ['a broken front matter', '---\nstatus: [\n---\n'],
  ])('D11: is %s: it stays to the byte, and that is told', async (_what, text) => {
    const world = await worldWith(text);
    expect(await world.state(await world.at('accepted'))).toBe('accepted');
    expect(readFileSync(taskPath(world.folder), 'utf8')).toBe(text);
    expect(world.events).toContainEqual(expect.objectContaining({ kind: 'task-left', task: TASK }));
  });

  it('D11: is a link or has a second name elsewhere: what it leads to is not written', async () => {
    const outside = join(tempFolder(), 'passwd');
    writeFileSync(outside, FRONT);
    const linked = await worldWith(null);
    symlinkSync(outside, taskPath(linked.folder));
    await linked.at('accepted');
    const second = await worldWith(null);
    linkSync(outside, taskPath(second.folder));
    await second.at('accepted');
    expect(readFileSync(outside, 'utf8')).toBe(FRONT);
  });

  it('D11: keeps the rights of its file', async () => {
    const world = await worldWith(FRONT);
    chmodSync(taskPath(world.folder), 0o640);
    await world.at('offered');
    expect(statSync(taskPath(world.folder)).mode & 0o777).toBe(0o640);
  });

  it('D11: is not touched where tasks are off, nor by what is queued', async () => {
    const off = await worldWith(FRONT, `${ON}tasks: { keep: off }\n`);
    await off.at('accepted');
    expect(readFileSync(taskPath(off.folder), 'utf8')).toBe(FRONT);
    const queued = await worldWith(FRONT);
    const sent = await send(queued.ctx, as('grok'), {
      from: 'grok' as never,
      to: 'claude' as never,
      task: TASK,
      input: {},
    });
    if (!sent.ok) throw new Error(sent.refusal.code);
    await accept(queued.ctx, as('claude'), sent.value.id);
    await queued.ctx.rules.tasks?.keep(TASK);
    expect(readFileSync(taskPath(queued.folder), 'utf8')).toBe(FRONT);
  });

  it('D11: waits while git is in the middle of a merge', async () => {
    const world = await worldWith(FRONT);
    mkdirSync(join(world.folder, '.git'));
    writeFileSync(join(world.folder, '.git/MERGE_HEAD'), '');
    const { ctx } = world;
    await world.at('offered');
    expect(readFileSync(taskPath(world.folder), 'utf8')).toBe(FRONT);
    expect(await sendEffects(ctx, ctx.rules.effectSenders)).toMatchObject({ postponed: 1 });
    rmSync(join(world.folder, '.git'), { recursive: true });
    await ctx.rules.tasks?.keep(TASK);
    expect(standing(world)).toBe('Assigned claude');
  });
});
