/** Running agents: the use of their context, the progress of their handover, and the button that starts one. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { CONTEXT_TIERS } from '../../../src/domain/agent-session.ts';
import { SUCCESSION_REASONS } from '../../../src/domain/succession.ts';
import { postJson, type AgentsAnswer } from '../api.ts';
import { usePolled } from '../polled.ts';
import { ago, now } from '../time.ts';
import { handoffHref } from '../location.ts';
import { onSubmit, Options, textsIn } from './forms.tsx';
import { TableHead } from './labels.tsx';
import { toastProblem } from './toasts.tsx';

type AgentSession = AgentsAnswer['sessions'][number];

const STEPS_MS = 1_000;
const ENDED_SHOWN = 5;

const isOpen = ({ state }: AgentSession): boolean => state === 'active' || state === 'starting';

interface AgentSessionsProps {
  readonly sessions: readonly AgentSession[];
  readonly again: () => void;
}

export function AgentSessions({ sessions, again }: AgentSessionsProps): VNode | null {
  if (sessions.length === 0) return null;
  const shown = [...sessions.filter(isOpen), ...sessions.filter((each) => !isOpen(each)).slice(0, ENDED_SHOWN)];
  return (
    <>
      <h2>Running agents</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Running agents, table">
        <table class="cards">
          <TableHead names={['Agent', 'State', 'Context', 'Handover']} />
          <tbody>
            {shown.map((session) => (
              <Row key={session.id} session={session} again={again} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Row({ session, again }: { readonly session: AgentSession; readonly again: () => void }): VNode {
  const { id, persona, adapter, state, previous_agent_id: before, started_at: started, context } = session;
  return (
    <tr>
      <th scope="row">
        {persona ?? 'no persona'} <span class="tag">{adapter}</span> <span class="soft">agent {id}</span>
        {before === null ? null : <span class="soft"> after agent {before}</span>}
      </th>
      <td data-name="State">
        {state} <span class="soft">{ago(started, now.value)}</span>
      </td>
      <td data-name="Context">
        {context === null ? (
          <span class="soft">not known</span>
        ) : (
          <span class="load">
            <meter
              min={0}
              max={100}
              low={CONTEXT_TIERS.notice}
              high={CONTEXT_TIERS.handoff}
              optimum={0}
              value={context.percent}
              aria-label={`context of agent ${id}`}
            />
            {Math.round(context.percent)}%{isOpen(session) && context.tier === 'handoff' ? ' hand off now' : ''}
          </span>
        )}
      </td>
      <td data-name="Handover">
        <Handover session={session} again={again} />
      </td>
    </tr>
  );
}

function Handover({ session, again }: { readonly session: AgentSession; readonly again: () => void }): VNode {
  const { id, state, persona, handoff, last_handoff: last } = session;
  const [isAsking, setAsking] = useState(false);
  if (handoff !== null) return <Steps agent={id} handoff={handoff.id} />;
  const begin = (form: HTMLFormElement): void =>
    void postJson(`/api/agents/${id}/handoff`, textsIn(form)).then(() => {
      setAsking(false);
      again();
    }, toastProblem);
  return (
    <>
      {last === null ? null : (
        <span class={last.error === null ? 'soft' : 'problem'}>
          <a href={handoffHref(last.id)}>{last.error === null ? 'handed over' : last.error}</a> {last.message}{' '}
        </span>
      )}
      {state !== 'active' || persona === null ? null : isAsking ? (
        <form class="fields" onSubmit={onSubmit(begin)}>
          <label>
            Reason{' '}
            <select name="reason">
              <Options of={SUCCESSION_REASONS} />
            </select>
          </label>{' '}
          <label>
            What to mention <input name="context" maxLength={2_000} />
          </label>{' '}
          <button type="submit">Hand off</button>{' '}
          <button type="button" onClick={() => setAsking(false)}>
            Not now
          </button>
        </form>
      ) : (
        <button type="button" onClick={() => setAsking(true)} aria-label={`Hand off agent ${id}`}>
          Hand off…
        </button>
      )}
    </>
  );
}

function Steps({ agent, handoff }: { readonly agent: number; readonly handoff: string }): VNode {
  const { answer } = usePolled<AgentSession>(`/api/agents/${agent}`, { everyMs: STEPS_MS, always: true });
  const steps = answer?.steps ?? [];
  const next = steps.find(({ at }) => at === null)?.step ?? 'over';
  const done = steps.filter(({ at }) => at !== null).length;
  return (
    <span class="load">
      <progress max={Math.max(steps.length, 1)} value={done} aria-label={`handover of agent ${agent}`} />
      <a href={handoffHref(handoff)}>
        {done} of {steps.length}, next: {next}
      </a>
    </span>
  );
}
