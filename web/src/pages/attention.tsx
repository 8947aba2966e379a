/** The home page: handoffs that need a person, the most urgent first. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ATTENTION_REASONS, type AttentionReason as Reason } from '../../../src/domain/attention.ts';
import { shortIdOf } from '../../../src/domain/names.ts';
import { getJson, postJson, type Row, type Session, type HandoffDetail } from '../api.ts';
import { newest, version } from '../live.ts';
import { ActionForm } from '../parts/actions.tsx';
import { NewHandoff } from '../parts/new-handoff.tsx';
import { FailureLine, Pending, StateTag, When } from '../parts/labels.tsx';
import { Bulk, useSelection } from '../parts/bulk.tsx';
import { attention, attentionError } from '../parts/pulse.tsx';
import { QuarantinePanel } from '../parts/quarantine.tsx';
import { onSubmit, ProblemText, textsIn, useRequest } from '../parts/forms.tsx';
import { toast, toastProblem } from '../parts/toasts.tsx';
import { dismissRow, isDismissed } from '../dismissed.ts';
import { titleOf, visible } from '../text.ts';
import { ago, now } from '../time.ts';
import { handoffHref, place, withParameters, workHref } from '../location.ts';

const SECTIONS: Readonly<Record<Reason, readonly [title: string, says: string]>> = {
  question: ['Questions', 'An agent has stopped and waits for an answer.'],
  dependency: [
    'Blocked by a failure',
    'A handoff that it depends on did not succeed. Retry that one, or cancel this one.',
  ],
  review: ['To review', 'Delivered. A verifier who neither sent nor did the work has to agree.'],
  overdue: ['Running out of time', 'No agent has accepted it yet, and it expires within ten minutes.'],
  failed: ['Failed', 'Baton does not retry these. Fix the cause, then retry.'],
  failing: ['Retrying', 'An attempt failed. Baton retries it.'],
};

export function Attention({ session }: { readonly session: Session }): VNode {
  const { selected, toggle, clear } = useSelection();
  const seen = version.value;
  const answer = attention.value;
  const only = place.value.with.get('why') ?? '';
  if (answer === null) return <Pending error={attentionError.value} />;
  const items = answer.items
    .map(({ why, handoff }) => ({ why, handoff: newest(handoff) }))
    .filter(({ handoff }) => !isDismissed(handoff, now.value));
  const shown = items.filter(({ why }) => only === '' || why === only);
  const hidden = answer.items.length - items.length;
  const chosen = shown.filter(({ handoff }) => selected.has(handoff.id));
  return (
    <div data-seen={seen}>
      <div class="bar">
        <h1>Attention</h1>
        {only === '' ? null : <a href={withParameters({ why: '' })}>Show everything</a>}
        {hidden > 0 ? <span class="soft">{hidden} dismissed</span> : null}
        <NewHandoff />
      </div>
      {only === '' ? <AtWork rows={answer.atWork.map(newest)} all={answer.pulse.atWork} /> : null}
      {selected.size > 0 ? (
        <Bulk
          rows={chosen.map(({ handoff }) => handoff)}
          clear={clear}
          offers={chosen.every(({ why }) => why === 'failed') ? 'retry' : 'cancel'}
        >
          <button
            type="button"
            onClick={() => {
              for (const { handoff } of chosen) dismissRow(handoff, 60);
              clear();
            }}
          >
            Snooze
          </button>
        </Bulk>
      ) : null}
      {shown.length === 0 && answer.unattended.length === 0 ? (
        <div class="teach">
          <h2>Nothing needs you.</h2>
          <p>
            {answer.pulse.atWork === 0 ? 'Nobody is at work' : `${answer.pulse.atWork} at work`}
            {answer.pulse.waiting === 0 ? '.' : `, ${answer.pulse.waiting} waiting.`}{' '}
            {Object.keys(answer.totals).length === 0 ? (
              <>
                A handoff is work that one agent gives to another. Send the first one:{' '}
                <code>baton send --from @me --to @you --title "First one"</code>
              </>
            ) : (
              <a href="#/work">See the work</a>
            )}
          </p>
        </div>
      ) : null}
      {ATTENTION_REASONS.map((why) => {
        const [title, says] = SECTIONS[why];
        const own = shown.filter((item) => item.why === why);
        if (own.length === 0) return null;
        const all = answer.counts[why] ?? own.length;
        return (
          <section key={why} class="shelf" aria-label={title}>
            <h2>
              {title} <span class="count">{all}</span> <span class="soft">{says}</span>
            </h2>
            <ul class="rows">
              {own.map(({ handoff }) => (
                <Item
                  key={handoff.id}
                  why={why}
                  row={handoff}
                  isSelected={selected.has(handoff.id)}
                  toggle={() => toggle(handoff.id)}
                />
              ))}
            </ul>
            {all > own.length && only === '' && hidden === 0 ? (
              <p class="soft">{all - own.length} more are in the work list.</p>
            ) : null}
          </section>
        );
      })}
      {only === '' && session.agent === null ? <QuarantinePanel /> : null}
      {answer.unattended.length === 0 || only !== '' ? null : (
        <section class="shelf" aria-label="Without a worker">
          <h2>
            Without a worker <span class="count">{answer.unattended.length}</span>{' '}
            <span class="soft">Work waits for these agents, but none of their workers is running.</span>
          </h2>
          <ul class="rows">
            {answer.unattended.map(({ agent, waiting, since }) => (
              <li key={agent} class="row" data-row>
                <a class="row-title" href={workHref(`state:offered to:${agent}`)}>
                  {agent}
                </a>
                <span>{waiting} waiting</span>
                <span class="soft">first {ago(since, now.value)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** The agents at work, each with its handoff. */
