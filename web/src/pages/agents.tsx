/** The agents: their work, their queues, and their results of the last day. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { AgentSessions } from '../parts/agent-sessions.tsx';
import { Lanes } from '../parts/agent-timeline.tsx';
import { Dialog, Pending, TableHead, When } from '../parts/labels.tsx';
import { Field, filledIn, FormButtons, onSubmit, useRequest } from '../parts/forms.tsx';
import { postJson, type AgentsAnswer, type Session } from '../api.ts';
import { toast, toastProblem } from '../parts/toasts.tsx';
import { usePolled } from '../polled.ts';
import { visible } from '../text.ts';
import { ago, now, span } from '../time.ts';
import { workHref } from '../location.ts';

type Agent = AgentsAnswer['items'][number];

/** The context of a running agent changes without a fact, so the page asks on a timer. */
const EVERY_MS = 2_000;

const COLUMNS = ['Agent', 'At work', 'Waiting', 'Last day', '95 % within', 'Last seen', 'Workers', 'Limits', ''];

export function Agents({ session }: { readonly session: Session }): VNode {
  const { answer, error, again } = usePolled<AgentsAnswer>('/api/agents', { everyMs: EVERY_MS, always: true });
  if (answer === null) return <Pending error={error} />;
  return (
    <>
      <div class="bar">
        <h1>Agents</h1>
      </div>
      <AgentSessions sessions={answer.sessions} again={again} />
      {answer.items.length === 0 ? (
        <div class="teach">
          <p>
            There are no agents yet. Agents appear with their first handoff; limits and roles are set in{' '}
            <code>baton.yaml</code>.
          </p>
        </div>
      ) : (
        <>
          <Lanes />
          <div class="scroll" tabIndex={0} role="region" aria-label="Agents, table">
            <table class="cards">
              <TableHead names={COLUMNS} />
              <tbody>
                {answer.items.map((each) => (
                  <AgentRow key={each.agent} agent={each} isOperator={session.agent === null} again={again} />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}

interface AgentRowProps {
  readonly agent: Agent;
  readonly isOperator: boolean;
  readonly again: () => void;
}

function AgentRow({ agent: each, isOperator, again }: AgentRowProps): VNode {
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
        <Paused paused={each.paused} />
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
      <td>{isOperator ? <PauseButton agent={each} again={again} /> : null}</td>
    </tr>
  );
}

function Paused({ paused }: Pick<Agent, 'paused'>): VNode | null {
  if (paused === null) return null;
  return (
    <p class="paused tone-person">
      ‖ paused <When at={paused.at} /> by {visible(paused.by).text}
      {paused.reason === null ? '' : `: ${visible(paused.reason).text}`}
    </p>
  );
}

function PauseButton({ agent: { agent, paused }, again }: Omit<AgentRowProps, 'isOperator'>): VNode {
  const [isAsking, setAsking] = useState(false);
  const { isBusy, run } = useRequest();
  const send = (operation: 'pause' | 'resume', body: object): void =>
    run(() =>
      postJson(`/api/agents/${encodeURIComponent(agent)}/${operation}`, body).then(() => {
        setAsking(false);
        toast('good', operation === 'pause' ? `${agent} is paused` : `${agent} is resumed`);
        again();
      }, toastProblem),
    );
  if (paused !== null) {
    return (
      <button type="button" aria-label={`Resume ${agent}`} disabled={isBusy} onClick={() => send('resume', {})}>
        Resume
      </button>
    );
  }
  return (
    <>
      <button type="button" class="quiet" aria-label={`Pause ${agent}`} onClick={() => setAsking(true)}>
        Pause…
      </button>
      {isAsking ? (
        <Dialog title={`Pause ${agent}`} close={() => setAsking(false)}>
          <form onSubmit={onSubmit((form) => send('pause', filledIn(form)))}>
            <p class="soft">It gets no new work until it is resumed. Work that it holds continues.</p>
            <Field name="reason" label="Why" />
            <FormButtons submit="Pause" close={() => setAsking(false)} isBusy={isBusy} />
          </form>
        </Dialog>
      ) : null}
    </>
  );
}

interface LoadBarProps {
  readonly load: Agent['incoming'];
  readonly label: string;
  readonly word: string;
}

function LoadBar({ load: { open, max }, label, word }: LoadBarProps): VNode {
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
