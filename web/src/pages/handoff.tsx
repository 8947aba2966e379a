/** One handoff with its state, actions, evidence, facts and data. */
import type { ComponentChildren, VNode } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { kindOf } from '../../../src/domain/fact-types.ts';
import { getJson, Problem, readChain, type FactView, type HandoffDetail } from '../api.ts';
import { knownRow, onLiveEvent } from '../live.ts';
import { Actions } from '../parts/actions.tsx';
import { Evidence } from '../parts/evidence.tsx';
import { Data } from '../parts/json.tsx';
import { lazy } from '../parts/lazy.tsx';
import { AssuranceTag, CopyId, Loading, StateTag, When } from '../parts/labels.tsx';
import { Review } from '../parts/review.tsx';
import { ShadowVerdict, verdictIn } from '../parts/shadow-verdict.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { titleOf, visible } from '../text.ts';
import { now, span, whole } from '../time.ts';
import { handoffHref, place, withParameters, workHref } from '../location.ts';
import { isOver, toneOf } from '../states.ts';

const Chain = lazy(async () => (await import('../parts/chain.tsx')).Chain);

const TABS = ['overview', 'evidence', 'timeline', 'data', 'chain'] as const;
const RETRY_MS = 2_000;

export function HandoffPage(): VNode {
  const id = place.value.rest;
  const [shown, setShown] = useState<HandoffDetail | Problem | null>(null);
  const wanted = useRef(id);
  wanted.current = id;
  const reload = useCallback(() => {
    void getJson<HandoffDetail>(`/api/handoffs/${encodeURIComponent(id)}`)
      .catch((error: unknown) => (error instanceof Problem ? error : new Problem(0, 'fault', String(error))))
      .then((answer) => {
        // An answer may come after another handoff was opened, or after a newer answer.
        if (wanted.current === id) setShown((before) => newest(before, answer, id));
      });
  }, [id]);
  const seen = useRef(0);
  seen.current = shown === null || shown instanceof Problem || shown.id !== id ? 0 : shown.revision;
  useEffect(reload, [reload]);
  useEffect(
    () =>
      onLiveEvent(({ fact, handoff }) => {
        // The page may be newer than the event.
        if (handoff.id !== id || fact.revision <= seen.current) return;
        // The page adds it without reading the handoff again.
        if (kindOf(fact.deed)?.isRoutine === true) setShown((before) => continued(before, fact));
        else reload();
      }),
    [id, reload],
  );
  useEffect(() => {
    if (!(shown instanceof Problem) || shown.status === 404 || shown.status === 403) return undefined;
    const timer = setTimeout(reload, RETRY_MS);
    return () => clearTimeout(timer);
  }, [shown, reload]);
  if (shown === null) return <Loading rows={8} />;
  if (shown instanceof Problem) {
    return (
      <div class="teach">
        <h1>{shown.status === 404 ? 'There is no such handoff' : 'This cannot be shown'}</h1>
        <p>{shown.message}</p>
        <a href="#/work">Back to the work</a>
      </div>
    );
  }
  if (shown.id !== id) return <Loading rows={8} />;
  return <Whole handoff={shown} reload={reload} />;
}

function newest(
  before: HandoffDetail | Problem | null,
  answer: HandoffDetail | Problem,
  id: string,
): HandoffDetail | Problem {
  if (before === null || before instanceof Problem || before.id !== id) return answer;
  // A failed request leaves the earlier record on the page.
  if (answer instanceof Problem) return answer.status === 404 ? answer : before;
  return answer.revision < before.revision ? before : answer;
}

function continued(before: HandoffDetail | Problem | null, fact: FactView): HandoffDetail | Problem | null {
  if (before === null || before instanceof Problem || before.id !== fact.handoff) return before;
  if (before.facts.some((each) => each.revision >= fact.revision)) return before;
  return { ...before, revision: fact.revision, facts: [...before.facts, fact] };
}

