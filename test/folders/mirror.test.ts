import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal, OPERATOR } from '../../src/domain/principal.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { block, unblock } from '../../src/engine/handoffs/block.ts';
import { cancel } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { fail } from '../../src/engine/handoffs/fail.ts';
import { release } from '../../src/engine/handoffs/release.ts';
import { checkOnce } from '../../src/engine/stall-detection.ts';
import { sweep } from '../../src/engine/sweep.ts';
import { QUEUE_FOLDERS, type QueueFolder } from '../../src/folders/queue-folder-names.ts';
import { factsOf } from '../cli/workspaces.ts';
import { answer, take, WORKER } from './native.ts';
import { aRequest, footprint, ME, queueWorld, REACT, ROOT_USER, type QueueWorld } from './queue-world.ts';

const AT_ONCE = { retry: { ...DEFAULT_RETRY, delayMs: 0 } };

async function story(world: QueueWorld, id: string): Promise<readonly string[]> {
  return (await factsOf(world.ctx, id as HandoffId)).map((fact) => `${fact.deed} by ${fact.by}`);
}

describe('what ours do, in the folders', () => {
  it('Q1, Q2, I10: a handoff lies where its state belongs, from beginning to end', async () => {
    const world = await queueWorld();
    const id = await world.send({ x: 1 });
    expect(world.places(id)).toEqual(['pending']);
    const taken = await take(world);
    expect(world.places(id)).toEqual(['in-progress']);
    expect(world.read('in-progress', id)).toMatchObject({ status: 'in_progress', baton_fence: 1 });
    await deliver(world.ctx, WORKER, { target: id, fence: taken.fence, result: { made: true } });
    expect(world.places(id)).toEqual(['completed']);
    expect(world.read('completed', id)).toMatchObject({ status: 'completed', input: { data: { x: 1 } } });
  });

  it('Q5, I7: the artifact is there before the file that names it, and says what the database says', async () => {
    const world = await queueWorld();
    const destination = 'artifacts/phase-13-react/artifact-react-comp-{timestamp}.json';
    world.write('pending', 'made', aRequest('made', { expected_output: { artifact_type: 'components', destination } }));
    await world.sync();
    await answer(world, 'made', { artifact: { content: { files: ['a.tsx'] } }, warnings: ['slow'] });
    const { handoff } = await world.whole('made');
    const path = `artifacts/phase-13-react/artifact-react-comp-${handoff.since}.json`;
    expect(world.read('completed', 'made')).toMatchObject({
      output: { artifact_path: path, artifact_type: 'components' },
      warnings: ['slow'],
    });
    const artifact = JSON.parse(readFileSync(join(world.folder, path), 'utf8')) as object;
    expect(artifact).toMatchObject({ handoff_id: 'made', content: { files: ['a.tsx'] } });
  });

  it('Q5, I10: an artifact of which a killed worker left only the beginning is written whole; one of others is kept', async () => {
    const world = await queueWorld();
    for (const beginning of ['', '{\n  "artifact_id": "artifact-ID",\n']) {
      const id = await world.send({});
      const path = `artifacts/phase-00-react/artifact-${id}.json`;
      mkdirSync(dirname(join(world.folder, path)), { recursive: true });
      writeFileSync(join(world.folder, path), beginning.replace('ID', id));
      await answer(world, id, { n: 1 });
      expect(world.read('completed', id)).toMatchObject({ output: { artifact_path: path } });
      expect(JSON.parse(readFileSync(join(world.folder, path), 'utf8'))).toMatchObject({ content: { n: 1 } });
    }
    const id = await world.send({});
    const taken = join(world.folder, `artifacts/phase-00-react/artifact-${id}.json`);
    writeFileSync(taken, '{"artifact_id":"somebody else\'s"}');
    await answer(world, id, { n: 2 });
    expect(readFileSync(taken, 'utf8')).toBe('{"artifact_id":"somebody else\'s"}');
  });

  it('Q11: waits out of sight of naive workers until it may be tried again', async () => {
    const world = await queueWorld();
    const id = await world.send();
    const { fence } = await take(world);
    await fail(world.ctx, WORKER, { target: id, fence, failure: { code: 'PROCESSING_ERROR', message: 'no' } });
    expect(world.places(id)).toEqual(['waiting']);
    expect(world.read('waiting', id)).toMatchObject({ status: 'pending', retry_count: 1 });
  });

  it('Q10, Q11: comes back to pending when its time has come', async () => {
    const world = await queueWorld();
    const id = await world.send({}, AT_ONCE);
    const { fence } = await take(world);
    await fail(world.ctx, WORKER, { target: id, fence, failure: { code: 'TIMEOUT', message: 'late' } });
    expect(world.places(id)).toEqual(['pending']);
    await answer(world, id, 'second');
    expect(world.read('completed', id)).toMatchObject({ status: 'completed' });
  });

  it('Q6: whatever ends badly explains itself in failed/', async () => {
    const world = await queueWorld();
    const [cancelled, failed] = [
      await world.send(),
      await world.send({}, { retry: { ...DEFAULT_RETRY, retriesMax: 0 } }),
    ];
    await cancel(world.ctx, agentPrincipal(ME), cancelled, 'changed my mind');
    expect(world.places(cancelled)).toEqual(['failed']);
    expect(world.read('failed', cancelled)).toMatchObject({ error: { code: 'CANCELLED', message: 'changed my mind' } });
    const { fence } = await take(world);
    await fail(world.ctx, WORKER, { target: failed, fence, failure: { code: 'PROCESSING_ERROR', message: 'boom' } });
    expect(world.read('failed', failed)).toMatchObject({
      error: { code: 'PROCESSING_ERROR', message: 'boom' },
      max_retries: 0,
      recovery_actions: ['Look into: boom', `Then try again: baton retry ${failed}`],
    });
  });

  it('Q9: what depends on another waits out of sight until that is completed', async () => {
    const world = await queueWorld();
    world.write('pending', 'first', aRequest('first'));
    world.write('pending', 'second', aRequest('second', { depends_on: ['first'] }));
    await world.sync();
    expect([world.places('first'), world.places('second')]).toEqual([['pending'], ['waiting']]);
    await answer(world, 'first', 'done');
    await sweep(world.ctx, await checkOnce(world.ctx));
    await world.sync();
    expect(world.places('second')).toEqual(['pending']);
  });

  it('Q1: a question takes it out of the hands and out of sight', async () => {
    const world = await queueWorld();
    const id = await world.send();
    const { fence } = await take(world);
    await block(world.ctx, WORKER, id, fence, 'which one?');
    expect(world.places(id)).toEqual(['waiting']);
    await unblock(world.ctx, OPERATOR, id, 'that one');
    expect(world.places(id)).toEqual(['pending']);
  });
});

