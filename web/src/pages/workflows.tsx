/** Projects whose agents end their summaries with a block: how far each has come, and what holds it up. */
import type { VNode } from 'preact';
import { ago, now, span, whole } from '../time.ts';
import { handoffHref } from '../where.ts';
import { usePolled } from './agents.tsx';

interface Counted {
  readonly told: number;
  readonly timeMs: number;
}

interface PhaseView extends Counted {
  readonly phase: string | null;
  readonly progress: number | null;
  readonly legs: { readonly all: number; readonly toDo: number };
}

interface LegView {
  readonly id: string;
  readonly from: string | null;
  readonly to: string;
  readonly task: string | null;
  readonly phase: string | null;
  readonly standing: string;
  readonly why: string | null;
  readonly since: string;
}

interface TaskView {
  readonly task: string;
  readonly state: string;
  readonly waitsFor: readonly string[];
}

interface WorkflowView {
  readonly project: string;
  readonly outcome: string;
  readonly progress: number;
  readonly told: number;
  readonly retries: number;
  readonly routes: number;
  readonly escalations: number;
  readonly stops: number;
  readonly beganAt: string;
  readonly lastAt: string;
  readonly phases: readonly PhaseView[];
  readonly open: readonly LegView[];
  readonly trouble: readonly LegView[];
  readonly tasks: readonly TaskView[];
  readonly circles: readonly (readonly string[])[];
}

export function Workflows(): VNode {
  const answer = usePolled<{ readonly items: readonly WorkflowView[] }>('/api/workflows', 3_000);
  if (answer === null) return <p class="empty">One moment…</p>;
  if (answer instanceof Error) return <p class="problem">{answer.message}</p>;
  return (
    <>
      <div class="bar">
        <h1>Workflows</h1>
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
    [stops, 'stopped as a loop'],
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
      <div class="scroll plain" tabIndex={0} role="region" aria-label={`Phases of ${project}`}>
        <table>
          <thead>
            <tr>
              {['Phase', 'Progress', 'Legs', 'Summaries', 'Time'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {flow.phases.map(({ phase, progress: done, legs, told: count, timeMs }) => (
              <tr key={phase ?? ''}>
                <th scope="row">{phase ?? 'without a phase'}</th>
                <td>{done === null ? '–' : <Meter value={done} label={`${phase ?? 'no phase'}, progress`} />}</td>
                <td>{legs.toDo}</td>
                <td>{count}</td>
                <td>{span(timeMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Legs title="Needs somebody" legs={flow.trouble} />
      <Legs title="Open" legs={flow.open} />
      <Tasks tasks={flow.tasks} circles={flow.circles} />
    </section>
  );
}

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
