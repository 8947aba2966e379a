/** The deliverables with their evidence and the results of the checks, and the criteria. */
import type { VNode } from 'preact';
import { evidenceValue } from '../../../src/domain/evidence.ts';
import type { ShownEvidence } from '../../../src/engine/evidence-checker.ts';
import type { HandoffDetail } from '../api.ts';
import { usePolled } from '../polled.ts';
import { visible } from '../text.ts';

interface Check {
  readonly deliverable: string;
  readonly verdict: 'true' | 'false' | 'held';
  readonly says: string;
}

const VERDICTS: Readonly<Record<Check['verdict'], readonly [mark: string, word: string, tone: string]>> = {
  true: ['✓', 'checked:', ''],
  false: ['✕', 'does not hold:', 'tone-broken'],
  held: ['◌', 'claimed;', 'tone-person'],
};

interface Props {
  readonly handoff: HandoffDetail;
  /** False in the review, which shows the criteria itself. @default true */
  readonly withCriteria?: boolean;
}

export function Evidence({ handoff, withCriteria = true }: Props): VNode | null {
  const { deliverables = [], criteria: agreed = [], claims = [], assurance } = handoff;
  const criteria = withCriteria ? agreed : [];
  if (deliverables.length === 0 && criteria.length === 0) return null;
  // Only reviewers may see the changes themselves.
  const path = withCriteria ? null : `/api/handoffs/${encodeURIComponent(handoff.id)}/evidence`;
  const { answer } = usePolled<{ readonly items: readonly ShownEvidence[] }>(path, { everyMs: 10_000, always: true });
  const checks = checksIn(handoff);
  const judged = judgedIn(handoff);
  return (
    <section class={withCriteria ? 'panel' : ''} aria-label="Evidence">
      {deliverables.length === 0 ? null : <h3>Deliverables</h3>}
      <ul class="evidence">
        {deliverables.map((deliverable) => {
          const shown = claims.find((claim) => claim.deliverable === deliverable)?.evidence ?? [];
          const found = checks.filter((check) => check.deliverable === deliverable);
          return (
            <li key={deliverable}>
              <strong>{visible(deliverable).text}</strong>{' '}
              <span class="tag">{wordFor(shown.length > 0, assurance)}</span>
              {shown.map((evidence) => (
                <EvidenceItem
                  key={JSON.stringify(evidence)}
                  evidence={evidence}
                  seen={seenIn(answer?.items ?? [], deliverable, evidence)}
                />
              ))}
              {found.map(({ verdict, says, when }) => (
                <Verdict key={`${when} ${says}`} verdict={verdict} says={says} when={when} />
              ))}
            </li>
          );
        })}
      </ul>
      {criteria.length === 0 ? null : (
        <>
          <h3>Criteria</h3>
          <ul class="evidence">
            {criteria.map((criterion) => (
              <li key={criterion}>
                {visible(criterion).text} <span class="tag">{judged.has(criterion) ? 'agreed' : 'not judged'}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Verdict({ verdict, says, when }: Omit<Check, 'deliverable'> & { readonly when: string }): VNode {
  const [mark, word, tone] = VERDICTS[verdict];
  return (
    <p class={`verdict pre ${tone}`}>
      {mark} {when}: {word} {visible(says).text}
    </p>
  );
}

interface EvidenceProps {
  readonly evidence: NonNullable<HandoffDetail['claims']>[number]['evidence'][number];
  /** Null while there is no answer. */
  readonly seen: ShownEvidence | null;
}

function EvidenceItem({ evidence, seen }: EvidenceProps): VNode {
  const { now = null, diff = null } = seen ?? {};
  return (
    <>
      <p class="shown">
        <span class="tag">{evidence.kind}</span> <code>{visible(valueOf(evidence)).text}</code>
      </p>
      {now === null ? null : <Verdict {...now} when="now" />}
      {seen !== null && evidence.kind === 'command' ? <p class="soft">It runs again when you approve.</p> : null}
      {diff === null ? null : (
        <details class="diff" open>
          <summary>
            Changes{diff.isCut ? ' (the first 200 KiB)' : ''}: {linesIn(diff.text)}
          </summary>
          <pre tabIndex={0} aria-label={`Changes of ${valueOf(evidence)}`}>
            <code>
              {diff.text.split('\n').map((line, at) => (
                <span key={at} class={toneOfLine(line)}>
                  {visible(line).text}
                  {'\n'}
                </span>
              ))}
            </code>
          </pre>
        </details>
      )}
    </>
  );
}

function seenIn(
  items: readonly ShownEvidence[],
  deliverable: string,
  evidence: EvidenceProps['evidence'],
): ShownEvidence | null {
  const text = JSON.stringify(evidence);
  return items.find((each) => each.deliverable === deliverable && JSON.stringify(each.evidence) === text) ?? null;
}

function toneOfLine(line: string): string {
  if (/^(?:diff |index |\+\+\+|---|new file|deleted file|similarity|rename )/.test(line)) return 'diff-head';
  if (line.startsWith('@@')) return 'diff-place';
  return line.startsWith('+') ? 'diff-added' : line.startsWith('-') ? 'diff-removed' : '';
}

/** The counts, because color must not be the only sign. */
function linesIn(text: string): string {
  const tones = text.split('\n').map(toneOfLine);
  const count = (tone: string): number => tones.filter((each) => each === tone).length;
  return `${count('diff-added')} lines added, ${count('diff-removed')} removed`;
}

function wordFor(isShown: boolean, assurance: HandoffDetail['assurance']): string {
  if (assurance === 'verified' || assurance === 'attested') return assurance;
  return isShown ? 'claimed' : 'nothing shown';
}

/** The criteria that a verifier has approved. */
function judgedIn({ facts }: HandoffDetail): ReadonlySet<string> {
  const told = facts.findLast(({ deed }) => deed === 'verify')?.detail as { readonly criteria?: unknown } | undefined;
  const list = Array.isArray(told?.criteria) ? (told.criteria as readonly { readonly criterion?: unknown }[]) : [];
  return new Set(list.map(({ criterion }) => String(criterion)));
}

/** The checks at delivery and at review. A result that is the same at both is listed once. */
function checksIn({ facts }: HandoffDetail): readonly (Check & { readonly when: string })[] {
  const of = (deed: (each: string) => boolean, when: string): readonly (Check & { readonly when: string })[] => {
    const told = facts.findLast((fact) => deed(fact.deed) && Array.isArray(detailOf(fact)?.checks));
    const checks = (told === undefined ? [] : (detailOf(told)?.checks ?? [])) as readonly Check[];
    return checks.map((check) => ({ ...check, when }));
  };
  const first = of((deed) => deed === 'deliver', 'at delivery');
  const later = of((deed) => deed !== 'deliver', 'at review');
  const isSame = (a: Check, b: Check): boolean => a.deliverable === b.deliverable && a.says === b.says;
  return [...first, ...later.filter((check) => !first.some((each) => isSame(each, check)))];
}

function detailOf({ detail }: HandoffDetail['facts'][number]): { readonly checks?: unknown } | undefined {
  return detail as { readonly checks?: unknown } | undefined;
}

function valueOf(evidence: NonNullable<HandoffDetail['claims']>[number]['evidence'][number]): string {
  switch (evidence.kind) {
    case 'file':
      return `${evidence.path} (sha256 ${evidence.sha256.slice(0, 12)}…)`;
    case 'command':
      return `${evidence.command} (exit ${evidence.exitCode}${evidence.elsewhere === true ? ', run elsewhere' : ''})`;
    case 'shadow':
      return `verdict of ${evidence.handoff} (tree ${evidence.tree.slice(0, 12)}…)`;
    default:
      return evidenceValue(evidence);
  }
}
