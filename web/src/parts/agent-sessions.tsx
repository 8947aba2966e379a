/** Running agents: how full each is, how far its handover is, and the button that begins one. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CONTEXT_TIERS } from '../../../src/domain/agent-session.ts';
import { SUCCESSION_REASONS } from '../../../src/domain/succession.ts';
import { ask, tell } from '../api.ts';
import { ago, now } from '../time.ts';
import { handoffHref } from '../location.ts';
import { textsIn } from './form-texts.ts';
import { say } from './toasts.tsx';

interface AgentSession {
  readonly id: number;
  readonly persona: string | null;
  readonly adapter: string;
  readonly state: string;
  readonly cwd: string;
  readonly previous_agent_id: number | null;
  readonly started_at: string;
  readonly context: { readonly percent: number; readonly tier: string | null } | null;
  readonly handoff: { readonly id: string; readonly reason: string } | null;
  readonly last_handoff: {
    readonly id: string;
    readonly error: string | null;
    readonly message: string | null;
  } | null;
}

interface Step {
  readonly step: string;
  readonly at: string | null;
}

/** How full an agent is changes without a fact, so this is asked by time alone. */
const EVERY_MS = 2_000;
const STEPS_MS = 1_000;
const ENDED_SHOWN = 5;

const isOpen = ({ state }: AgentSession): boolean => state === 'active' || state === 'starting';

export function AgentSessions(): VNode | null {
  const [answer, again] = useAsked<{ readonly sessions: readonly AgentSession[] }>('/api/agents', EVERY_MS);
  const sessions = answer?.sessions ?? [];
  if (sessions.length === 0) return null;
  const shown = [...sessions.filter(isOpen), ...sessions.filter((each) => !isOpen(each)).slice(0, ENDED_SHOWN)];
  return (
    <>
      <h2>Running agents</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Running agents, table">
        <table class="cards">
          <thead>
            <tr>
              {['Agent', 'State', 'Context', 'Handover'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
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
  const begin = (event: SubmitEvent): void => {
    event.preventDefault();
    const { reason, context } = textsIn(event.currentTarget as HTMLFormElement);
    tell(`/api/agents/${id}/handoff`, { reason, ...(context === undefined ? {} : { context }) }).then(
      () => {
        setAsking(false);
        again();
      },
      (error: unknown) => say('bad', error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <>
      {last === null ? null : (
        <span class={last.error === null ? 'soft' : 'problem'}>
          <a href={handoffHref(last.id)}>{last.error === null ? 'handed over' : last.error}</a> {last.message}{' '}
        </span>
      )}
      {state !== 'active' || persona === null ? null : isAsking ? (
        <form class="fields" onSubmit={begin}>
          <label>
            Reason{' '}
            <select name="reason">
              {SUCCESSION_REASONS.map((reason) => (
                <option key={reason}>{reason}</option>
              ))}
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
  const [answer] = useAsked<{ readonly steps: readonly Step[] }>(`/api/agents/${agent}`, STEPS_MS);
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

/** The newest answer, asked for again and again; a failure keeps the last one. */
function useAsked<Answer>(path: string, everyMs: number): readonly [Answer | null, () => void] {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const over = new AbortController();
    const look = (): void => {
      if (!document.hidden) ask<Answer>(path, over.signal).then(setAnswer, () => undefined);
    };
    look();
    const timer = setInterval(look, everyMs);
    return () => {
      over.abort();
      clearInterval(timer);
    };
  }, [path, round]);
  return [answer, () => setRound(round + 1)];
}
