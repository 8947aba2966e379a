import { assuranceOf } from '../../../domain/assurance.ts';
import { writeFileSync } from 'node:fs';
import type { Handoff } from '../../../domain/handoff.ts';
import { isFinal } from '../../../domain/lifecycle.ts';
import { shortIdOf } from '../../../domain/names.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { codeOf } from '../../../foundation/system-error-code.ts';
import type { Results } from '../../../operations/operation.ts';
import { legsOf, type Leg } from '../../shared/chain.ts';
import { handoffView } from '../../shared/views.ts';
import { chainSvg } from '../chain-svg.ts';
import { answerColours as colours } from '../output.ts';
import { cliProblem } from '../problem.ts';
import { ageOf } from '../table.ts';
import type { PrintContext } from './run-operation.ts';

export function printChain(
  chain: Results['chain'],
  { output, input: { id }, options: { svg }, nowMs }: PrintContext,
): void {
  const legs = legsOf(chain);
  if (typeof svg === 'string') writeDrawing(svg, chainSvg(legs));
  if (output.json) output.answer({ root: chain[0]?.id ?? id, legs: chain.map(handoffView) });
  else for (const leg of legs) output.line(lineOf(leg, nowMs, leg.handoff.id === id));
}

function writeDrawing(path: string, svg: string): void {
  try {
    writeFileSync(path, svg);
  } catch (error) {
    const reason = codeOf(error) ?? String(error);
    throw cliProblem('bad-request', `cannot write ${JSON.stringify(path)}: ${reason}`);
  }
}

function lineOf({ handoff, hasNextSibling }: Leg, nowMs: number, isAsked: boolean): string {
  const above = hasNextSibling.slice(1, -1).map((more) => (more ? '│  ' : '   '));
  const branch = hasNextSibling.length === 1 ? '' : hasNextSibling.at(-1) === true ? '├─ ' : '└─ ';
  const { id, from, to, state, title, attempt, createdAt, since } = handoff;
  const tookMs = (isFinal(state) ? since : nowMs) - createdAt;
  const after =
    handoff.terms.dependsOn.length === 0 ? '' : `after ${handoff.terms.dependsOn.map(shortIdOf).join(', ')}`;
  const more = [title === null ? '' : `“${title}”`, attempt > 1 ? `attempt ${attempt}` : '', retryOf(handoff), after];
  const assurance = assuranceOf(handoff);
  const proven = assurance === null ? '' : ` (${assurance})`;
  const parts = [
    `@${from} → @${to}`,
    `${coloured(state)}${proven}`,
    ageOf(tookMs),
    ...more.filter((text) => text !== ''),
  ];
  const name = isAsked ? colours.bold(shortIdOf(id)) : shortIdOf(id);
  return `${above.join('')}${branch}${name}  ${displayLine(parts.slice(0, 1).join(''))}  ${parts[1]}  ${displayLine(parts.slice(2).join('  '))}`;
}

function retryOf({ lineage }: Handoff): string {
  return lineage.retryOf === null ? '' : `retry of ${shortIdOf(lineage.retryOf)}`;
}

function coloured(state: Handoff['state']): string {
  if (state === 'completed') return colours.green(state);
  return isFinal(state) ? colours.red(state) : colours.yellow(state);
}
