/** Projects whose agents end their summaries with a block: how far each has come. */
import type { VNode } from 'preact';
import { Problem } from '../api.ts';
import { usePolled } from './agents.tsx';

export function Workflows(): VNode {
  const answer = usePolled<{ readonly items: readonly unknown[] }>('/api/workflows', 3_000);
  const isEmpty =
    answer instanceof Problem || (answer !== null && !(answer instanceof Error) && answer.items.length === 0);
  return (
    <>
      <div class="bar">
        <h1>Workflows</h1>
      </div>
      {isEmpty ? (
        <div class="teach">
          <p>
            No summary was read yet. Agents end a summary with a YAML block named <code>handoff:</code>; hand it over
            with <code>baton ingest summary.md</code>, and the project appears here with its phases.
          </p>
        </div>
      ) : null}
    </>
  );
}
