/** Problems of requests (RFC 9457), with a code from the table and the text of the command line. */
import { messageOf } from '../../foundation/error-message.ts';
import type { JsonObject } from '../../foundation/json.ts';
import { BadCursor, StoreFault } from '../../foundation/store-fault.ts';
import { CodedProblem, PROBLEMS, type ProblemCode } from '../shared/problems.ts';
import { factsIn, refusalText, type RefusalText } from '../shared/refusal-text.ts';

export const PROBLEM_TYPE = 'application/problem+json';

export class HttpProblem extends CodedProblem {
  override readonly name = 'HttpProblem';

  get status(): number {
    return PROBLEMS[this.code].httpStatus;
  }
}

export function httpProblem(code: ProblemCode, says: string, facts: JsonObject = {}): HttpProblem {
  return new HttpProblem(code, says, facts);
}

export function problemOf(refusal: RefusalText): HttpProblem {
  return new HttpProblem(refusal.code, refusalText(refusal, 'http'), factsIn(refusal));
}

export function asProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof BadCursor) {
    const says = `after: ${error.message}; use one that a list or an event of this server gave`;
    return new HttpProblem('bad-request', says, {}, { cause: error });
  }
  const outcome = error instanceof StoreFault ? { outcome: error.outcome } : {};
  return new HttpProblem('fault', messageOf(error), outcome, { cause: error });
}

/**
 * The message of a fault may name files, hosts and tables of this machine. Operators see it. Everybody else gets only the
 * number under which the log has it.
 */
export function faultFor(
  show: 'all' | 'number',
  { message, facts, cause }: HttpProblem,
  incident: string,
): HttpProblem {
  const says = show === 'all' ? message : 'the server could not answer this request';
  const where = `the server's log has the details under ${incident}`;
  return new HttpProblem('fault', `${says}; ${where}`, { ...facts, incident }, { cause });
}

export function problemBody(problem: HttpProblem): string {
  const { code, status, message, facts } = problem;
  return JSON.stringify({
    ...facts,
    type: `urn:baton:problem:${code}`,
    title: code.replaceAll('-', ' '),
    status,
    detail: message,
    code,
    retryable: PROBLEMS[code].retryable,
  });
}

export function problemResponse(problem: HttpProblem): Response {
  const headers: Record<string, string> = { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store' };
  if (problem.status === 401) headers['www-authenticate'] = 'Bearer realm="baton"';
  if (PROBLEMS[problem.code].retryable && problem.status >= 429) {
    const seconds = problem.facts['retryAfterSeconds'];
    headers['retry-after'] = typeof seconds === 'number' ? String(seconds) : '1';
  }
  return new Response(problemBody(problem), { status: problem.status, headers });
}
