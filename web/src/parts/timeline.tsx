/** Everything that happened to a handoff, in order, with who did it. */
import type { VNode } from 'preact';
import { factText } from '../../../src/interfaces/shared/fact-text.ts';
import type { FactView } from '../api.ts';
import { visible } from '../text.ts';
import { ago, now, span, whole } from '../time.ts';
import { MARKS } from '../words.ts';

const DEEDS: Readonly<Record<string, string>> = {
  create: 'created',
  offer: 'offered',
  accept: 'accepted',
  renew: 'renewed its lease',
  progress: 'told progress',
  deliver: 'delivered',
  verify: 'agreed to',
  complete: 'completed, as nobody has to agree',
  rework: 'sent back for rework',
  reoffer: 'offered again for rework',
  retry: 'failed; will be tried again',
  release: 'gave it back',
  fail: 'failed',
  reject: 'rejected',
  expire: 'expired',
  cancel: 'cancelled',
  block: 'blocked',
  unblock: 'unblocked',
  supersede: 'followed the shared history',
};

export function Timeline({ facts }: { readonly facts: readonly FactView[] }): VNode {
  return (
    <ol class="timeline">
      {facts.map((fact, index) => {
        const before = facts[index - 1];
        const waited = before === undefined ? null : new Date(fact.at).getTime() - new Date(before.at).getTime();
        return (
          <li key={fact.revision} class={`state-${fact.to}`}>
            <span class="mark" aria-hidden="true">
              {MARKS[fact.to]}
            </span>
            <div>
              <strong>{DEEDS[fact.deed] ?? fact.deed}</strong> by <span title={`proof: ${fact.proof}`}>{fact.by}</span>
              {fact.attempt > 0 ? <span class="tag">try {fact.attempt}</span> : null}
              <Detail detail={fact.detail} />
              <span class="when">
                <time dateTime={fact.at} title={whole(fact.at)}>
                  {ago(fact.at, now.value)}
                </time>
                {waited === null ? null : ` · after ${span(waited)}`}
              </span>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** Words of the doer, in the order in which they were said. What is long stands in the raw record. */
function Detail({ detail }: { readonly detail: unknown }): VNode | null {
  const entries = factText(detail).filter(({ name }) => name !== 'checks');
  if (entries.length === 0) return null;
  return (
    <dl class="detail">
      {entries.map(({ name, words }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{shortened(words.join('\n'))}</dd>
        </div>
      ))}
    </dl>
  );
}

const DETAIL_MAX = 600;

function shortened(given: string): string {
  const { text } = visible(given);
  return text.length > DETAIL_MAX ? `${text.slice(0, DETAIL_MAX)}…` : text;
}
