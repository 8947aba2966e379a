import { describe, expect, it } from 'vitest';
import { compareNatural } from '../../src/domain/natural-order.ts';
import { orderTasks } from '../../src/domain/task-order.ts';

function needs(map: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(map).map(([task, others]) => [task, new Set(others)]));
}

describe('the order of tasks', () => {
  it('S6: names count as people count', () => {
    const names = ['task-10', 'task-2', 'task-15.10', 'task-15.3', 'task-15', 'task-007', 'task-7', 'BPRD-2', 'a'];
    expect(names.toSorted(compareNatural)).toEqual([
      'BPRD-2',
      'a',
      'task-2',
      'task-007',
      'task-7',
      'task-10',
      'task-15',
      'task-15.3',
      'task-15.10',
    ]);
    expect(compareNatural(`t${'9'.repeat(400)}`, `t1${'0'.repeat(400)}`)).toBeLessThan(0);
  });

  it('S6: each comes after those it depends on, otherwise by name', () => {
    const { order, cycles: circles } = orderTasks(
      needs({ 'task-2': ['task-10'], 'task-1': [], 'task-3': ['task-2', 'task-1'] }),
    );
    expect(order).toEqual(['task-1', 'task-10', 'task-2', 'task-3']);
    expect(circles).toEqual([]);
  });

  it('S6: circles are named and hold up nothing else', () => {
    const ring = needs({ c: ['a'], a: ['b'], b: ['c', 'z'], x: ['a'], y: ['y'], p: ['q'], q: ['p'] });
    const { order, cycles: circles } = orderTasks(ring);
    expect(circles).toEqual([
      ['a', 'b', 'c'],
      ['p', 'q'],
    ]);
    expect(order.toSorted()).toEqual(['a', 'b', 'c', 'p', 'q', 'x', 'y', 'z']);
    expect(order.indexOf('a')).toBeLessThan(order.indexOf('x'));
    expect(order.indexOf('z')).toBeLessThan(order.indexOf('b'));
  });

  it('S6: a chain of 20,000 tasks is no reason to fail', () => {
    const chain = Array.from({ length: 20_000 }, (_, n) => [`task-${n}`, [`task-${n + 1}`]] as const);
    const { order, cycles: circles } = orderTasks(needs(Object.fromEntries(chain)));
    expect(order[0]).toBe('task-20000');
    expect(order.at(-1)).toBe('task-0');
    expect(circles).toEqual([]);
  });
});
