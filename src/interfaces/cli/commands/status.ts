import { countedAttempts, failedDependencyOf, type Handoff } from '../../../domain/handoff.ts';
import type { Attention } from '../../../engine/handoffs/status.ts';
import { shortIdOf } from '../../../domain/names.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import type { Results } from '../../../operations/operation.ts';
import { statusView } from '../../shared/views.ts';
import type { WorkNote } from '../../shared/work-note.ts';
import { answerColours as colours } from '../output.ts';
import { ageOf } from '../table.ts';
import type { PrintContext } from './run-operation.ts';

/** For each list. The rest is counted. */
const SHOWN_MAX = 10;

export async function printStatus(status: Results['status'], { output, nowMs, noteOf }: PrintContext): Promise<void> {
  if (output.json) return output.answer(statusView(status));
  const { attention, atWork, waiting, isWhole } = status;
  const waits = waiting.reduce((sum, { offered, blocked }) => sum + offered + blocked, 0);
  const noted: readonly NotedHandoff[] = await Promise.all(
    attention
      .slice(0, SHOWN_MAX)
      .map(async (each) => ({ ...each, note: isAboutFailure(each) ? await noteOf(each.handoff) : {} })),
  );
  const lines = [
    ...section(
      `${attention.length} ${attention.length === 1 ? 'needs' : 'need'} a person`,
      noted,
      (each) => attentionLines(each, nowMs),
      attention.length,
    ),
    ...section(`${atWork.length} at work`, atWork, (handoff) => [atWorkLine(handoff, nowMs)]),
    ...section(`${waits} waiting`, waiting, (each) => waitingLines(each, nowMs)),
  ];
  output.line(lines.join('\n'));
  if (!isWhole) output.note('more is open than was looked at: these are the newest');
}

function section<Each>(
  title: string,
  items: readonly Each[],
  linesOf: (item: Each) => readonly string[],
  count = items.length,
): string[] {
  const rest = count - SHOWN_MAX;
  return [
    colours.bold(title),
    ...items.slice(0, SHOWN_MAX).flatMap(linesOf),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ];
}

type NotedHandoff = Attention & { readonly note: WorkNote };

function isAboutFailure({ why }: Attention): boolean {
  return why === 'failing' || why === 'failed';
}

function attentionLines({ why, handoff, note }: NotedHandoff, nowMs: number): readonly string[] {
  const { id, from, to, title, since, blockedOn } = handoff;
  const name = displayLine(title ?? '');
  const short = shortIdOf(id);
  const head = `  ${short}  @${from} → @${to}  ${ageOf(nowMs - since)}${name === '' ? '' : `  ${name}`}`;
  switch (why) {
    case 'question': {
      const text = blockedOn?.reason === 'question' ? blockedOn.text : '';
      return [head, `    asks: ${displayLine(text)}`, next(`baton unblock ${short} --answer TEXT`)];
    }
    case 'dependency': {
      const failed = shortIdOf(failedDependencyOf(handoff) ?? '');
      return [head, `    waits for ${failed}, which did not succeed`, next(`baton retry ${failed}`)];
    }
    case 'review':
      return [
        head,
        '    delivered; somebody who neither sent nor did it has to verify it',
        next(`baton show ${short}`),
      ];
    case 'overdue':
      return [head, '    nobody has taken it, and its time is nearly over', next(`baton show ${short}`)];
    case 'failing': {
      const { notBefore } = handoff;
      const again = notBefore > nowMs ? `; next attempt in ${ageOf(notBefore - nowMs)}` : '';
      const attempt = `attempt ${countedAttempts(handoff)} failed${again}`;
      return [head, `    ${attempt}${reasonIn(note)}`, next(`baton show ${short}`)];
    }
    case 'failed':
      return [head, `    ${handoff.state}${reasonIn(note)}`, next(`baton retry ${short}`)];
  }
}

function reasonIn({ failure }: WorkNote): string {
  const [says = ''] = failure?.message.split('\n', 1) ?? [];
  return says === '' ? '' : `: ${displayLine(says)}`;
}

function next(command: string): string {
  return colours.dim(`    → ${command}`);
}

function atWorkLine({ id, to, title, since, attempt }: Handoff, nowMs: number): string {
  const name = displayLine(title ?? '');
  return `  @${to}  ${shortIdOf(id)}  ${ageOf(nowMs - since)}${attempt > 1 ? `, attempt ${attempt}` : ''}${name === '' ? '' : `  ${name}`}`;
}

function waitingLines(
  { agent, offered, blocked, oldestAt, workers }: Results['status']['waiting'][number],
  nowMs: number,
): readonly string[] {
  const parts = [
    ...(offered > 0 ? [`${offered} offered`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    `oldest ${ageOf(nowMs - oldestAt)}`,
  ];
  const line = `  @${agent}  ${parts.join(', ')}`;
  if (workers > 0 || offered === 0) return [line];
  return [`${line}; nobody works as @${agent}`, next(`baton work @${agent} -- COMMAND`)];
}
