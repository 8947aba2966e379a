/** A lane for each agent with a bar for each attempt. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AttemptsAnswer } from '../api.ts';
import { usePolled } from '../polled.ts';
import { titleOf } from '../text.ts';
import { now, span } from '../time.ts';
import { handoffHref, workHref } from '../location.ts';
import { Pending } from './labels.tsx';

const SPANS = [
  ['15', '15 min'],
  ['60', '1 h'],
  ['180', '3 h'],
  ['720', '12 h'],
] as const;
const DRAWN_MAX = 400;

export function Lanes({ agent }: { readonly agent?: string | undefined }): VNode {
  const [minutes, setMinutes] = useState('15');
  const { answer, error } = usePolled<AttemptsAnswer>(`/api/attempts?minutes=${minutes}`);
  if (answer === null) return <Pending error={error} rows={5} />;
  const endMs = now.value;
  const startMs = endMs - Number(minutes) * 60_000;
  const wanted = agent === undefined ? answer.items : answer.items.filter((each) => each.agent === agent);
  const drawn = wanted.slice(-DRAWN_MAX);
  const agents = [...new Set(drawn.map((each) => each.agent))].toSorted();
  return (
    <section class="panel lanes" aria-label="Timeline">
      <div class="lanes-head">
        <h2>Last {SPANS.find(([value]) => value === minutes)?.[1]}</h2>
        <label>
          Show{' '}
          <select value={minutes} onChange={(event) => setMinutes(event.currentTarget.value)}>
            {SPANS.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {agents.length === 0 ? <p class="empty">Nobody was at work in this time.</p> : null}
      {agents.map((name) => (
        <div key={name} class="lane">
          <a class="lane-name" href={workHref(`to:${name}`)}>
            {name}
          </a>
          <ol class="bars-row">
            {drawn
              .filter((each) => each.agent === name)
              .map((each) => (
                <Bar key={`${each.handoff} ${each.from}`} attempt={each} startMs={startMs} endMs={endMs} />
              ))}
          </ol>
        </div>
      ))}
      {wanted.length > drawn.length ? <p class="soft">Only the newest {DRAWN_MAX} attempts are drawn.</p> : null}
    </section>
  );
}

interface BarProps {
  readonly attempt: AttemptsAnswer['items'][number];
  readonly startMs: number;
  readonly endMs: number;
}

function Bar({ attempt, startMs, endMs }: BarProps): VNode {
  const { handoff, title, number, from, until, end } = attempt;
  const [fromMs, untilMs] = [new Date(from).getTime(), until === null ? endMs : new Date(until).getTime()];
  const share = (at: number): number =>
    (100 * Math.min(Math.max(at - startMs, 0), endMs - startMs)) / (endMs - startMs);
  const [left, right] = [share(fromMs), share(untilMs)];
  const tone = until === null ? 'tone-running' : (END_TONES[end ?? ''] ?? 'tone-broken');
  const lasted = untilMs - fromMs;
  const says = `${titleOf({ title, id: handoff })}, attempt ${number}, ${until === null ? 'at work for' : `${END_WORDS[end ?? ''] ?? end} after`} ${span(Math.max(0, lasted))}`;
  return (
    <li style={{ left: `${left}%`, width: `${Math.max(right - left, 0.4)}%` }}>
      <a class={`lane-bar ${tone}`} href={handoffHref(handoff)} title={says} aria-label={says} />
    </li>
  );
}

const END_TONES: Readonly<Record<string, string>> = {
  deliver: 'tone-rest',
  release: 'tone-person',
  block: 'tone-person',
};

const END_WORDS: Readonly<Record<string, string>> = {
  deliver: 'delivered',
  fail: 'failed',
  retry: 'failed',
  release: 'given back',
  block: 'stopped with a question',
  reject: 'rejected',
  cancel: 'cancelled',
};
