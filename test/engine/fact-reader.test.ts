/** Feeds with filters: all that passes comes, in order and once, and those that wait cost nothing. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestBaton, type TestBaton } from '../../src/testing.ts';
import type { FeedOptions } from '../../src/index.ts';
import { openInMemory, timerHeartbeat } from '../../src/app/open-in-memory.ts';
import { openTestClock } from '../../src/app/test-clock.ts';
import type { AgentId } from '../../src/domain/names.ts';
import { OPERATOR } from '../../src/domain/principal.ts';
import { followFacts } from '../../src/engine/feed.ts';
import { laterCursor, POLL_MS } from '../../src/stores/store.ts';

async function open(): Promise<TestBaton> {
  const opened = await openTestBaton();
  onTestFinished(() => opened.baton.close());
  return opened;
}

function follow({ baton }: TestBaton, options: FeedOptions): { readonly heard: string[] } {
  const stop = new AbortController();
  const heard: string[] = [];
  const run = async (): Promise<void> => {
    for await (const { fact } of baton.feed({ after: '', ...options, signal: stop.signal })) {
      heard.push(`${fact.handoff} ${fact.deed}`);
    }
  };
  const ended = run();
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  return { heard };
}

describe('I17: a feed with a filter', () => {
  it('tells all that passes, whether it was there before or comes later, in order and once', async () => {
    const opened = await open();
    const { baton, clock } = opened;
    const first = await baton.send({ from: '@me', to: '@you' });
    const other = await baton.send({ from: '@else', to: '@third' });
    const [everything, ofOne, ofAgent, ended, both] = [
      follow(opened, {}),
      follow(opened, { handoff: first.id }),
      follow(opened, { agent: '@third' }),
      follow(opened, { states: ['cancelled'] }),
      follow(opened, { agent: 'me', states: ['offered'] }),
    ];
    await clock.advance(1_000);
    await first.cancel();
    const late = await baton.send({ from: '@third', to: '@me' });
    await clock.advance(1_000);
    await late.cancel();
    await clock.advance(1_000);
    expect(everything.heard).toEqual([
      `${first.id} create`,
      `${other.id} create`,
      `${first.id} cancel`,
      `${late.id} create`,
      `${late.id} cancel`,
    ]);
    expect(ofOne.heard).toEqual([`${first.id} create`, `${first.id} cancel`]);
    expect(ofAgent.heard).toEqual([`${other.id} create`, `${late.id} create`, `${late.id} cancel`]);
    expect(ended.heard).toEqual([`${first.id} cancel`, `${late.id} cancel`]);
    expect(both.heard).toEqual([`${first.id} create`, `${late.id} create`]);
  });

  it('is refused with what is no handoff, no agent and no state', async () => {
    const { baton } = await open();
    for (const wrong of [{ handoff: '../x' }, { agent: 'two words' }, { states: ['gone' as never] }]) {
      const first = baton.feed(wrong)[Symbol.asyncIterator]().next();
      await expect(first).rejects.toMatchObject({ code: 'bad-request' });
    }
  });
});

it('two hundred feeds that wait share one reader, and it stops with the last of them', async () => {
  const { clock, time } = openTestClock(new Date(0));
  const { ctx, close } = await openInMemory({ time, heartbeatOf: timerHeartbeat(time) });
  onTestFinished(close);
  let looks = 0;
  const facts: typeof ctx.store.facts = async (query) => {
    looks += 1;
    return ctx.store.facts(query);
  };
  const counted = { ...ctx, store: { ...ctx.store, facts } };
  const stop = new AbortController();
  const heard = Array.from({ length: 200 }, async () => {
    for await (const read of followFacts(counted, OPERATOR, { agent: 'nobody' as AgentId, signal: stop.signal }))
      return read;
    return null;
  });
  await clock.advance(1_000);
  const before = looks;
  await clock.advance(10_000);
  // One look for each poll, whoever follows.
  expect(looks - before).toBeGreaterThan(0);
  expect(looks - before).toBeLessThanOrEqual(10_000 / POLL_MS);
  stop.abort();
  expect(await Promise.all(heard)).toEqual(heard.map(() => null));
  await clock.advance(1_000);
  const ended = looks;
  await clock.advance(10_000);
  expect(looks).toBe(ended);
});

it.each([
  ['', '5', '5'],
  ['5', null, '5'],
  ['9', '10', '10'],
  ['10', '9', '10'],
  ['7:9', '7:10', '7:10'],
  ['8:1', '7:10', '8:1'],
  ['7:10', '7:10', '7:10'],
])('the later of the cursors %j and %j is %j', (one, other, later) => {
  expect(laterCursor(one, other)).toBe(later);
});
