import type { Fact } from '../../../domain/facts.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import { isFinal } from '../../../domain/lifecycle.ts';
import { displayLine, displayText } from '../../../foundation/display-text.ts';
import type { Results } from '../../../operations/operation.ts';
import { factText } from '../../shared/fact-text.ts';
import { factView, wholeView } from '../../shared/views.ts';
import { answerColours as colours } from '../output.ts';
import { durationText } from '../table.ts';
import type { PrintContext } from './run-operation.ts';

export function printShown({ facts, ...whole }: Results['shown'], { output, agentTermsOf }: PrintContext): void {
  const view = wholeView(whole);
  if (output.json) output.answer({ ...view, facts: facts.map(factView) });
  else output.line(pageOf({ ...view, ...termsOf(whole.handoff, agentTermsOf(whole.handoff)) }, facts));
}

/** The number and length of attempts of an open handoff. AI agents have other defaults. */
function termsOf(
  { kind, state, terms }: Handoff,
  agent: ReturnType<PrintContext['agentTermsOf']>,
): { attempts?: string } {
  if (kind !== 'queue' || isFinal(state)) return {};
  const said = attemptsText(terms.retry.retriesMax, terms.attemptTimeoutMs);
  const byAgent = attemptsText(agent.retriesMax, agent.attemptTimeoutMs);
  return { attempts: said === byAgent ? said : `${said}; where baton work --agent does it: ${byAgent}` };
}

function attemptsText(retriesMax: number, timeoutMs: number | null): string {
  return `at most ${retriesMax + 1}${timeoutMs === null ? '' : `, each at most ${durationText(timeoutMs)}`}`;
}

/** Long fields come last, each under its name. */
const BELOW = ['input', 'context', 'result', 'failure', 'claims'];

function pageOf(view: Readonly<Record<string, unknown>>, facts: readonly Fact[]): string {
  const short = Object.entries(view).filter(([name, value]) => !BELOW.includes(name) && value !== null);
  const width = Math.max(...short.map(([name]) => name.length));
  const lines = short.map(([name, value]) => `${colours.dim(name.padEnd(width))}  ${plain(value)}`);
  const long = BELOW.filter((name) => view[name] !== undefined && view[name] !== null).map(
    (name) => `\n${colours.bold(name)}\n${displayText(JSON.stringify(view[name], null, 2))}`,
  );
  return [...lines, ...long, `\n${colours.bold('facts')}`, ...facts.map(factLine)].join('\n');
}

export function factLine({ at, revision, deed, to, by, detail }: Fact): string {
  return (
    `${colours.dim(new Date(at).toISOString())}  ${String(revision).padStart(3)}  ${deed.padEnd(8)} → ${to.padEnd(9)}  ` +
    displayLine(`${by}${detail === '' ? '' : `  ${inWords(detail)}`}`)
  );
}

/** Quotes texts of agents, so that none of them looks like a line of the output. */
function inWords(detail: string): string {
  const entries = factText(JSON.parse(detail), JSON.stringify);
  return entries.length === 0 ? detail : entries.map(({ name, words }) => `${name} ${words.join(', ')}`).join('  ');
}

function plain(value: unknown): string {
  return displayLine(typeof value === 'string' ? value : JSON.stringify(value));
}
