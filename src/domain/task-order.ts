/** Orders tasks: each after its dependencies, otherwise by name. Finds dependency cycles. */
import { compareNatural } from './natural-order.ts';

/**
 * `needs`: the dependencies of each task. Tasks that appear only as dependencies are ordered too. Each cycle begins with its
 * first task by name.
 */
export function orderTasks(needs: ReadonlyMap<string, ReadonlySet<string>>) {
  const names = [...new Set([...needs].flatMap(([task, others]) => [task, ...others]))].toSorted(compareNatural);
  const cycles = cyclesIn(names, needs);
  const order: string[] = [];
  const placed = new Set<string>();
  const cycleOf = new Map(cycles.flatMap((cycle) => cycle.map((task) => [task, cycle] as const)));
  // Iterative instead of recursive: a chain of tasks may be long.
  for (const name of names) {
    const path = [{ task: name, rest: [...(needs.get(name) ?? [])].toSorted(compareNatural) }];
    const onPath = new Set([name]);
    while (path.length > 0) {
      const here = path.at(-1) as (typeof path)[number];
      const next = placed.has(here.task) ? undefined : here.rest.shift();
      if (next === undefined) {
        path.pop();
        onPath.delete(here.task);
        if (!placed.has(here.task)) order.push(here.task);
        placed.add(here.task);
      } else if (!placed.has(next) && !onPath.has(next) && !isSameCycle(cycleOf, here.task, next)) {
        path.push({ task: next, rest: [...(needs.get(next) ?? [])].toSorted(compareNatural) });
        onPath.add(next);
      }
    }
  }
  return { order, cycles };
}

/** Inside a cycle the names decide the order. */
function isSameCycle(cycleOf: ReadonlyMap<string, readonly string[]>, one: string, other: string): boolean {
  const cycle = cycleOf.get(one);
  return cycle !== undefined && cycle === cycleOf.get(other);
}

/** Tarjan's strongly connected components, without recursion. */
function cyclesIn(
  names: readonly string[],
  needs: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly string[])[] {
  const number = new Map<string, number>();
  const lowest = new Map<string, number>();
  const waiting: string[] = [];
  const isWaiting = new Set<string>();
  const cycles: string[][] = [];
  for (const name of names) {
    const path: { readonly task: string; readonly rest: string[] }[] = [];
    const enter = (task: string): void => {
      number.set(task, number.size);
      lowest.set(task, number.size - 1);
      waiting.push(task);
      isWaiting.add(task);
      path.push({ task, rest: [...(needs.get(task) ?? [])] });
    };
    const lower = (task: string, to: number): void => {
      lowest.set(task, Math.min(lowest.get(task) ?? to, to));
    };
    if (!number.has(name)) enter(name);
    while (path.length > 0) {
      const { task, rest } = path.at(-1) as (typeof path)[number];
      const next = rest.pop();
      if (next !== undefined) {
        if (!number.has(next)) enter(next);
        else if (isWaiting.has(next)) lower(task, number.get(next) ?? 0);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above !== undefined) lower(above.task, lowest.get(task) ?? 0);
      if (lowest.get(task) !== number.get(task)) continue;
      const group = waiting.splice(waiting.lastIndexOf(task));
      for (const member of group) isWaiting.delete(member);
      if (group.length > 1) cycles.push(group.toSorted(compareNatural));
    }
  }
  return cycles.toSorted((one, other) => compareNatural(one[0] ?? '', other[0] ?? ''));
}
