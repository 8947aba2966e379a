/** A graph of the tasks of a project. Phases are columns, similar tasks are folded, and the longest wait is marked. */
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { shorten } from '../../../src/interfaces/shared/shorten.ts';
import type { WorkflowsAnswer } from '../api.ts';
import { workHref } from '../location.ts';

type TaskView = WorkflowsAnswer['items'][number]['tasks'][number];

const WIDTH = 150;
const HEIGHT = 40;
const GAP_X = 56;
const GAP_Y = 12;
const TOP = 26;
/** This many tasks with the same needs and dependents are one node, until the reader opens it. */
const FOLD_FROM = 4;

interface Node {
  readonly key: string;
  readonly tasks: readonly TaskView[];
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly label: string;
  readonly phases: readonly (string | null)[];
  readonly tasks: readonly TaskView[];
  readonly criticalPath: readonly string[];
}

export function TaskGraph({ label, phases, tasks, criticalPath }: Props): VNode | null {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { nodes, columns, edges, width, height } = useMemo(
    () => drawn(phases, tasks, opened),
    [JSON.stringify([phases, tasks]), opened],
  );
  if (edges.length === 0) return null;
  const isCritical = (node: Node): boolean => node.tasks.some(({ task }) => criticalPath.includes(task));
  return (
    <div class="chain" role="region" aria-label={label} tabIndex={0}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        {columns.map(({ name, x }) => (
          <text key={name} x={x} y="14" class="column-name">
            {name}
          </text>
        ))}
        {edges.map(([from, to]) => (
          <path
            key={`${from.key} ${to.key}`}
            d={curve(from, to)}
            class={isCritical(from) && isCritical(to) ? 'edge critical' : 'edge'}
          />
        ))}
        {nodes.map((node) => {
          const [first] = node.tasks;
          const isFolded = node.tasks.length > 1;
          const done = node.tasks.filter(({ state }) => state === 'complete').length;
          const says = isFolded ? `${node.tasks.length} tasks` : (first?.task ?? '');
          const below = isFolded ? `${done} complete; open them` : (first?.state ?? '');
          return (
            <a
              key={node.key}
              href={isFolded ? '#' : workHref(`task:${first?.task ?? ''}`)}
              onClick={(event) => {
                if (!isFolded) return;
                event.preventDefault();
                setOpened(new Set([...opened, node.key]));
              }}
            >
              <g
                transform={`translate(${node.x} ${node.y})`}
                class={`leg ${toneOf(node.tasks)}${isCritical(node) ? ' critical' : ''}`}
              >
                <rect width={WIDTH} height={HEIGHT} rx="6" />
                <text x="10" y="17" class="leg-title">
                  {shorten(says, 20)}
                </text>
                <text x="10" y="32">
                  {below}
                </text>
                <title>{node.tasks.map(({ task, state }) => `${task}: ${state}`).join('\n')}</title>
              </g>
            </a>
          );
        })}
      </svg>
      {criticalPath.length === 0 ? null : <p class="soft">Longest wait: {criticalPath.join(' → ')}</p>}
    </div>
  );
}

function toneOf(tasks: readonly TaskView[]): string {
  if (tasks.some(({ state }) => state === 'failed')) return 'tone-broken';
  if (tasks.every(({ state }) => state === 'complete')) return 'tone-done';
  return tasks.some(({ state, waitsFor }) => state === 'unfinished' && waitsFor.length === 0)
    ? 'tone-running'
    : 'tone-rest';
}

function curve(from: Node, to: Node): string {
  const [x, y] = [from.x + WIDTH, from.y + HEIGHT / 2];
  const [u, v] = [to.x, to.y + HEIGHT / 2];
  const bend = Math.max(24, Math.abs(u - x) / 2);
  return `M${x} ${y} C${x + bend} ${y} ${u - bend} ${v} ${u} ${v}`;
}

function drawn(
  phases: readonly (string | null)[],
  tasks: readonly TaskView[],
  opened: ReadonlySet<string>,
): {
  readonly nodes: readonly Node[];
  readonly columns: readonly { readonly name: string; readonly x: number }[];
  readonly edges: readonly (readonly [Node, Node])[];
  readonly width: number;
  readonly height: number;
} {
  const neededBy = new Map<string, string[]>();
  for (const { task, needs } of tasks) {
    for (const each of needs) neededBy.set(each, [...(neededBy.get(each) ?? []), task]);
  }
  const tied = tasks.filter(({ task, needs }) => needs.length > 0 || neededBy.has(task));
  const alike = new Map<string, TaskView[]>();
  for (const each of tied) {
    const key = JSON.stringify([each.phase, each.needs, neededBy.get(each.task) ?? []]);
    alike.set(key, [...(alike.get(key) ?? []), each]);
  }
  const groups = [...alike].flatMap(([key, own]) =>
    own.length >= FOLD_FROM && !opened.has(key)
      ? [{ key, tasks: own }]
      : own.map((each) => ({ key: each.task, tasks: [each] })),
  );
  // One column for each phase that has a task, in the order of the phases.
  const used = new Set(groups.map(({ tasks: [first] }) => first?.phase ?? null));
  const order = [...phases, ...used].filter((phase, index, all) => used.has(phase) && all.indexOf(phase) === index);
  const rows = order.map(() => 0);
  const nodes = groups.map(({ key, tasks: own }): Node => {
    const column = order.indexOf(own[0]?.phase ?? null);
    const row = rows[column] ?? 0;
    rows[column] = row + 1;
    return { key, tasks: own, x: 4 + column * (WIDTH + GAP_X), y: TOP + row * (HEIGHT + GAP_Y) };
  });
  const nodeOf = new Map(nodes.flatMap((node) => node.tasks.map(({ task }) => [task, node] as const)));
  const edges = new Map<string, readonly [Node, Node]>();
  for (const node of nodes) {
    for (const need of node.tasks.flatMap(({ needs }) => needs)) {
      const from = nodeOf.get(need);
      if (from !== undefined && from !== node) edges.set(`${from.key} ${node.key}`, [from, node]);
    }
  }
  return {
    nodes,
    columns: order.map((phase, index) => ({ name: phase ?? 'without a phase', x: 4 + index * (WIDTH + GAP_X) })),
    edges: [...edges.values()],
    width: Math.max(1, order.length * (WIDTH + GAP_X) - GAP_X + 8),
    height: TOP + Math.max(1, ...rows) * (HEIGHT + GAP_Y),
  };
}
