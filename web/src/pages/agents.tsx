/** Who takes part, and how much each has to do against what it may have. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api.ts';
import { version } from '../collection.ts';
import { AgentSessions } from '../parts/agent-sessions.tsx';
import { ago, now } from '../time.ts';

interface Load {
  readonly open: number;
  readonly max: number | null;
}

interface Agent {
  readonly agent: string;
  readonly configured: boolean;
  readonly roles: readonly string[];
  readonly incoming: Load;
  readonly outgoing: Load;
  readonly working: number;
  readonly waiting: number;
  readonly waitingSince: string | null;
  readonly workers: number;
}

/** Loads change with every fact; twice a second is often enough for eyes. */
export function usePolled<Answer>(path: string, everyMs = 2_000): Answer | Error | null {
  const [answer, setAnswer] = useState<Answer | Error | null>(null);
  useEffect(() => {
    const over = new AbortController();
    let asked = -1;
    const look = (): void => {
      if (document.hidden || asked === version.value) return;
      asked = version.value;
      ask<Answer>(path, over.signal).then(setAnswer, (error: unknown) => {
        if (!over.signal.aborted) setAnswer(error instanceof Error ? error : new Error(String(error)));
      });
    };
    look();
    const timer = setInterval(look, everyMs);
    return () => {
      over.abort();
      clearInterval(timer);
    };
  }, [path]);
  return answer;
}

export function Agents(): VNode {
  const answer = usePolled<{ readonly items: readonly Agent[] }>('/api/agents');
  if (answer === null) return <p class="empty">One moment…</p>;
  if (answer instanceof Error) return <p class="problem">{answer.message}</p>;
  return (
    <>
      <div class="bar">
        <h1>Agents</h1>
      </div>
      <AgentSessions />
      {answer.items.length === 0 ? (
        <div class="teach">
          <p>
            Nobody is known yet. Agents appear with their first handoff; limits and roles stand in{' '}
            <code>baton.yaml</code>.
          </p>
        </div>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Agents, table">
          <table class="cards">
            <thead>
              <tr>
                {['Agent', 'Incoming', 'Outgoing', 'At work', 'Waiting', 'Workers'].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {answer.items.map((each) => (
                <tr key={each.agent}>
                  <th scope="row">
                    <a href={`#/board?agent=${encodeURIComponent(each.agent)}`}>{each.agent}</a>{' '}
                    <a class="soft" href={`#/inbox/${encodeURIComponent(each.agent)}`}>
                      inbox
                    </a>{' '}
                    {each.roles.map((role) => (
                      <span key={role} class="tag">
                        {role}
                      </span>
                    ))}
                  </th>
                  <td data-name="Incoming">
                    <LoadBar load={each.incoming} label={`${each.agent}, incoming`} />
                  </td>
                  <td data-name="Outgoing">
                    <LoadBar load={each.outgoing} label={`${each.agent}, outgoing`} />
                  </td>
                  <td data-name="At work">{each.working}</td>
                  <td data-name="Waiting">
                    {each.waiting}
                    {each.waitingSince === null ? null : (
                      <span class="soft"> first {ago(each.waitingSince, now.value)}</span>
                    )}
                  </td>
                  <td data-name="Workers">{each.workers}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function LoadBar({ load: { open, max }, label }: { readonly load: Load; readonly label: string }): VNode {
  if (max === null) return <span>{open}</span>;
  return (
    <span class="load">
      <meter min={0} max={Math.max(max, 1)} high={max * 0.8} value={open} aria-label={label} />
      {open} of {max}
    </span>
  );
}
