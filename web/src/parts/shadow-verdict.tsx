/** The verdict of a shadow test: a bar for each category, its points, and the evidence of each point. */
import type { VNode } from 'preact';
import type { CategoryView, Point } from '../../../src/interfaces/shared/shadow-report.ts';
import type { HandoffDetail } from '../api.ts';
import { visible } from '../text.ts';

interface Verdict {
  readonly verdict: string;
  readonly mode: string | null;
  readonly score: number;
  readonly max_score: number;
  readonly pass_threshold: number;
  readonly evidence: Readonly<Record<string, CategoryView | undefined>> & {
    readonly environment?: { readonly warnings?: readonly string[]; readonly base?: string | null };
  };
  readonly issues_found: readonly string[];
  readonly recommendations: readonly string[];
}

/** Null: the result is no verdict, and is shown as plain data. */
export function verdictIn({ to, result }: HandoffDetail): Verdict | null {
  if (to !== '@shadow-smoke-test' || typeof result !== 'object' || result === null || Array.isArray(result))
    return null;
  const given = result as Readonly<Record<string, unknown>>;
  const { verdict, score, evidence, issues_found: issues, recommendations } = given;
  const isOne =
    typeof verdict === 'string' &&
    typeof score === 'number' &&
    typeof evidence === 'object' &&
    evidence !== null &&
    Array.isArray(issues) &&
    Array.isArray(recommendations);
  return isOne ? (result as unknown as Verdict) : null;
}

export function ShadowVerdict({ verdict }: { readonly verdict: Verdict }): VNode {
  const { environment, ...categories } = verdict.evidence;
  return (
    <section class={`panel shadow-verdict ${verdict.verdict === 'PASS' ? 'good' : 'bad'}`} aria-label="Verdict">
      <h2>
        {visible(verdict.verdict).text}: {verdict.score} of {verdict.max_score} points
      </h2>
      <p class="soft">
        {verdict.mode ?? 'not judged'}, {verdict.pass_threshold} points are needed
        {typeof environment?.base === 'string' ? `; ${visible(environment.base).text}` : ''}
      </p>
      {Object.entries(categories).map(([name, category]) =>
        category === undefined ? null : <CategoryRow key={name} name={name} category={category} />,
      )}
      <Listed title="Warnings" items={environment?.warnings ?? []} />
      <Listed title="Issues" items={verdict.issues_found} />
      <Listed title="What to do" items={verdict.recommendations} />
    </section>
  );
}

function CategoryRow({ name, category }: { readonly name: string; readonly category: CategoryView }): VNode {
  const { score, max_score: max, points } = category;
  const title = visible(name.replaceAll('_', ' ')).text;
  return (
    <div class="category">
      <div class="category-head">
        <h3>{title}</h3>
        <meter min={0} max={max} value={score} low={max / 2} high={max * 0.75} optimum={max} aria-label={title} />
        <span class="number">
          {score} / {max}
        </span>
      </div>
      {Object.entries(points).map(([id, point]) => (
        <PointRow key={id} point={point} />
      ))}
    </div>
  );
}

function PointRow({ point }: { readonly point: Point }): VNode {
  const { points, max_points: max, question, judged, says, todo, runs } = point;
  const isLost = points < max;
  return (
    <details class={isLost ? 'point lost' : 'point'}>
      <summary>
        {isLost ? '✕' : '✓'} {visible(question).text}{' '}
        <span class="number">
          {points} / {max}
        </span>
      </summary>
      {isLost ? <p>{visible(says).text}</p> : null}
      {todo === undefined ? null : <p>To do: {visible(todo).text}</p>}
      <p class="soft">
        judges <code>{visible(judged).text}</code>
      </p>
      {runs.map((run) => (
        <figure key={run.command}>
          <figcaption>
            <code>{visible(run.command).text}</code>
            <span class="tag">exit {run.exit_code ?? 'none'}</span>
            <span class="tag">{run.duration_ms} ms</span>
            {run.stopped_by === undefined ? null : <span class="tag">stopped by {visible(run.stopped_by).text}</span>}
          </figcaption>
          {run.output.trim() === '' ? null : <pre tabIndex={0}>{visible(run.output).text}</pre>}
        </figure>
      ))}
    </details>
  );
}

function Listed({ title, items }: { readonly title: string; readonly items: readonly string[] }): VNode | null {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {items.map((item) => (
          <li key={item}>{visible(item).text}</li>
        ))}
      </ul>
    </>
  );
}
