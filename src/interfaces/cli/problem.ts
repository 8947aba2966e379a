/** The error that ends a command, with a code from the table of problems. */
import type { JsonObject } from '../../foundation/json.ts';
import { CodedProblem, PROBLEMS, type ProblemCode } from '../shared/problems.ts';
import { factsIn, refusalText, type RefusalText } from '../shared/refusal-text.ts';

export class Problem extends CodedProblem {
  override readonly name = 'Problem';

  get exitCode(): number {
    return PROBLEMS[this.code].exitCode;
  }
}

export function problemOf(refusal: RefusalText): Problem {
  return new Problem(refusal.code, refusalText(refusal), factsIn(refusal));
}

export function cliProblem(code: ProblemCode, says: string, facts: JsonObject = {}): Problem {
  return new Problem(code, says, facts);
}
