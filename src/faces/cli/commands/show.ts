import type { Fact } from '../../../domain/facts.ts';
import { show as showHandoff } from '../../../engine/verbs/look.ts';
import { detailWords } from '../../shared/detail-words.ts';
import { displayLine, displayText } from '../../../foundation/display-text.ts';
import { factView, wholeView } from '../../shared/views.ts';
import { idArgument } from '../arguments.ts';
import { inHouse, type CommonOptions } from '../invocation.ts';
import { answerColours as colours, type Output } from '../output.ts';
import { problemOf } from '../problem.ts';

export async function show(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const id = idArgument(args[0], 'id');
  return inHouse(options, { scope: 'read', onlyReads: true }, async (around, principal) => {
    const found = await showHandoff(around, principal, id);
    if (!found.ok) throw problemOf(found.refusal);
    const { facts, ...whole } = found.value;
    const view = wholeView(whole);
    if (output.json) output.answer({ ...view, facts: facts.map(factView) });
    else output.line(pageOf(view, facts));
    return 0;
  });
}

/** Long things come last, each under its name. */
const BELOW = ['input', 'context', 'result', 'failure', 'claims'];

function pageOf(view: Readonly<Record<string, unknown>>, facts: readonly Fact[]): string {
  const short = Object.entries(view).filter(([name, value]) => !BELOW.includes(name) && value !== null);
  const width = Math.max(...short.map(([name]) => name.length));
  const lines = short.map(([name, value]) => `${colours.dim(name.padEnd(width))}  ${plain(value)}`);
  const long = BELOW.filter((name) => view[name] !== undefined && view[name] !== null).map(
    (name) => `\n${colours.bold(name)}\n${displayText(JSON.stringify(view[name], null, 2))}`,
  );
  const timeline = facts.map(
    ({ at, revision, deed, to, by, detail }) =>
      `${colours.dim(new Date(at).toISOString())}  ${String(revision).padStart(3)}  ${deed.padEnd(8)} → ${to.padEnd(9)}  ` +
      displayLine(`${by}${detail === '' ? '' : `  ${inWords(detail)}`}`),
  );
  return [...lines, ...long, `\n${colours.bold('what happened')}`, ...timeline].join('\n');
}

/** In quotes, so that no words of an agent look like a line of ours. */
function inWords(detail: string): string {
  const entries = detailWords(JSON.parse(detail), JSON.stringify);
  return entries.length === 0 ? detail : entries.map(({ name, words }) => `${name} ${words.join(', ')}`).join('  ');
}

function plain(value: unknown): string {
  return displayLine(typeof value === 'string' ? value : JSON.stringify(value));
}
