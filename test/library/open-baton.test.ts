import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import {
  agent,
  BatonRefusal,
  BatonTimeout,
  HandlerFailure,
  HandoffNotCompleted,
  openBaton,
  type Baton,
  type FeedItem,
} from '../../src/index.ts';
import { databases, makeWorkspace } from '../cli/workspaces.ts';
import { tempFolder } from '../support/processes.ts';

describe.each(databases)('the library on $name', (database) => {
  const open = async (configuration = ''): Promise<{ baton: Baton; folder: string }> => {
    const { folder, address } = await makeWorkspace(database, configuration);
    const baton = await openBaton({
      workspace: folder,
      ...(address.kind === 'postgres' ? { database: address.url } : {}),
    });
    onTestFinished(() => baton.close());
    return { baton, folder };
  };

  it('Q13: sends, works with several hands, tells progress, waits', async () => {
    const { baton } = await open();
    let most = 0;
    let running = 0;
    const worker = baton.work(
      '@react',
      async (handoff, { progress }) => {
        running += 1;
        most = Math.max(most, running);
        progress(0.5, 'half');
        const told = async (): Promise<boolean> =>
          (await baton.facts(handoff.id)).some(({ deed }) => deed === 'progress');
        await expect.poll(told).toBe(true);
        running -= 1;
        return { saw: handoff.input };
      },
      { concurrency: 4 },
    );
    const sent = await baton.sendMany(
      [1, 2, 3, 4, 5, 6].map((n) => ({ from: '@me', to: '@react', input: { n }, title: `number ${n}` })),
    );
    const done = await Promise.all(sent.map(({ id }) => baton.wait(id, { timeoutMs: 90_000 })));
    expect(done.map(({ result }) => result)).toEqual([1, 2, 3, 4, 5, 6].map((n) => ({ saw: { n } })));
    expect(most).toBeGreaterThan(1);
    await worker.stop();
    expect(await worker.done).toMatchObject({ attempts: 6, refused: 0 });
    const facts = await baton.facts(sent[0]?.id ?? '');
    expect(facts.find(({ deed }) => deed === 'progress')?.detail).toEqual({ fraction: 0.5, says: 'half' });
    expect((await baton.find({ text: 'number 3' })).items.map(({ title }) => title)).toEqual(['number 3']);
  });

  it('throws what was refused with its code, and changes nothing', async () => {
    const { baton } = await open('agents:\n  react: { limits: { incoming: 1 } }\n');
    const refusal = async (asking: Promise<unknown>): Promise<string> => {
      const error = await asking.then(() => null).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BatonRefusal);
      return (error as BatonRefusal).code;
    };
    const { id } = await baton.send({ from: 'me', to: 'react', input: null });
    expect(await refusal(baton.send({ from: 'me', to: 'react', input: null }))).toBe('limit-reached');
    expect(await refusal(baton.send({ from: 'me', to: '../x', input: null }))).toBe('bad-request');
    expect(await refusal(baton.send({ from: 'me', to: 'x', input: 1n as never }))).toBe('not-json');
    expect(await refusal(baton.accept(id))).toBe('not-entitled');
    expect(await refusal(baton.cancel('hoff-nobody', { as: 'operator' }))).toBe('no-such-handoff');
    expect(await refusal(baton.verify(id, { as: 'me' }))).toBe('move-not-allowed');
    await expect(baton.wait(id, { timeoutMs: 1 })).rejects.toBeInstanceOf(BatonTimeout);
    expect(await baton.load('hoff-nobody')).toBe(null);
    expect(await baton.load(id)).toMatchObject({ state: 'offered', revision: 1 });
  });

  it('Q6, Q11: a handler that fails for good is told to whoever waits, and can be tried again', async () => {
    const { baton } = await open();
    const worker = baton.work('react', ({ input }) => {
      if ((input as { n: number }).n === 1) throw new HandlerFailure('SCHEMA_VALIDATION_FAILED', 'one is not enough');
      return 'fine';
    });
    const { id } = await baton.send({ from: 'me', to: 'react', input: { n: 1 } });
    const error = await baton.wait(id).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HandoffNotCompleted);
    expect(error).toMatchObject({
      code: 'SCHEMA_VALIDATION_FAILED',
      message: expect.stringContaining('one is not enough') as string,
    });
    const again = await baton.retry(id, { input: { n: 2 }, as: 'me' });
    expect(await baton.wait(again.id)).toMatchObject({ result: 'fine', retryOf: id, root: id });
    expect((await baton.trace(id)).map((leg) => leg.id)).toEqual([id, again.id]);
    await worker.stop();
  });

  it('gives back what runs when it is stopped now', async () => {
    const { baton } = await open();
    const { id } = await baton.send({ from: 'me', to: 'react', input: null });
    let begun = (): void => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const worker = baton.work('react', async (_handoff, { signal }) => {
      begun();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return null;
    });
    await started;
    await worker.stop({ now: true });
    expect(await baton.load(id)).toMatchObject({ state: 'offered', attempt: 1 });
  });

  it('I17: a feed misses and doubles nothing, and goes on where it was left', async () => {
    const { baton } = await open();
    const over = new AbortController();
    const heard: FeedItem[] = [];
    const listening = (async () => {
      for await (const item of baton.feed({ after: '', signal: over.signal })) {
        heard.push(item);
        if (heard.length === 4) over.abort();
      }
    })();
    const first = await baton.send({ from: 'me', to: 'react', input: 1 });
    const second = await baton.send({ from: 'me', to: 'react', input: 2 });
    await baton.cancel(first.id, { as: 'me' });
    await baton.cancel(second.id, { as: 'me' });
    await listening;
    expect(heard.map(({ fact }) => `${fact.handoff} ${fact.deed}`)).toEqual([
      `${first.id} create`,
      `${second.id} create`,
      `${first.id} cancel`,
      `${second.id} cancel`,
    ]);
    const rest: string[] = [];
    for await (const { fact } of baton.feed({ after: heard[1]?.cursor ?? '' })) {
      rest.push(fact.deed);
      if (rest.length === 2) break;
    }
    expect(rest).toEqual(['cancel', 'cancel']);
  });

  it('Q7, Q8: input and result follow the schemas of their agent', async () => {
    const { baton, folder } = await open('agents:\n  react: { schemas: { input: props, output: files } }\n');
    mkdirSync(join(folder, 'schemas'));
    const props = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
    writeFileSync(join(folder, 'schemas', 'props.json'), JSON.stringify(props));
    writeFileSync(join(folder, 'schemas', 'files.json'), JSON.stringify({ type: 'array' }));
    const refused = await baton
      .send({ from: 'me', to: 'react', input: { name: 7 } })
      .catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'schema-violated', message: expect.stringContaining('name') as string });
    const unknown = baton.send({ from: 'me', to: 'react', input: {}, schema: 'nothing' });
    await expect(unknown).rejects.toMatchObject({ code: 'schema-unknown' });
    const { id } = await baton.send({ from: 'me', to: 'react', input: { name: 'x' }, retry: { max: 0 } });
    const worker = baton.work('react', () => ({ not: 'an array' }));
    await expect(baton.wait(id)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await worker.stop();
  });

  it('Q7, Q8: the schemas of a typed agent hold for everybody who uses the database', async () => {
    const { folder, address } = await makeWorkspace(database);
    const place = address.kind === 'postgres' ? address.url : address.path;
    const alone = await openBaton({ workspace: tempFolder(), database: place });
    const shop = agent('@shop', {
      input: z.object({ order: z.number(), mail: z.email() }),
      output: z.object({ shipped: z.boolean() }),
    });
    const good = { order: 1, mail: 'a@b.example' };
    const worker = alone.work(shop, () => ({ shipped: true }));
    const sent = await alone.send(shop, { from: '@me', input: good });
    expect(await sent.result({ timeoutMs: 60_000 })).toEqual({ shipped: true });
    await worker.stop();
    await alone.close();

    // Another program, opened later, that knows nothing of the schemas.
    const baton = await openBaton({ workspace: folder, database: place });
    onTestFinished(() => baton.close());
    await expect(baton.send({ from: '@me', to: '@shop', input: { order: 'one', mail: '' } })).rejects.toMatchObject({
      code: 'schema-violated',
      message: expect.stringMatching(/@shop\.input[^]*input\.order[^]*input\.mail/) as string,
    });
    const { id } = await baton.send({ from: '@me', to: '@shop', input: good });
    const { fence } = await baton.accept(id, { as: '@shop' });
    const wrong = baton.deliver(id, { as: '@shop', fence, result: { shipped: 'yes' } });
    await expect(wrong).rejects.toMatchObject({ code: 'schema-violated' });
    expect(await baton.deliver(id, { as: '@shop', fence, result: { shipped: false } })).toMatchObject({
      state: 'completed',
    });
  });

  it('D7, D8: a worker shows evidence, and somebody else agrees', async () => {
    const { baton, folder } = await open();
    writeFileSync(join(folder, 'page.html'), '<p>');
    const { id } = await baton.send({
      from: 'me',
      to: 'react',
      input: null,
      deliverables: ['page'],
      criteria: ['looks good'],
      verifiers: ['qa'],
    });
    const worker = baton.work('react', (_handoff, { evidence }) => {
      evidence('page', 'file', 'page.html');
      return 'done';
    });
    await expect.poll(async () => (await baton.load(id))?.state).toBe('delivered');
    await worker.stop();
    await expect(baton.verify(id, { as: 'qa' })).rejects.toMatchObject({ code: 'criteria-open' });
    await expect(baton.verify(id, { as: 'react' })).rejects.toMatchObject({ code: 'own-work' });
    expect(await baton.inbox('qa', { clear: true })).toMatchObject([{ event: 'verification-wanted', handoff: id }]);
    expect(await baton.verify(id, { as: 'qa', criteria: ['looks good'] })).toMatchObject({ state: 'completed' });
  });
});

it('without a workspace there is a clear answer', async () => {
  await expect(openBaton({ workspace: tempFolder() })).rejects.toMatchObject({ code: 'no-workspace' });
});

it('an address of something else is refused, and does not become a file', async () => {
  const refused = openBaton({ workspace: tempFolder(), database: 'mysql://root:secret@db/x' });
  await expect(refused).rejects.toMatchObject({
    code: 'bad-request',
    message: 'database takes postgres://… or the path of a SQLite file, or :memory:',
  });
});
