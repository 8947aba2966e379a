/** What has nothing to do with each other is done at the same time, and nothing else is. */
import { describe, expect, it } from 'vitest';
import { runConcurrently, type ConcurrentRun } from '../../src/engine/run-concurrently.ts';

interface Item {
  readonly name: string;
  readonly touches: readonly string[] | 'everything';
}

const item = (name: string, ...touches: readonly string[]): Item => ({ name, touches });
const alone = (name: string): Item => ({ name, touches: 'everything' });

/** Lets one end when told to, and writes down what began and ended. */
function stage(more: Partial<ConcurrentRun<Item, string>> = {}) {
  const told: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const going: ConcurrentRun<Item, string> = {
    touches: ({ touches }) => touches,
    shouldContinue: () => true,
    act: async ({ name }) => {
      told.push(`+${name}`);
      await new Promise<void>((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
      });
      told.push(`-${name}`);
      return name.toUpperCase();
    },
    ...more,
  };
  const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    told,
    going,
    settle,
    end: async (name: string, error?: Error): Promise<void> => {
      ends.get(name)?.(error);
      await settle();
    },
  };
}

describe('abreast', () => {
  it('begins what touches different names together, and answers in the order of the items', async () => {
    const { told, going, settle, end } = stage();
    const answers = runConcurrently([item('a', 'x'), item('b', 'y'), item('c', 'z')], going);
    await settle();
    expect(told).toEqual(['+a', '+b', '+c']);
    for (const name of ['c', 'b', 'a']) await end(name);
    expect(await answers).toEqual(['A', 'B', 'C']);
  });

  it('what touches the same name waits for the one before it, also along others', async () => {
    const { told, going, settle, end } = stage();
    const answers = runConcurrently([item('a', 'x'), item('b', 'x', 'y'), item('c', 'y'), item('d', 'w')], going);
    await settle();
    expect(told).toEqual(['+a', '+d']);
    await end('a');
    expect(told).toEqual(['+a', '+d', '-a', '+b']);
    await end('d');
    await end('b');
    expect(told.slice(-2)).toEqual(['-b', '+c']);
    await end('c');
    expect(await answers).toEqual(['A', 'B', 'C', 'D']);
  });

  it('what touches everything is alone, and what comes after waits for it', async () => {
    const { told, going, settle, end } = stage();
    const answers = runConcurrently([item('a', 'x'), alone('b'), item('c', 'y')], going);
    await settle();
    expect(told).toEqual(['+a']);
    await end('a');
    expect(told).toEqual(['+a', '-a', '+b']);
    await end('b');
    expect(told.at(-1)).toBe('+c');
    await end('c');
    expect(await answers).toEqual(['A', 'B', 'C']);
  });

  it('after one that throws none is begun, those under way end, and its error is told', async () => {
    const { told, going, settle, end } = stage();
    const answers = runConcurrently([item('a', 'x'), item('b', 'y'), item('c', 'x'), alone('d')], going);
    const outcome = answers.then(
      () => null,
      (error: unknown) => error,
    );
    await settle();
    await end('a', new Error('the disk'));
    expect(told).toEqual(['+a', '+b']);
    await end('b');
    expect(await outcome).toEqual(new Error('the disk'));
    expect(told).toEqual(['+a', '+b', '-b']);
  });

  it('when it shall not go on, what has begun is answered and nothing else', async () => {
    let left = 2;
    const { going, settle, end } = stage({ shouldContinue: () => (left -= 1) >= 0 });
    const answers = runConcurrently([item('a', 'x'), item('b', 'y'), item('c', 'z')], going);
    await settle();
    await end('b');
    await end('a');
    expect(await answers).toEqual(['A', 'B']);
  });

  it('has a bounded number under way', async () => {
    let [under, most] = [0, 0];
    const { going } = stage({
      act: async ({ name }) => {
        under += 1;
        most = Math.max(most, under);
        await new Promise((resolve) => setImmediate(resolve));
        under -= 1;
        return name;
      },
    });
    const items = Array.from({ length: 1000 }, (_, index) => item(String(index), String(index)));
    expect(await runConcurrently(items, going)).toEqual(items.map(({ name }) => name));
    expect(most).toBe(64);
  });
});
