/**
 * A project as its agents tell it: summaries in the order in which they were written, each with its block. One seed,
 * one story. The stories come one after the other, so that nobody has two open legs, and each ends with nothing open.
 */
import type { Phase, SummaryStatus } from '../../src/domain/summary.ts';
import { seededRandom, type SeededRandom } from '../simulation/seeded-random.ts';

export const PROJECT_AGENTS = [
  'research-agent',
  'planning-agent',
  'infrastructure-agent',
  'implementation-agent',
  'unit-testing-agent',
  'functional-testing-agent',
  'qa-agent',
  'project-manager-agent',
] as const;
type Agent = (typeof PROJECT_AGENTS)[number];

const [RESEARCH, PLANNING, INFRASTRUCTURE, IMPLEMENTATION, UNIT, FUNCTIONAL, QA, MANAGER] = PROJECT_AGENTS;

/** One summary, and what its block says. */
interface Told {
  /** Of a file that it could stand in; in the order of telling. */
  readonly name: string;
  readonly text: string;
  readonly from: Agent;
  readonly to: Agent | null;
  readonly phase: Phase;
  readonly status: SummaryStatus;
  readonly task: string;
}

export interface SummaryProject {
  readonly project: string;
  readonly summaries: readonly Told[];
  /** What has to come out of it, whoever counts. */
  readonly expected: {
    /** Failed attempts that led to another one of the same agent. */
    readonly retries: number;
    /** Failures that led to another agent. */
    readonly routes: number;
    /** The delegator was told because a chain had failed too often. */
    readonly escalations: number;
    /** Legs that were not opened because the chain was too long. */
    readonly stops: number;
  };
}

interface Step {
  readonly from: Agent;
  readonly to?: Agent;
  readonly phase: Phase;
  readonly status: SummaryStatus;
  readonly dependencies?: readonly string[];
  readonly onFailure?: OnFailureLines;
  readonly context?: Readonly<Record<string, string>>;
}

interface OnFailureLines {
  readonly retry?: number;
  readonly route_to?: string;
  readonly notify?: string;
  readonly escalate_after?: number;
  readonly context?: string;
}

/** Hops that a chain may have; the leg after the last is not opened. */
const HOPS_MAX = 16;
/** A regular story with everything that may happen in it. */
const LONGEST_STORY = 16;

const WHEN_TESTS_FAIL: OnFailureLines = {
  retry: 1,
  route_to: `@${IMPLEMENTATION}`,
  notify: `@${MANAGER}`,
  escalate_after: 3,
  context: 'Test failures require implementation fixes',
};

export function summaryProject(seed: number, count = 200, project = 'shop'): SummaryProject {
  const random = seededRandom(seed);
  const stories: (readonly Step[])[] = [loop(), escalation(), waiting(), drafted(), asked(1), asked(2)];
  let left = count - stories.reduce((sum, story) => sum + story.length, 0);
  while (left > 2 * LONGEST_STORY) {
    const story = regular(random);
    stories.push(story);
    left -= story.length;
  }
  stories.push(padded(regular(random), left));
  const summaries = stories.flatMap((story, number) => story.map((step) => ({ step, task: `task-${number + 1}` })));
  return {
    project,
    summaries: summaries.map(({ step, task }, index) => told(step, task, index, random)),
    expected: {
      retries: summaries.filter(({ step }, index) => isRetried(step, summaries[index + 1]?.step)).length,
      routes: summaries.filter(({ step }, index) => isRouted(step, summaries[index + 1]?.step)).length,
      escalations: 1,
      stops: 1,
    },
  };
}

function isRetried({ status, from }: Step, next: Step | undefined): boolean {
  return status === 'retry' || (status === 'failed' && next?.from === from);
}

function isRouted({ status, from }: Step, next: Step | undefined): boolean {
  return status === 'failed' && next?.from !== from;
}

/** Two agents that send each other the same thing. */
function loop(): readonly Step[] {
  const steps: Step[] = [{ from: RESEARCH, to: IMPLEMENTATION, phase: 'Research', status: 'complete' }];
  for (let hop = 1; hop <= HOPS_MAX; hop += 1) {
    steps.push(
      hop % 2 === 1
        ? { from: IMPLEMENTATION, to: QA, phase: 'Implementation', status: 'complete' }
        : { from: QA, to: IMPLEMENTATION, phase: 'QA', status: 'complete' },
    );
  }
  return steps;
}

/** The third failure of the chain is told to whoever began it. */
function escalation(): readonly Step[] {
  const failed: Step = { from: UNIT, phase: 'Testing', status: 'failed' };
  const mended: Step = {
    from: IMPLEMENTATION,
    to: UNIT,
    phase: 'Implementation',
    status: 'complete',
    onFailure: WHEN_TESTS_FAIL,
  };
  return [
    { from: PLANNING, to: IMPLEMENTATION, phase: 'Planning', status: 'complete' },
    mended,
    failed,
    failed,
    mended,
    failed,
    mended,
    { from: UNIT, to: MANAGER, phase: 'Testing', status: 'complete' },
    { from: MANAGER, phase: 'Complete', status: 'complete' },
  ];
}

