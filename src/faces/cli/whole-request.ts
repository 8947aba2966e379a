/** `send --request`: one file that says everything, in the words of the file queue. */
import type { MessageProblem } from '../../dialects/queue-message/read.ts';
import type { RetryPolicy } from '../../domain/retry.ts';
import type { SendRequest } from '../../engine/verbs/send.ts';
import { readText, textArgument } from './arguments.ts';
import { faceProblem, type Problem } from './problem.ts';
import type { RequestOptions } from './request.ts';

/** What the file says itself. */
const SAID_INSIDE = ['from', 'to', 'title', 'task', 'priority', 'depends', 'input', 'schema', 'context', 'timeout'];

/** What it does not say about retries is the house's to say, once that is open. */
export async function wholeRequest(
  from: string,
  options: RequestOptions,
): Promise<(retry: RetryPolicy) => SendRequest> {
  const twice = SAID_INSIDE.find((name) => name in options);
  if (twice !== undefined) throw faceProblem('usage', `--request says everything itself; leave --${twice} away`);
  const { readMessage, readRequest } = await import('../../dialects/queue-message/read.ts');
  const where = from === '-' ? 'standard input' : from;
  const message = readMessage(readText(from, '--request'));
  return (retry) => {
    const asked = message.ok ? readRequest(message.value, retry) : message;
    if (!asked.ok) throw problemIn(where, asked.refusal);
    return {
      ...asked.value,
      ...(options.requestId === undefined ? {} : { requestId: textArgument(options.requestId, '--request-id') }),
      ...(options.queue === true ? { queue: true } : {}),
    };
  };
}

function problemIn(where: string, problem: MessageProblem): Problem {
  if (problem.kind === 'unreadable') {
    const { line, column, says } = problem;
    return faceProblem('not-json', `${where}:${line}:${column}: ${says}`, { line, column });
  }
  const says = problem.problems.map((each) => `${where}: ${each.field === '' ? '' : `${each.field}: `}${each.says}`);
  return faceProblem('bad-request', says.join('\n'));
}