function Whole({ handoff, reload }: { readonly handoff: HandoffDetail; readonly reload: () => void }): VNode {
  const { id, state, facts } = handoff;
  const tab = TABS.find((each) => each === place.value.with.get('tab')) ?? 'overview';
  const isReview = state === 'delivered' && (handoff.may ?? []).includes('verify');
  useEffect(() => {
    document.title = `${titleOf(handoff)} · Baton`;
    return () => {
      document.title = 'Baton';
    };
  }, [handoff]);
  return (
    <article class="handoff">
      <header class={`head ${toneOf(handoff)}`}>
        <div class="head-line">
          <h1>{titleOf(handoff)}</h1>
          <Actions handoff={handoff} reload={reload} review={isReview} />
        </div>
        <p class="way">
          <StateTag row={handoff} />
          {handoff.assurance === undefined ? null : <AssuranceTag assurance={handoff.assurance} />}
          <span>
            <a href={workHref(`agent:${handoff.from}`)}>{handoff.from}</a> →{' '}
            <a href={workHref(`agent:${handoff.to}`)}>{handoff.to}</a>
          </span>
          {handoff.priority === 'normal' ? null : (
            <span class={`tag priority-${handoff.priority}`}>{handoff.priority}</span>
          )}
          {handoff.kind === 'queue' ? null : <span class="tag">{handoff.kind}</span>}
          {handoff.task === null ? null : <span class="tag">{handoff.task}</span>}
          {handoff.imported === undefined ? null : <span class="tag">imported from {handoff.imported}</span>}
          <When at={handoff.since} />
          <CopyId id={id} />
        </p>
        <Next handoff={handoff} />
        <nav class="tabs" aria-label="Parts">
          {TABS.map((each) => (
            <a key={each} href={withParameters({ tab: each })} aria-current={each === tab ? 'true' : undefined}>
              {each}
            </a>
          ))}
        </nav>
      </header>
      {tab === 'overview' ? <Overview handoff={handoff} reload={reload} isReview={isReview} /> : null}
      {tab === 'evidence' ? <EvidenceTab handoff={handoff} /> : null}
      {tab === 'timeline' ? (
        <section class="panel" aria-label="Timeline">
          <Timeline facts={facts} />
        </section>
      ) : null}
      {tab === 'data' ? <DataTab handoff={handoff} /> : null}
      {tab === 'chain' ? (
        <Chain
          id={id}
          revision={handoff.revision}
          alone={<p class="empty">This handoff has no parent and no children.</p>}
        />
      ) : null}
    </article>
  );
}

/** The next step, who takes it, and the deadline. */
function Next({ handoff }: { readonly handoff: HandoffDetail }): VNode | null {
  const says = nextOf(handoff);
  const { until } = handoff;
  const leftMs = until === undefined ? null : new Date(until).getTime() - now.value;
  if (says === null && leftMs === null) return null;
  return (
    <p class="next">
      {says === null ? null : <>Next: {says}</>}
      {leftMs === null ? null : (
        <span class={leftMs < 60_000 ? 'tone-person' : 'soft'} title={whole(until ?? '')}>
          {' '}
          {leftMs > 0 ? `has ${span(leftMs)} left` : 'overdue'}
        </span>
      )}
    </p>
  );
}

function nextOf({ state, to, from, verifiers = [], blockedOn, notBefore, heldBy }: HandoffDetail): string | null {
  switch (state) {
    case 'draft':
      return `${from} activates it.`;
    case 'offered': {
      const waitMs = notBefore === undefined ? 0 : new Date(notBefore).getTime() - now.value;
      return waitMs > 0 ? `${to} can take it in ${span(waitMs)}.` : `${to} takes it.`;
    }
    case 'blocked':
      return blockedOn?.reason === 'question' ? 'somebody answers the question.' : WAITS[blockedOn?.reason ?? 'place'];
    case 'accepted':
      return `${heldBy ?? to} delivers;`;
    case 'delivered':
      return `${verifiers.length === 0 ? 'a verifier or the operator' : verifiers.join(' or ')} reviews it.`;
    default:
      return null;
  }
}

const WAITS = {
  dependency: 'what it depends on is completed.',
  artifact: 'the artifacts that it needs are registered.',
  place: 'capacity under a limit becomes free.',
} as const;

interface OverviewProps {
  readonly handoff: HandoffDetail;
  readonly reload: () => void;
  readonly isReview: boolean;
}

