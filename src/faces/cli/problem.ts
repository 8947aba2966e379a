/** How a command ends when it cannot do what it was asked: one error, with a code from the table. */
import type { JsonObject } from '../../foundation/json.ts';
import { PROBLEMS, type FaceCode, type ProblemCode } from '../shared/problems.ts';
import { wordingOf, type Worded } from '../shared/wording.ts';

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly facts: JsonObject;

  constructor(code: ProblemCode, says: string, facts: JsonObject = {}, options?: ErrorOptions) {
    super(says, options);
    this.code = code;
    this.facts = facts;
  }

  get exitCode(): number {
    return PROBLEMS[this.code].exitCode;
  }
}

export function problemOf(refusal: Worded): Problem {
  const { code, ...facts } = refusal;
  return new Problem(code, wordingOf(refusal), facts as unknown as JsonObject);
}

export function faceProblem(code: FaceCode, says: string, facts: JsonObject = {}): Problem {
  return new Problem(code, says, facts);
}
