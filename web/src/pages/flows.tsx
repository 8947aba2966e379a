/** Projects whose agents end their summaries with a block: their progress, and what blocks them. */
import type { VNode } from 'preact';
import { ago, now, span, whole } from '../time.ts';
import { handoffHref } from '../location.ts';
import type { WorkflowsAnswer } from '../api.ts';
import { Pending } from '../parts/labels.tsx';
import { TaskGraph } from '../parts/task-graph.tsx';
import { usePolled } from '../polled.ts';

type WorkflowView = WorkflowsAnswer['items'][number];
type PhaseView = WorkflowView['phases'][number];
type LegView = WorkflowView['open'][number];

export function Flows(): VNode {
  const { answer, error } = usePolled<WorkflowsAnswer>('/api/workflows', { everyMs: 3_000 });
  if (answer === null) return <Pending error={error} />;
  return (
    <>
      <div class="bar">
        <h1>Flows</h1>
      </div>
      {answer.items.length === 0 ? (
        <div class="teach">
          <p>
            No summary was read yet. Agents end a summary with a YAML block named <code>handoff:</code>; hand it over
            with <code>baton ingest summary.md</code>, and the project appears here with its phases.
          </p>
        </div>
      ) : null}
      {answer.items.map((flow) => (
        <Project key={flow.project} flow={flow} />
      ))}
    </>
  );
}

function Project({ flow }: { readonly flow: WorkflowView }): VNode {
  const { project, outcome, progress, told, retries, routes, escalations, stops, beganAt, lastAt } = flow;
  const took = new Date(lastAt).getTime() - new Date(beganAt).getTime();
  const also = [
    [retries, 'tried again'],
    [routes, 'routed elsewhere'],
    [escalations, 'escalated'],
    [stops, 'stopped: too many hops'],
  ].filter(([count]) => count !== 0);
  return (
    <section class="panel" aria-label={`Project ${project}`}>
      <h2>
        {project} <span class={`tag ${outcome === 'failed' ? 'bad' : ''}`}>{outcome}</span>
      </h2>
      <Meter value={progress} label={`${project}, progress`} />
      <p class="soft">
        {told} summaries over {span(took)}, the last <span title={whole(lastAt)}>{ago(lastAt, now.value)}</span>
        {also.map(([count, word]) => `, ${count} ${word}`)}
      </p>
      <ol class="phases" aria-label={`Phases of ${project}`}>
        {flow.phases.map((phase) => (
          <Phase key={phase.phase ?? ''} phase={phase} flow={flow} />
        ))}
      </ol>
      <TaskGraph
        label={`Tasks of ${project}`}
        phases={flow.phases.map(({ phase }) => phase)}
        tasks={flow.tasks}
        criticalPath={flow.criticalPath}
      />
      <Legs title="Failed or blocked" legs={flow.trouble} />
      <Legs title="Open" legs={flow.open} />
      <Tasks tasks={flow.tasks} circles={flow.circles} />
    </section>
  );
}

/** One phase: its progress, its open legs, and those that need somebody. */
function Phase({ phase: given, flow }: { readonly phase: PhaseView; readonly flow: WorkflowView }): VNode {
  const { phase, progress, legs, told, timeMs } = given;
  const name = phase ?? 'without a phase';
  const isHere = (leg: LegView): boolean => leg.phase === phase;
  const [open, bad] = [flow.open.filter(isHere), flow.trouble.filter(isHere)];
  const tone =
    bad.length > 0 ? 'tone-broken' : open.length > 0 ? 'tone-running' : progress === 1 ? 'tone-done' : 'tone-rest';
  return (
    <li class={`phase ${tone}`}>
      <h3>{name}</h3>
      {progress === null ? null : <Meter value={progress} label={`${name}, progress`} />}
      <p class="soft">
        {legs.all === 0 && told === 0
          ? 'nothing yet'
          : `${String(legs['done'])} of ${legs.toDo} legs done · ${told} ${told === 1 ? 'summary' : 'summaries'} · ${span(timeMs)}`}
      </p>
      {[...bad, ...open].slice(0, PHASE_LEGS).map(({ id, to, standing }) => (
        <a key={id} class="leg-chip" href={handoffHref(id)}>
          {to} <span class="soft">{standing}</span>
        </a>
      ))}
      {bad.length + open.length > PHASE_LEGS ? (
        <p class="soft">and {bad.length + open.length - PHASE_LEGS} more</p>
      ) : null}
    </li>
  );
}

const PHASE_LEGS = 4;

function Meter({ value, label }: { readonly value: number; readonly label: string }): VNode {
  return (
    <span class="load">
      <meter min={0} max={1} value={value} aria-label={label} /> {Math.round(value * 100)} %
    </span>
  );
}

const LEGS_SHOWN = 20;

function Legs({ title, legs }: { readonly title: string; readonly legs: readonly LegView[] }): VNode | null {
  if (legs.length === 0) return null;
  return (
    <>
      <h3>
        {title} <span class="count">{legs.length}</span>
      </h3>
      <ul class="evidence">
        {legs.slice(0, LEGS_SHOWN).map(({ id, from, to, task, phase, standing, why, since }) => (
          <li key={id}>
            <a href={handoffHref(id)}>
              {from ?? 'nobody'} → {to}
            </a>{' '}
            <span class="tag">{standing}</span> {why === null ? null : <span>{why} </span>}
            {phase === null ? null : <span class="tag">{phase}</span>}{' '}
            {task === null ? null : <span class="tag">{task}</span>}{' '}
            <span class="soft">since {ago(since, now.value)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Tasks({ tasks, circles }: Pick<WorkflowView, 'tasks' | 'circles'>): VNode | null {
  if (tasks.length === 0) return null;
  return (
    <details>
      <summary>
        {tasks.length} tasks in their order
        {circles.length === 0 ? '' : `, ${circles.length} that wait for each other`}
      </summary>
      <ol>
        {tasks.map(({ task, state, waitsFor }) => (
          <li key={task}>
            {task} <span class="tag">{state}</span>
            {waitsFor.length === 0 ? null : <span class="soft"> waits for {waitsFor.join(', ')}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}