function Overview({ handoff, reload, isReview }: OverviewProps): VNode {
  const { id, input, result, failure, facts, blockedOn, state } = handoff;
  const verdict = verdictIn(handoff);
  return (
    <div class="halves">
      <div>
        {blockedOn?.reason === 'question' ? (
          <section class="panel attention-panel" aria-label="Question">
            <h2>Question</h2>
            <p class="question">{visible(blockedOn.text).text}</p>
          </section>
        ) : null}
        {failure === undefined || state === 'completed' ? null : (
          <section class="panel bad" aria-label="Failure">
            <h2>{failure.code}</h2>
            <p class="pre">{visible(failure.message).text}</p>
            {(failure.violations ?? []).map(({ field, says }) => (
              <p key={field}>
                <code>{field}</code>: {says}
              </p>
            ))}
          </section>
        )}
        {isReview ? <Review handoff={handoff} reload={reload} /> : null}
        {verdict === null ? null : <ShadowVerdict verdict={verdict} />}
        {isReview ? null : <Evidence handoff={handoff} />}
        {isReview ? null : (
          <section class="panel">
            <h2>Asked</h2>
            <Data value={input} label="Input" />
          </section>
        )}
        {isReview || result === undefined || verdict !== null ? null : (
          <section class="panel">
            <h2>Result</h2>
            <Data value={result} label="Result" />
          </section>
        )}
      </div>
      <div>
        <Details handoff={handoff} />
        <section class="panel">
          <h2>
            Lately <a href={withParameters({ tab: 'timeline' })}>all {facts.length}</a>
          </h2>
          <Timeline facts={facts.slice(-LATELY)} />
        </section>
        <Chain id={id} revision={handoff.revision} alone={null} />
      </div>
    </div>
  );
}

const LATELY = 6;

function EvidenceTab({ handoff }: { readonly handoff: HandoffDetail }): VNode {
  const { deliverables = [], criteria = [], check } = handoff;
  if (deliverables.length === 0 && criteria.length === 0) {
    return <p class="empty">The sender asked for no deliverables.</p>;
  }
  return (
    <>
      {check === undefined ? null : (
        <p class="soft">
          The sender has fixed the command that counts: <code>{visible(check).text}</code>
        </p>
      )}
      <Evidence handoff={handoff} />
    </>
  );
}

function DataTab({ handoff }: { readonly handoff: HandoffDetail }): VNode {
  const { input, context, result } = handoff;
  const parts = [
    ['Input', input],
    ['Context', context],
    ['Result', result],
    ['Raw record', handoff],
  ] as const;
  return (
    <>
      {parts.map(([name, value]) =>
        value === undefined ? null : (
          <section key={name} class="panel">
            <h2>{name}</h2>
            <Data value={value} label={name} />
          </section>
        ),
      )}
    </>
  );
}

function Details({ handoff }: { readonly handoff: HandoffDetail }): VNode {
  const { id, attempt, attemptsMax, fence, heldBy, notBefore, dependsOn = [], retryOf, parent, verifiers } = handoff;
  const retries = useRetries(id, handoff.state);
  const links = [
    ...retries.map((each) => ['Retried as', each] as const),
    ['Retry of', retryOf] as const,
    ['Follows', parent] as const,
    ...dependsOn.map((each) => ['Waits for', each] as const),
  ];
  return (
    <section class="panel">
      <h2>Details</h2>
      <dl class="facts">
        <Line name="Attempts">{`${attempt}${attemptsMax === undefined ? '' : ` of ${attemptsMax}`}`}</Line>
        {heldBy === undefined ? null : <Line name="Held by">{`${heldBy}, fence ${fence}`}</Line>}
        {notBefore === undefined ? null : <Line name="Not before">{whole(notBefore)}</Line>}
        {verifiers === undefined ? null : <Line name="Reviewers">{verifiers.join(' or ')}</Line>}
        <Line name="Created">{whole(handoff.createdAt)}</Line>
        <Line name="Revision">{handoff.revision}</Line>
        {links.map(([name, other]) =>
          other === undefined ? null : (
            <Line key={`${name} ${other}`} name={name}>
              <a href={handoffHref(other)}>{titleOf(knownRow(other) ?? { title: null, id: other })}</a>
              {name === 'Retried as' ? ' →' : ''}
            </Line>
          ),
        )}
      </dl>
    </section>
  );
}

/** The ids of handoffs that retry this one. */
function useRetries(id: string, state: HandoffDetail['state']): readonly string[] {
  const [found, setFound] = useState<readonly string[]>([]);
  useEffect(() => {
    setFound([]);
    if (!isOver(state) || state === 'completed') return undefined;
    return readChain(id, (legs) => setFound(legs.filter(({ retryOf }) => retryOf === id).map((leg) => leg.id)));
  }, [id, state]);
  return found;
}

function Line({ name, children }: { readonly name: string; readonly children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