function AtWork({ rows, all }: { readonly rows: readonly Row[]; readonly all: number }): VNode | null {
  const working = rows.filter(({ state }) => state === 'accepted');
  if (working.length === 0) return null;
  const shown = working.slice(0, AT_WORK_SHOWN_MAX);
  return (
    <p class="at-work" aria-label="At work">
      <b class="tone-running">At work now:</b>{' '}
      {shown.map((row) => (
        <a key={row.id} href={handoffHref(row.id)}>
          <b>{row.to}</b> {titleOf(row)}{' '}
          <span class="soft">
            {[
              row.task,
              typeof row.progress?.fraction === 'number' ? `${Math.round(row.progress.fraction * 100)} %` : null,
            ]
              .filter((each) => each !== null)
              .join(', ')}
          </span>
        </a>
      ))}
      {all > shown.length ? <a href={workHref('state:accepted')}>{all - shown.length} more</a> : null}
    </p>
  );
}

const AT_WORK_SHOWN_MAX = 4;

interface ItemProps {
  readonly why: Reason;
  readonly row: Row;
  readonly isSelected: boolean;
  readonly toggle: () => void;
}

function Item({ why, row, isSelected, toggle }: ItemProps): VNode {
  const { id, from, to, since, blockedOn, task } = row;
  const [retrying, setRetrying] = useState<HandoffDetail | null>(null);
  return (
    <li class="row" data-row data-id={id}>
      <input type="checkbox" aria-label={`Select ${titleOf(row)}`} checked={isSelected} onChange={toggle} />
      <StateTag row={row} />
      <a class="row-title" href={handoffHref(id)}>
        {titleOf(row)}
      </a>
      {task === null ? null : <span class="tag">{task}</span>}
      <code class="soft">{shortIdOf(id)}</code>
      <span class="soft way">
        {from} → {to}
      </span>
      <When at={since} />
      <span class="row-acts">
        {why === 'review' ? (
          <a class="button" href={handoffHref(id)}>
            Review
          </a>
        ) : null}
        {why === 'failed' ? (
          <button
            type="button"
            onClick={() =>
              void getJson<HandoffDetail>(`/api/handoffs/${encodeURIComponent(id)}`).then(setRetrying, toastProblem)
            }
          >
            Retry…
          </button>
        ) : null}
        <button type="button" class="quiet" title="Hide it for an hour" onClick={() => dismissRow(row, 60)}>
          Snooze
        </button>
        <button
          type="button"
          class="quiet"
          title="Hide it until something happens to it"
          onClick={() => dismissRow(row, null)}
        >
          Dismiss
        </button>
      </span>
      {why === 'question' && blockedOn?.reason === 'question' ? <Answer row={row} text={blockedOn.text} /> : null}
      {why === 'failed' || why === 'failing' ? (
        <p class="row-more">
          <FailureLine row={row} />
        </p>
      ) : null}
      {retrying === null ? null : (
        <ActionForm handoff={retrying} name="retry" close={() => setRetrying(null)} afterwards={() => undefined} />
      )}
    </li>
  );
}

function Answer({ row, text }: { readonly row: Row; readonly text: string }): VNode {
  const { isBusy, problem, run } = useRequest();
  const send = async (form: HTMLFormElement): Promise<void> => {
    const { answer } = textsIn(form);
    const match = { 'if-match': `"${row.revision}"` };
    await postJson(`/api/handoffs/${encodeURIComponent(row.id)}/unblock`, { answer }, match);
    toast('good', `Answered: ${titleOf(row)} goes on`);
  };
  return (
    <form class="row-more answer" onSubmit={onSubmit((form) => run(() => send(form)))}>
      <p class="question">{visible(text).text}</p>
      <div class="inline">
        <input
          name="answer"
          aria-label={`Answer to ${titleOf(row)}`}
          placeholder="Your answer"
          required
          autocomplete="off"
        />
        <button type="submit" class="primary" disabled={isBusy}>
          Answer
        </button>
      </div>
      <ProblemText text={problem} />
    </form>
  );
}
