/** `send --request`: one file with the whole request, in the format of the file queue. */
import type { MessageProblem } from '../../formats/queue-message/read.ts';
import type { RetryPolicy } from '../../domain/retry-policy.ts';
import type { SendRequest } from '../../engine/handoffs/send.ts';
import { readText, textArgument } from './arguments.ts';
import type { SendOptions } from './commands/send.ts';
import { cliProblem, type Problem } from './problem.ts';

/** Options that the file replaces. */
const REPLACED_BY_REQUEST = [
  'from',
  'to',
  'title',
  'task',
  'priority',
  'depends',
  'input',
  'schema',
  'context',
  'timeout',
];

/** The workspace gives the retry policy for requests without one, so the request is complete once that is open. */
export async function wholeRequest(from: string, options: SendOptions): Promise<(retry: RetryPolicy) => SendRequest> {
  const twice = REPLACED_BY_REQUEST.find((name) => name in options);
  if (twice !== undefined) throw cliProblem('usage', `--request is a complete request; leave out --${twice}`);
  const { readMessage, readRequest } = await import('../../formats/queue-message/read.ts');
  const where = from === '-' ? 'standard input' : from;
  const message = readMessage(readText(from, '--request'));
  const requestId = options['requestId'];
  const key = typeof requestId === 'string' ? { requestId: textArgument(requestId, '--request-id') } : {};
  const waits = options['waitForCapacity'] === true || options['queue'] === true ? { waitForCapacity: true } : {};
  return (retry) => {
    const asked = message.ok ? readRequest(message.value, retry) : message;
    if (!asked.ok) throw problemIn(where, asked.refusal);
    return { ...asked.value, ...key, ...waits };
  };
}

function problemIn(where: string, problem: MessageProblem): Problem {
  if (problem.kind === 'unreadable') {
    const { line, column, says } = problem;
    return cliProblem('not-json', `${where}:${line}:${column}: ${says}`, { line, column });
  }
  const says = problem.problems.map((each) => `${where}: ${each.field === '' ? '' : `${each.field}: `}${each.says}`);
  return cliProblem('bad-request', says.join('\n'));
}
