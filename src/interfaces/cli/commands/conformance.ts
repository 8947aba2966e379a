/** Tests a program against the protocol of the queue folder. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  QUEUE_ROLES,
  type ConformanceResult,
  type QueueRole,
} from '../../../adapters/conformance/queue-conformance.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { commandArgument } from '../arguments.ts';
import { onInterrupt } from '../interrupt.ts';
import { answerColours, type Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import type { Lists } from '../with-workspace.ts';

const COLORS = { ok: answerColours.green, warning: answerColours.yellow, wrong: answerColours.red } as const;
const VERDICT_WIDTH = 'warning'.length;

export async function conformanceQueue(
  command: readonly string[],
  options: Lists<'role'>,
  output: Output,
): Promise<number> {
  const [program] = command;
  if (program === undefined || program === '') {
    throw cliProblem(
      'usage',
      'conformance queue needs a command after --, for example: baton conformance queue -- python3 handoffs.py',
    );
  }
  commandArgument(program);
  const { checkQueueProgram } = await import('../../../adapters/conformance/queue-conformance.ts');
  const interrupts = onInterrupt(() => undefined);
  const roles = (options.role as readonly QueueRole[] | undefined) ?? QUEUE_ROLES;
  const printResult = (result: ConformanceResult): void => {
    if (!output.json) output.line(lineOf(result));
  };
  const results = await checkQueueProgram({
    command: absolute(command),
    roles,
    signal: interrupts.stop,
    onResult: printResult,
  });
  const wrong = results.filter(({ verdict }) => verdict === 'wrong').length;
  const ok = wrong === 0;
  if (output.json) output.answer({ ok, results });
  else output.line(ok ? 'the program follows the protocol' : `${wrong} of ${results.length} checks failed`);
  return interrupts.exitCode() ?? (ok ? 0 : 1);
}

/** The program runs in another folder, so relative paths become absolute. */
function absolute(command: readonly string[]): readonly string[] {
  return command.map((part) => (existsSync(part) ? resolve(part) : part));
}

function lineOf({ role, name, verdict, says }: ConformanceResult): string {
  return `${COLORS[verdict](verdict.padEnd(VERDICT_WIDTH))}  ${role} ${name}: ${displayLine(says)}`;
}
