/** The facts of a handoff in order. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { kindOf } from '../../../src/domain/fact-types.ts';
import { factText } from '../../../src/interfaces/shared/fact-text.ts';
import type { FactView } from '../api.ts';
import { visible } from '../text.ts';
import { span } from '../time.ts';
import { STATES } from '../states.ts';
import { When } from './labels.tsx';

/** Of consecutive progress reports only the newest is shown, until the reader unfolds them. */
export function Timeline({ facts }: { readonly facts: readonly FactView[] }): VNode {
  const [isOpen, setOpen] = useState(false);
  const isSaid = ({ deed }: FactView): boolean => kindOf(deed)?.isRoutine === true;
  const shown = isOpen ? facts : facts.filter((fact, index) => !isSaid(fact) || !isSaid(facts[index + 1] ?? END));
  const folded = facts.length - shown.length;
  return (
    <>
      <ol class="timeline">
        {shown.map((fact, index) => {
          const before = shown[index - 1];
          const waited = before === undefined ? null : new Date(fact.at).getTime() - new Date(before.at).getTime();
          const isNewAttempt = fact.attempt > 0 && fact.attempt !== (before?.attempt ?? 0);
          return (
            <li key={fact.revision}>
              {isNewAttempt ? <p class="attempt">Attempt {fact.attempt}</p> : null}
              <div class="deed">
                <span class="mark" aria-hidden="true">
                  {STATES[fact.to].mark}
                </span>
                <div>
                  <strong>{kindOf(fact.deed)?.text ?? fact.deed}</strong> by{' '}
                  <span title={`proof: ${fact.proof}`}>{fact.by}</span>
                  <span class="when">
                    <When at={fact.at} />
                    {waited === null ? null : ` · after ${span(waited)}`}
                  </span>
                  <Detail detail={fact.detail} />
                </div>
              </div>
            </li>
          );
        })}
      </ol>
      {folded === 0 && !isOpen ? null : (
        <button type="button" class="quiet" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fold progress' : `Show ${folded} more words of progress`}
        </button>
      )}
    </>
  );
}

const END = { deed: 'create' } as unknown as FactView;

/** The detail of a fact. Long texts are cut; the raw record has them. */
function Detail({ detail }: { readonly detail: unknown }): VNode | null {
  const entries = factText(detail).filter(({ name }) => !TECHNICAL.includes(name));
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

/** Proofs of a fact, which only the raw record shows. */
const TECHNICAL = ['checks', 'via', 'user', 'policy', 'seal', 'claims', 'where', 'sameUser'];
const DETAIL_MAX = 600;

function shortened(given: string): string {
  const { text } = visible(given);
  return text.length > DETAIL_MAX ? `${text.slice(0, DETAIL_MAX)}…` : text;
}
