/** One handoff: where it is, what may be done with it, what happened to it, what it carries. */
import type { VNode } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ask, Problem, type Shown } from '../api.ts';
import { all, version } from '../collection.ts';
import { Actions } from '../parts/actions.tsx';
import { AssuranceTag } from '../parts/assurance.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Evidence } from '../parts/evidence.tsx';
import { Data } from '../parts/json.tsx';
import { ShadowVerdict, verdictIn } from '../parts/shadow-verdict.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { titleOf, visible } from '../text.ts';
import { ago, now, whole } from '../time.ts';
import { handoffHref, place } from '../where.ts';
import { markOf, stateClass } from '../words.ts';

const Chain = lazy(async () => (await import('../parts/chain.tsx')).Chain);

export function HandoffPage(): VNode {
  const id = place.value.rest;
  const [shown, setShown] = useState<Shown | Problem | null>(null);
  const reload = useCallback(() => {
    ask<Shown>(`/api/handoffs/${encodeURIComponent(id)}`).then(setShown, (error: unknown) =>
      setShown(error instanceof Problem ? error : new Problem(0, 'fault', String(error))),
    );
  }, [id]);
  // Facts come without what the handoff carries, so a newer revision is asked for.
  const newest = version.value >= 0 ? (all().get(id)?.revision ?? 0) : 0;
  useEffect(reload, [reload, newest]);
  if (shown === null) return <p class="empty">One moment…</p>;
  if (shown instanceof Problem) {
    return (
      <div class="teach">
        <h1>{shown.status === 404 ? 'There is no such handoff' : 'This cannot be shown'}</h1>
        <p>{shown.message}</p>
        <a href="#/board">Back to the board</a>
      </div>
    );
  }
  if (shown.id !== id) return <p class="empty">One moment…</p>;
  return <Whole handoff={shown} reload={reload} />;
}

function Whole({ handoff, reload }: { readonly handoff: Shown; readonly reload: () => void }): VNode {
  const { id, state, input, context, result, failure, facts } = handoff;
  const verdict = verdictIn(handoff);
  useEffect(() => {
    document.title = `${titleOf(handoff)} · Baton`;
    return () => {
      document.title = 'Baton';
    };
  }, [handoff]);
  return (
    <article class="handoff">
      <header class={`head ${stateClass(handoff)}`}>
        <p class="crumb">
          <a href="#/board">Board</a> / <code>{id}</code>
        </p>
        <h1>
          <span class="mark" aria-hidden="true">
            {markOf(handoff)}
          </span>{' '}
          {titleOf(handoff)}
        </h1>
        <p class="way">
          <a href={`#/board?agent=${encodeURIComponent(handoff.from)}`}>{handoff.from}</a> →{' '}
          <a href={`#/board?agent=${encodeURIComponent(handoff.to)}`}>{handoff.to}</a>
          <span class={`tag state ${stateClass(handoff)}`}>{state}</span>
          {handoff.assurance === undefined ? null : <AssuranceTag assurance={handoff.assurance} />}
          {handoff.imported === undefined ? null : <span class="tag">imported from {handoff.imported}</span>}
          <span class="tag">{handoff.kind}</span>
          {handoff.priority === 'normal' ? null : (
            <span class={`tag priority-${handoff.priority}`}>{handoff.priority}</span>
          )}
          {handoff.task === null ? null : <span class="tag">{handoff.task}</span>}
          <time dateTime={handoff.since} title={whole(handoff.since)}>
            {ago(handoff.since, now.value)}
          </time>
        </p>
        <Actions handoff={handoff} reload={reload} />
      </header>
      <div class="halves">
        <div>
          {failure === undefined ? null : (
            <section class="panel bad" aria-label="Failure">
              <h2>{failure.code}</h2>
              <p>{visible(failure.message).text}</p>
              {(failure.violations ?? []).map(({ field, says }) => (
                <p key={field}>
                  <code>{field}</code>: {says}
                </p>
              ))}
            </section>
          )}
          {verdict === null ? null : <ShadowVerdict verdict={verdict} />}
          <Evidence handoff={handoff} />
          <section class="panel">
            <h2>Input</h2>
            <Data value={input} label="Input" />
          </section>
          {context === undefined ? null : (
            <section class="panel">
              <h2>Context</h2>
              <Data value={context} label="Context" />
            </section>
          )}
          {result === undefined || verdict !== null ? null : (
            <section class="panel">
              <h2>Result</h2>
              <Data value={result} label="Result" />
            </section>
          )}
          <Chain id={id} revision={handoff.revision} />
        </div>
        <div>
          <Circumstances handoff={handoff} />
          <section class="panel">
            <h2>What happened</h2>
            <Timeline facts={facts} />
          </section>
          <details class="panel">
            <summary>Raw record</summary>
            <Data value={handoff} label="Raw record" />
          </details>
        </div>
      </div>
    </article>
  );
}

function Circumstances({ handoff }: { readonly handoff: Shown }): VNode {
  const { attempt, fence, heldBy, blockedOn, notBefore, dependsOn = [], retryOf, parent, verifiers } = handoff;
  return (
    <section class="panel">
      <h2>Circumstances</h2>
      <dl class="facts">
        <Row name="Attempts" value={String(attempt)} />
        {heldBy === undefined ? null : <Row name="Held by" value={`${heldBy}, fence ${fence}`} />}
        {blockedOn === undefined ? null : (
          <Row
            name="Waits for"
            value={blockedOn.reason === 'question' ? visible(blockedOn.text).text : WAITS[blockedOn.reason]}
          />
        )}
        {notBefore === undefined ? null : <Row name="Not before" value={whole(notBefore)} />}
        {verifiers === undefined ? null : <Row name="Verifiers" value={verifiers.join(', then ')} />}
        <Row name="Created" value={whole(handoff.createdAt)} />
        <Row name="Revision" value={String(handoff.revision)} />
        {[['Retry of', retryOf], ['Follows', parent], ...dependsOn.map((each) => ['Depends on', each] as const)].map(
          ([name, other]) =>
            other === undefined ? null : (
              <div key={`${name} ${other}`}>
                <dt>{name}</dt>
                <dd>
                  <a href={handoffHref(other)}>{titleOf(all().get(other) ?? { title: null, id: other })}</a>
                </dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}

const WAITS = {
  dependency: 'what it depends on',
  artifact: 'an artifact',
  place: 'a place under a limit',
} as const;

function Row({ name, value }: { readonly name: string; readonly value: string }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
