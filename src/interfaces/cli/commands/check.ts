import type { Violation } from '../../../engine/guard/violation.ts';
import type { CheckAnswer, CheckRequest } from '../../../adapters/guard/check-repository.ts';
import type { RegisteredKey } from '../../../engine/context.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { rethrow, type CommonOptions, type Flags, type Texts } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { readKeyList } from '../key-list.ts';
import { cliProblem } from '../problem.ts';
import { counted } from '../../../foundation/count-text.ts';

type CheckOptions = CommonOptions & Flags<'staged'> & Texts<'since' | 'keys'>;

export async function check(args: readonly string[], options: CheckOptions, output: Output): Promise<void> {
  const { checked, complaints, overdue } = await answerTo({
    folder: options.workspace ?? process.cwd(),
    staged: options.staged === true,
    since: options.since ?? null,
    paths: args,
    keys: options.keys === undefined ? [] : readKeyList(options.keys).filter(isInUse),
  });
  if (output.json) output.answer({ checked, complaints, overdue });
  else for (const complaint of complaints) output.line(lineOf(complaint));
  for (const late of overdue) output.note(lineOf(late));
  if (complaints.length > 0) {
    const files = new Set(complaints.map(({ file }) => file)).size;
    throw cliProblem('check-failed', `${counted(complaints.length, 'problem')} in ${counted(files, 'file')}`);
  }
  output.note(`${counted(checked, 'file')} checked, no problems found`);
}

function isInUse({ revokedAt, retiredAt }: RegisteredKey): boolean {
  return revokedAt === null && retiredAt === null;
}

async function answerTo(request: CheckRequest): Promise<CheckAnswer> {
  const { CheckProblem, checkRepository } = await import('../../../adapters/guard/check-repository.ts');
  try {
    return await checkRepository(request);
  } catch (error) {
    if (error instanceof CheckProblem) throw cliProblem('bad-request', error.message);
    return rethrow(error);
  }
}

function lineOf({ file, line, column, says, todo }: Violation): string {
  return `${shownPath(file)}:${line}:${column}: ${displayLine(says)}; ${displayLine(todo)}`;
}

/** Quotes a name that could be mistaken for another line of the output. */
function shownPath(path: string): string {
  return displayLine(path) === path && !/["\\]/.test(path) ? path : displayLine(JSON.stringify(path));
}