describe('what foreign programs do', () => {
  it('F2, I16, Q16: a request is taken in with its exact bytes, and its file is left as it is', async () => {
    const world = await queueWorld();
    const text = `\uFEFF${JSON.stringify(aRequest('theirs', { ours: 1.5, 'x-more': [] }), null, 4).replaceAll('\n', '\r\n')}`;
    world.write('pending', 'theirs', text);
    const before = footprint(world.folder);
    await world.sync();
    expect(footprint(world.folder)).toEqual(before);
    const { handoff, body } = await world.whole('theirs');
    expect(handoff).toMatchObject({ state: 'offered', from: ME, to: REACT });
    expect((JSON.parse(body) as { message: string }).message).toBe(text);
    expect(await story(world, 'theirs')).toEqual([`create by file:${ROOT_USER}`]);
  });

  it('Q2, F9: what ours make of it keeps every field', async () => {
    const world = await queueWorld();
    world.write('pending', 'kept', aRequest('kept', { team: { lead: 'ann' }, priority: 'urgent' }));
    await world.sync();
    expect((await world.whole('kept')).handoff).toMatchObject({
      priority: 'urgent',
      terms: { attemptTimeoutMs: 300_000 },
    });
    await answer(world, 'kept', 1);
    expect(world.read('completed', 'kept')).toMatchObject({
      ...aRequest('kept', { team: { lead: 'ann' }, priority: 'urgent' }),
      status: 'completed',
    });
  });

  it('F5, Q4: a file in in-progress/ is a claim, with its time from when we saw it', async () => {
    const world = await queueWorld();
    const id = await world.send({}, { attemptTimeoutMs: 60_000 });
    world.move(id, 'pending', 'in-progress');
    await world.sync();
    const { handoff } = await world.whole(id);
    expect(handoff.custody).toMatchObject({ by: 'hand', file: ROOT_USER, untilAt: handoff.since + 60_000 });
    const before = footprint(world.folder);
    await world.sync();
    expect(footprint(world.folder)).toEqual(before);
  });

  it('Q16: a result is final as it stands, and its file is not touched', async () => {
    const world = await queueWorld();
    const id = await world.send();
    world.move(id, 'pending', 'in-progress');
    await world.sync();
    world.move(id, 'in-progress', 'completed');
    world.write('completed', id, aRequest(id, { status: 'completed', output: { artifact_id: 'a-1' } }));
    const before = footprint(world.folder);
    await world.sync();
    expect(await world.state(id)).toBe('completed');
    expect(footprint(world.folder)).toEqual(before);
    expect(await story(world, id)).toEqual([
      'create by @me',
      `accept by file:${ROOT_USER}`,
      `deliver by file:${ROOT_USER}`,
      'complete by system',
    ]);
  });

  it('Q16: a worker that is faster than we look is believed', async () => {
    const world = await queueWorld();
    const id = await world.send();
    rmSync(world.path('pending', id));
    world.write('failed', id, aRequest(id, { status: 'failed', error: { code: 'TOO_HARD', message: 'cannot' } }));
    await world.sync();
    expect(await world.state(id)).toBe('failed');
    expect((await world.whole(id)).outcome).toContain('TOO_HARD');
  });

  it('Q11: a failure of theirs is final: nobody asked us to repeat it', async () => {
    const world = await queueWorld();
    const id = await world.send({}, AT_ONCE);
    world.move(id, 'pending', 'in-progress');
    await world.sync();
    world.move(id, 'in-progress', 'failed');
    world.write('failed', id, aRequest(id, { status: 'failed', error: { code: 'PROCESSING_ERROR', message: 'no' } }));
    await world.sync();
    expect(await world.state(id)).toBe('failed');
  });

  it('F3: the folder counts, and the word inside only says whether it is still being rewritten', async () => {
    const world = await queueWorld();
    const id = await world.send();
    world.move(id, 'pending', 'completed');
    for (const [parts, agoMs, state] of [
      [{ status: 'in_progress' }, 59_000, 'offered'],
      [{ status: 'in_progress', output: {} }, 4_000, 'offered'],
      [{ status: 'completed' }, 4_000, 'offered'],
      [{ status: 'completed' }, 6_000, 'completed'],
    ] as const) {
      world.write('completed', id, aRequest(id, parts), agoMs);
      await world.sync();
      expect([parts, agoMs, await world.state(id)]).toEqual([parts, agoMs, state]);
    }
  });

  it('F3, Q16: a file that says nothing of its end is taken after a minute, and what it says is told', async () => {
    const world = await queueWorld();
    const id = await world.send();
    world.move(id, 'pending', 'completed');
    world.write('completed', id, aRequest(id, { status: 'in_progress' }), 61_000);
    await world.sync();
    expect(await world.state(id)).toBe('completed');
    const facts = await factsOf(world.ctx, id);
    expect(facts.find(({ deed }) => deed === 'deliver')?.detail).toContain('its status says in_progress');
    expect(world.events).toContainEqual(expect.objectContaining({ kind: 'file-warning', id, place: 'completed' }));
  });

  it('F6: a result for what one of ours holds is put aside', async () => {
    const world = await queueWorld();
    const id = await world.send();
    const { fence } = await take(world);
    world.write('completed', id, aRequest(id, { status: 'completed', output: {} }));
    await world.sync();
    expect(await world.state(id)).toBe('accepted');
    expect(world.places(id)).toEqual(['in-progress']);
    const reason = readFileSync(join(world.folder, 'handoffs/quarantine', world.quarantined()[1] ?? ''), 'utf8');
    expect(reason).toContain('late_or_unfenced_completion');
    expect((await deliver(world.ctx, WORKER, { target: id, fence, result: 1 })).ok).toBe(true);
  });

  it('Q4, I8: whoever accepted and lost the file to them hands it over, uncounted', async () => {
    const world = await queueWorld();
    const id = await world.send();
    world.move(id, 'pending', 'in-progress');
    const { claimByHand } = await import('../../src/engine/handoffs/claim.ts');
    expect(await claimByHand(world.ctx, WORKER, REACT)).toBeNull();
    const { handoff } = await world.whole(id);
    expect(handoff).toMatchObject({ state: 'accepted', attempt: 2, excused: 1, custody: { file: ROOT_USER } });
    world.write('in-progress', id, { ...world.read('in-progress', id), status: 'completed', output: {} });
    world.move(id, 'in-progress', 'completed');
    await world.sync();
    expect(await world.state(id)).toBe('completed');
  });

  it('Q16: a worker that is never heard of again loses it, and the file comes back', async () => {
    const world = await queueWorld();
    // A lease ends only for those who know that the clock has run undisturbed for as long.
    await checkOnce(world.ctx);
    const id = await world.send({}, { ...AT_ONCE, attemptTimeoutMs: 1 });
    world.move(id, 'pending', 'in-progress');
    // It died in the middle of its rewrite.
    world.write('in-progress', id, '{"handoff_id": "');
    await world.sync();
    expect(await world.state(id)).toBe('accepted');
    await sweep(world.ctx, await checkOnce(world.ctx));
    await world.sync();
    expect(await world.state(id)).toBe('offered');
    expect(world.places(id)).toEqual(['pending']);
    expect(world.read('pending', id)).toMatchObject({ retry_count: 1, status: 'pending' });
  });

  it('Q16: a worker that moves it back has given it back', async () => {
    const world = await queueWorld();
    const id = await world.send();
    world.move(id, 'pending', 'in-progress');
    await world.sync();
    world.move(id, 'in-progress', 'pending');
    await world.sync();
    expect((await world.whole(id)).handoff).toMatchObject({ state: 'offered', attempt: 1, excused: 1 });
  });
});

