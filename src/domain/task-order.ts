/** In which order tasks can be done: each after those it depends on, otherwise by name; what runs in a circle is named. */
import { byNature } from './natural-order.ts';

export interface TaskOrder {
  readonly order: readonly string[];
  /** Each begins with its first task by name. */
  readonly circles: readonly (readonly string[])[];
}

/** `needs`: what each task depends on. Tasks that are only depended on are part of the order too. */
export function orderTasks(needs: ReadonlyMap<string, ReadonlySet<string>>): TaskOrder {
  const names = [...new Set([...needs].flatMap(([task, others]) => [task, ...others]))].toSorted(byNature);
  const circles = circlesIn(names, needs);
  const order: string[] = [];
  const placed = new Set<string>();
  const inCircle = new Map(circles.flatMap((circle) => circle.map((task) => [task, circle] as const)));
  // A walk with a list of its own instead of calls in calls: a chain of tasks may be long.
  for (const name of names) {
    const path = [{ task: name, rest: [...(needs.get(name) ?? [])].toSorted(byNature) }];
    const onPath = new Set([name]);
    while (path.length > 0) {
      const here = path.at(-1) as (typeof path)[number];
      const next = placed.has(here.task) ? undefined : here.rest.shift();
      if (next === undefined) {
        path.pop();
        onPath.delete(here.task);
        if (!placed.has(here.task)) order.push(here.task);
        placed.add(here.task);
      } else if (!placed.has(next) && !onPath.has(next) && !isSameCircle(inCircle, here.task, next)) {
        path.push({ task: next, rest: [...(needs.get(next) ?? [])].toSorted(byNature) });
        onPath.add(next);
      }
    }
  }
  return { order, circles };
}

/** Inside of a circle nothing comes first, so names decide. */
function isSameCircle(inCircle: ReadonlyMap<string, readonly string[]>, one: string, other: string): boolean {
  const circle = inCircle.get(one);
  return circle !== undefined && circle === inCircle.get(other);
}

/** Tarjan's groups of tasks that all need each other, without recursion. */
function circlesIn(
  names: readonly string[],
  needs: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly string[])[] {
  const number = new Map<string, number>();
  const lowest = new Map<string, number>();
  const waiting: string[] = [];
  const isWaiting = new Set<string>();
  const circles: string[][] = [];
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
      if (group.length > 1) circles.push(group.toSorted(byNature));
    }
  }
  return circles.toSorted((one, other) => byNature(one[0] ?? '', other[0] ?? ''));
}