/** A child leg with a task of its own, and a leg that waits for that task. */
function waiting(): readonly Step[] {
  return [
    { from: PLANNING, to: RESEARCH, phase: 'Planning', status: 'in_progress', context: { task: 'task-3.1' } },
    {
      from: PLANNING,
      to: IMPLEMENTATION,
      phase: 'Planning',
      status: 'complete',
      dependencies: ['task-3.1'],
      context: { task: 'task-3.2' },
    },
    { from: RESEARCH, phase: 'Research', status: 'complete', context: { task: 'task-3.1' } },
    { from: IMPLEMENTATION, to: MANAGER, phase: 'Implementation', status: 'complete', context: { task: 'task-3.2' } },
    { from: MANAGER, phase: 'Complete', status: 'complete', context: { task: 'task-3.2' } },
  ];
}

function drafted(): readonly Step[] {
  return [
    { from: MANAGER, to: QA, phase: 'Planning', status: 'pending' },
    { from: QA, phase: 'QA', status: 'in_progress' },
    { from: QA, to: MANAGER, phase: 'QA', status: 'complete' },
    { from: MANAGER, phase: 'Complete', status: 'complete' },
  ];
}

/** Somebody waits for an answer and goes on. */
function asked(times: number): readonly Step[] {
  const blocked: Step = {
    from: INFRASTRUCTURE,
    phase: 'Infrastructure',
    status: 'blocked',
    context: { waits_for: 'the credentials of the staging server' },
  };
  const going: Step = { from: INFRASTRUCTURE, phase: 'Infrastructure', status: 'in_progress' };
  return [
    { from: PLANNING, to: INFRASTRUCTURE, phase: 'Planning', status: 'complete' },
    going,
    ...Array.from({ length: times }, () => [blocked, going]).flat(),
    { from: INFRASTRUCTURE, phase: 'Infrastructure', status: 'complete' },
  ];
}

/** All phases, with what happens on the way. */
function regular(random: SeededRandom): readonly Step[] {
  const mended: Step = {
    from: IMPLEMENTATION,
    to: UNIT,
    phase: 'Implementation',
    status: 'complete',
    onFailure: WHEN_TESTS_FAIL,
  };
  const failed: Step = { from: UNIT, phase: 'Testing', status: 'failed' };
  const failures = random.pick([[], [], [failed], [failed, failed, mended]]);
  const repeated: Step = { from: FUNCTIONAL, phase: 'Integration', status: 'retry' };
  return [
    { from: RESEARCH, to: PLANNING, phase: 'Research', status: 'complete' },
    ...(random.chance(0.3) ? [{ from: PLANNING, phase: 'Planning', status: 'in_progress' } as const] : []),
    { from: PLANNING, to: INFRASTRUCTURE, phase: 'Planning', status: 'complete' },
    { from: INFRASTRUCTURE, to: IMPLEMENTATION, phase: 'Infrastructure', status: 'complete' },
    ...(random.chance(0.5) ? [update()] : []),
    mended,
    ...failures,
    { from: UNIT, to: FUNCTIONAL, phase: 'Testing', status: 'complete' },
    ...(random.chance(0.2) ? [repeated] : []),
    { from: FUNCTIONAL, to: QA, phase: 'Integration', status: 'complete' },
    { from: QA, to: MANAGER, phase: 'QA', status: 'complete' },
    { from: MANAGER, phase: 'Complete', status: 'complete' },
  ];
}

function update(): Step {
  return { from: IMPLEMENTATION, phase: 'Implementation', status: 'in_progress' };
}

/** As long as it has to be, by words in between that settle nothing. */
function padded(story: readonly Step[], length: number): readonly Step[] {
  const at = story.findIndex(({ from }) => from === IMPLEMENTATION);
  const more = Array.from({ length: length - story.length }, update);
  return [...story.slice(0, at), ...more, ...story.slice(at)];
}

const BEGAN_AT = Date.UTC(2026, 0, 5, 9);
const MINUTE_MS = 60_000;

function told(step: Step, story: string, index: number, random: SeededRandom): Told {
  const { from, to = null, phase, status } = step;
  const task = step.context?.['task'] ?? story;
  const at = new Date(BEGAN_AT + index * 7 * MINUTE_MS + random.below(MINUTE_MS)).toISOString();
  const lines = [
    `# ${phase}: ${task}`,
    '',
    `What I did for ${task}, number ${index + 1}.`,
    '',
    '```yaml',
    'handoff:',
    `  phase: "${phase}"`,
    `  from: "@${from}"`,
    `  to: ${to === null ? '"None"' : `"@${to}"`}`,
    `  status: "${status}"`,
    ...metricsOf(phase, random),
    `  dependencies: [${(step.dependencies ?? []).map((each) => `"${each}"`).join(', ')}]`,
    ...mapLines('on_failure', step.onFailure ?? {}),
    `  timestamp: "${at}"`,
    ...mapLines('context', { task, ...step.context }),
    '```',
    '',
  ];
  return {
    name: `${String(index + 1).padStart(4, '0')}-${from}.md`,
    text: lines.join('\n'),
    from,
    to,
    phase,
    status,
    task,
  };
}

function metricsOf(phase: Phase, random: SeededRandom): readonly string[] {
  if (phase !== 'Testing' && phase !== 'Implementation') return [];
  const total = random.between(10, 40);
  // Whoever says complete with fewer is contradicted by its own numbers; other tests are about that.
  const passed = total;
  const lines = {
    tests_total: total,
    tests_passed: passed,
    coverage: `${random.between(50, 99)}%`,
    duration: '3m 45s',
  };
  return mapLines('metrics', lines);
}

function mapLines(name: string, values: object): readonly string[] {
  const entries: [string, unknown][] = Object.entries(values);
  if (entries.length === 0) return [];
  return [`  ${name}:`, ...entries.map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`)];
}