describe('a pass', () => {
  it('I11: puts exactly one right file for each handoff, and the second one writes nothing', async () => {
    const world = await queueWorld();
    const ids = await Promise.all(Array.from({ length: 6 }, () => world.send({}, AT_ONCE)));
    const taken = await take(world);
    await answer(world, ids[1] ?? '', 'done');
    await cancel(world.ctx, OPERATOR, ids[2] as HandoffId);
    await release(world.ctx, WORKER, taken.id, taken.fence);
    for (let at = 0; at < 40; at += 1) world.write('pending', `f${at}`, aRequest(`f${at}`));
    await world.sync();
    const before = footprint(world.folder);
    await world.sync();
    expect(footprint(world.folder)).toEqual(before);
    for (const id of [...ids, ...Array.from({ length: 40 }, (_, at) => `f${at}`)]) {
      expect(world.places(id)).toHaveLength(1);
    }
  });

  it('I7, I10, I11: repairs whatever a crash between two steps can leave', async () => {
    const texts = ['', '{"handoff_id": "', 'whole'] as const;
    for (const end of ['offered', 'completed', 'failed'] as const) {
      for (const left of [null, ...QUEUE_FOLDERS.slice(0, 3)] as readonly (QueueFolder | null)[]) {
        for (const text of texts) {
          const world = await queueWorld();
          const id = await world.send({}, AT_ONCE);
          if (end === 'completed') await answer(world, id, 1);
          if (end === 'failed') await cancel(world.ctx, OPERATOR, id);
          const ended = end === 'offered' ? 'pending' : end;
          const was = readFileSync(world.path(ended, id), 'utf8');
          rmSync(world.path(ended, id));
          // With the mark of ours, as every file that one of ours has rewritten.
          const whole = was.replace('{', '{ "baton_fence": 1,');
          if (left !== null) world.write(left, id, text === 'whole' ? whole : text);
          // Another process: the one that did it would take a missing file for one that a person has moved away.
          const next = await queueWorld(undefined, world.folder);
          await next.sync();
          await next.sync();
          const isTaken = end === 'offered' && left === 'in-progress' && text !== 'whole';
          expect([end, left, text, world.places(id)]).toEqual([end, left, text, [isTaken ? 'in-progress' : ended]]);
          const now = isTaken ? was : readFileSync(world.path(ended, id), 'utf8');
          expect(JSON.parse(now)).toMatchObject({ status: end === 'offered' ? 'pending' : end, handoff_id: id });
        }
      }
    }
  });

  it('makes files for what was there before the folder was', async () => {
    const world = await queueWorld();
    const id = await world.send();
    await answer(world, id, 1);
    rmSync(join(world.folder, 'handoffs'), { recursive: true });
    rmSync(join(world.folder, '.baton/queue.bookmark'), { force: true });
    await (await queueWorld(undefined, world.folder)).sync();
    expect(world.places(id)).toEqual(['completed']);
  });

  it('never waits for a file that somebody wrote a moment ago', async () => {
    const world = await queueWorld();
    const id = await world.send();
    const now = new Date();
    writeFileSync(world.path('pending', id), '{');
    utimesSync(world.path('pending', id), now, now);
    await world.sync();
    expect(world.places(id)).toEqual(['pending']);
    expect(world.quarantined()).toEqual([]);
  });
});
