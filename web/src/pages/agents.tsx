/** Who takes part: at what each is, how much waits for it, how it did lately. */
import type { VNode } from 'preact';
import { AgentSessions } from '../parts/agent-sessions.tsx';
import { Lanes } from '../parts/lanes.tsx';
import { Failed, Loading, When } from '../parts/pieces.tsx';
import { usePolled } from '../polled.ts';
import { ago, now, span } from '../time.ts';
import { workHref } from '../where.ts';

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
  readonly delivered: number;
  readonly failed: number;
  readonly p95Ms: number | null;
  readonly lastSeenAt: string | null;
}

const COLUMNS = ['Agent', 'At work', 'Waiting', 'Last day', '95 % within', 'Last seen', 'Workers', 'Limits'];

export function Agents(): VNode {
  const { answer, error } = usePolled<{ readonly items: readonly Agent[] }>('/api/agents');
  if (answer === null) return error === null ? <Loading rows={6} /> : <Failed error={error} />;
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
        <>
          <Lanes />
          <div class="scroll" tabIndex={0} role="region" aria-label="Agents, table">
            <table class="cards">
              <thead>
                <tr>
                  {COLUMNS.map((name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {answer.items.map((each) => (
                  <AgentRow key={each.agent} agent={each} />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}

function AgentRow({ agent: each }: { readonly agent: Agent }): VNode {
  const { agent, roles, working, waiting, waitingSince, delivered, failed, p95Ms, lastSeenAt, workers } = each;
  return (
    <tr data-row>
      <th scope="row">
        <a href={workHref(`agent:${agent}`)}>{agent}</a>{' '}
        <a class="soft" href={`#/inbox/${encodeURIComponent(agent)}`}>
          inbox
        </a>{' '}
        {roles.map((role) => (
          <span key={role} class="tag">
            {role}
          </span>
        ))}
      </th>
      <td data-name="At work" class={working > 0 ? 'tone-running' : ''}>
        {working}
      </td>
      <td data-name="Waiting">
        {waiting}
        {waitingSince === null ? null : <span class="soft"> first {ago(waitingSince, now.value)}</span>}
      </td>
      <td data-name="Last day">
        {delivered + failed === 0 ? (
          <span class="soft">nothing</span>
        ) : (
          <>
            {delivered} delivered{failed === 0 ? null : <span class="tone-broken">, {failed} failed</span>}
          </>
        )}
      </td>
      <td data-name="95 % within">{p95Ms === null ? <span class="soft">–</span> : span(p95Ms)}</td>
      <td data-name="Last seen">{lastSeenAt === null ? <span class="soft">–</span> : <When at={lastSeenAt} />}</td>
      <td data-name="Workers">{workers}</td>
      <td data-name="Limits">
        <LoadBar load={each.incoming} label={`${agent}, incoming`} word="in" />{' '}
        <LoadBar load={each.outgoing} label={`${agent}, outgoing`} word="out" />
      </td>
    </tr>
  );
}

function LoadBar({
  load: { open, max },
  label,
  word,
}: {
  readonly load: Load;
  readonly label: string;
  readonly word: string;
}): VNode {
  if (max === null) {
    return (
      <span class="soft">
        {open} {word}
      </span>
    );
  }
  return (
    <span class="load">
      <meter min={0} max={Math.max(max, 1)} high={max * 0.8} value={open} aria-label={label} />
      {open}/{max} {word}
    </span>
  );
}
