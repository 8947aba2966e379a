/**
 * The request, the evidence, the checks, and the judgment of a person. No criterion is preselected: approving needs a
 * judgment of each one.
 */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { postJson, type HandoffDetail } from '../api.ts';
import { visible } from '../text.ts';
import { Evidence } from './evidence.tsx';
import { ProblemText, textsIn, useRequest } from './forms.tsx';
import { toast } from './toasts.tsx';

type Judgement = 'met' | 'not-met';

export function Review({ handoff, reload }: { readonly handoff: HandoffDetail; readonly reload: () => void }): VNode {
  const { id, revision, criteria = [], deliverables = [] } = handoff;
  const [judged, setJudged] = useState<Readonly<Record<string, Judgement>>>({});
  // The problem stays until the next try: somebody has to read which evidence does not hold.
  const { isBusy, problem, setProblem, run } = useRequest();
  const refused = criteria.filter((criterion) => judged[criterion] === 'not-met');
  const isJudged = criteria.every((criterion) => judged[criterion] !== undefined);
  const isMet = isJudged && refused.length === 0;

  const send = (how: 'approve' | 'rework' | 'reject', form: HTMLFormElement): void => {
    const texts = textsIn(form);
    const notes = texts['notes'] ?? '';
    const said = refused.map((criterion) => {
      const why = texts[`says-${criteria.indexOf(criterion)}`] ?? '';
      return why === '' ? `not met: ${criterion}` : `not met: ${criterion} (${why})`;
    });
    const reason = [...said, ...(notes === '' ? [] : [notes])].join('\n');
    if (how !== 'approve' && reason === '') {
      setProblem('Give a reason: mark a criterion as not met, or write a note.');
      return;
    }
    const path = `/api/handoffs/${encodeURIComponent(id)}`;
    const match = { 'if-match': `"${revision}"` };
    const approval = {
      ...(notes === '' ? {} : { notes }),
      criteria: criteria.map((criterion, index) => ({ criterion, says: texts[`says-${index}`] ?? '' })),
    };
    const [move, body, says] = {
      approve: ['verify', approval, 'Approved'],
      rework: ['rework', { reason }, 'Sent back for changes'],
      reject: ['reject', { type: 'verification', reason }, 'Rejected'],
    }[how] as [string, object, string];
    run(() =>
      postJson(`${path}/${move}`, body, match)
        .then(() => toast('good', says))
        .finally(reload),
    );
  };

  return (
    <section class="panel attention-panel" aria-label="Review">
      <h2>Review</h2>
      {deliverables.length === 0 && criteria.length === 0 ? (
        <p class="soft">The sender set no deliverables or criteria. Judge the result as a whole.</p>
      ) : null}
      <Asked handoff={handoff} />
      <h3>Shown</h3>
      <Evidence handoff={handoff} withCriteria={false} />
      {handoff.result === undefined ? null : (
        <>
          <h3>Result</h3>
          <pre tabIndex={0} aria-label="Result to review">
            <code>{visible(textFor(handoff.result)).text}</code>
          </pre>
        </>
      )}
      {criteria.length === 0 ? null : <h3>Your judgement</h3>}
      <form onSubmit={(event) => event.preventDefault()}>
        {criteria.map((criterion, index) => (
          <fieldset key={criterion} class="criterion">
            <legend>{visible(criterion).text}</legend>
            {(
              [
                ['met', 'Met'],
                ['not-met', 'Not met'],
              ] as const
            ).map(([value, label]) => (
              <label key={value}>
                <input
                  type="radio"
                  name={`judged-${index}`}
                  checked={judged[criterion] === value}
                  onChange={() => setJudged({ ...judged, [criterion]: value })}
                />
                {label}
              </label>
            ))}
            <input
              name={`says-${index}`}
              aria-label={`How you know: ${criterion}`}
              placeholder="How you know"
              autocomplete="off"
            />
          </fieldset>
        ))}
        <label>
          Notes
          <textarea name="notes" rows={2} />
        </label>
        <ProblemText text={problem} />
        <div class="buttons">
          {isMet ? null : (
            <span class="soft">
              {isJudged
                ? `${refused.length} not met: request changes or reject`
                : `${criteria.filter((criterion) => judged[criterion] === undefined).length} of ${criteria.length} not judged yet`}
            </span>
          )}
          <button type="button" class="bad" disabled={isBusy} onClick={(event) => send('reject', formOf(event))}>
            Reject
          </button>
          <button type="button" disabled={isBusy} onClick={(event) => send('rework', formOf(event))}>
            Request changes
          </button>
          <button
            type="button"
            class="primary"
            disabled={isBusy || !isMet}
            onClick={(event) => send('approve', formOf(event))}
          >
            Approve
          </button>
        </div>
      </form>
    </section>
  );
}

/** The request, so that nobody judges from memory. */
function Asked({ handoff: { input, deliverables = [], criteria = [] } }: { readonly handoff: HandoffDetail }): VNode {
  return (
    <>
      <h3>Asked</h3>
      <pre tabIndex={0} aria-label="What was asked">
        <code>{visible(textFor(input)).text}</code>
      </pre>
      {deliverables.length === 0 ? null : <p class="soft">To be shown: {visible(deliverables.join('; ')).text}</p>}
      {criteria.length === 0 ? null : <p class="soft">To be judged: {visible(criteria.join('; ')).text}</p>}
    </>
  );
}

const SHOWN_MAX = 4_000;

function textFor(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}\n… (all of it is under Data)` : text;
}

function formOf(event: { readonly currentTarget: HTMLButtonElement }): HTMLFormElement {
  return event.currentTarget.form as HTMLFormElement;
}
