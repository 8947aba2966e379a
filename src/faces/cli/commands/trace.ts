import { writeFileSync } from 'node:fs';
import type { Handoff } from '../../../domain/handoff.ts';
import { isFinal } from '../../../domain/lifecycle.ts';
import { trace as traceHandoff } from '../../../engine/verbs/look.ts';
import { legsOf, type Leg } from '../../shared/chain.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { handoffView } from '../../shared/views.ts';
import { idArgument } from '../arguments.ts';
import { chainSvg } from '../chain-svg.ts';
import { inHouse, type CommonOptions } from '../invocation.ts';
import { answerColours as colours, type Output } from '../output.ts';
import { faceProblem, problemOf } from '../problem.ts';
import { ageOf } from '../table.ts';

export async function trace(
  args: readonly string[],
  options: CommonOptions & { readonly svg?: string },
  output: Output,
): Promise<number> {
  const id = idArgument(args[0], 'id');
  return inHouse(options, { scope: 'read', onlyReads: true }, async (around, principal) => {
    const found = await traceHandoff(around, principal, id);
    if (!found.ok) throw problemOf(found.refusal);
    const legs = legsOf(found.value);
    if (options.svg !== undefined) writeDrawing(options.svg, chainSvg(legs));
    const nowMs = around.store.nowMs();
    if (output.json) output.answer({ root: found.value[0]?.id ?? id, legs: found.value.map(handoffView) });
    else for (const leg of legs) output.line(lineOf(leg, nowMs, leg.handoff.id === id));
    return 0;
  });
}

function writeDrawing(path: string, svg: string): void {
  try {
    writeFileSync(path, svg);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw faceProblem('bad-request', `cannot write ${JSON.stringify(path)}: ${reason}`);
  }
}

function lineOf({ handoff, goesOn }: Leg, nowMs: number, isAsked: boolean): string {
  const above = goesOn.slice(1, -1).map((more) => (more ? '│  ' : '   '));
  const branch = goesOn.length === 1 ? '' : goesOn.at(-1) === true ? '├─ ' : '└─ ';
  const { id, from, to, state, title, attempt, createdAt, since } = handoff;
  const tookMs = (isFinal(state) ? since : nowMs) - createdAt;
  const more = [title === null ? '' : `“${title}”`, attempt > 1 ? `attempt ${attempt}` : '', retryOf(handoff)];
  const told = [`@${from} → @${to}`, coloured(state), ageOf(tookMs), ...more.filter((text) => text !== '')];
  const name = isAsked ? colours.bold(id) : id;
  return `${above.join('')}${branch}${name}  ${displayLine(told.slice(0, 1).join(''))}  ${told[1]}  ${displayLine(told.slice(2).join('  '))}`;
}

function retryOf({ lineage }: Handoff): string {
  return lineage.retryOf === null ? '' : `retry of ${lineage.retryOf}`;
}

function coloured(state: Handoff['state']): string {
  if (state === 'completed') return colours.green(state);
  return isFinal(state) ? colours.red(state) : colours.yellow(state);
}
