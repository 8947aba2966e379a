/** What a sender has to do. */
import { readMessage, readRequest } from '../../formats/queue-message/read.ts';
import { DEFAULT_RETRY } from '../../domain/retry-policy.ts';
import { lastLine, outputSummary, type TestQueue } from './test-queue.ts';
import type { ConformanceCheck } from './queue-conformance.ts';

const INPUT = { text: 'two words' };
const SEND = ['send', '@conformance', '@counter', JSON.stringify(INPUT)];
const AT_ONCE = 5;

export const SENDER_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'request',
    expects: 'writes a request that follows the schema under its id, and prints the id',
    async run(bench) {
      const sent = await bench.run(...SEND);
      if (sent.code !== 0) return outputSummary(sent);
      const [name, ...more] = bench.names('pending');
      if (name === undefined || more.length > 0) return `pending/ has ${more.length + (name ? 1 : 0)} files`;
      const flaw = problemInRequest(bench, name);
      if (flaw !== null) return flaw;
      return lastLine(sent.stdout) === name.slice(0, -'.json'.length)
        ? null
        : `the last line it prints is ${JSON.stringify(lastLine(sent.stdout))}, and the file is ${name}`;
    },
  },
  {
    name: 'whole files',
    expects: 'writes under a hidden name and renames, so that nobody sees half a file',
    async run(bench) {
      let half: string | null = null;
      bench.watch('pending', (name) => {
        if (name.startsWith('.') || !name.endsWith('.json') || !bench.names('pending').includes(name)) return;
        if (bench.read('pending', name.slice(0, -'.json'.length)) === null) half = name;
      });
      for (let round = 0; round < AT_ONCE; round += 1) await bench.run(...SEND);
      return half === null ? null : { warning: `${String(half)} could be seen before it was whole` };
    },
  },
  {
    name: 'ids',
    expects: `${AT_ONCE} senders at the same time use ${AT_ONCE} ids`,
    async run(bench) {
      const ended = await Promise.all(Array.from({ length: AT_ONCE }, async () => bench.run(...SEND)));
      const failed = ended.find(({ code }) => code !== 0);
      if (failed !== undefined) return outputSummary(failed);
      const count = bench.names('pending').length;
      return count === AT_ONCE ? null : `${AT_ONCE} requests were sent and ${count} are there: ids collide`;
    },
  },
];

function problemInRequest(bench: TestQueue, name: string): string | null {
  const id = name.slice(0, -'.json'.length);
  const fields = bench.read('pending', id);
  if (fields === null) return `${name} is not a JSON object`;
  const message = readMessage(JSON.stringify(fields));
  const request = message.ok ? readRequest(message.value, DEFAULT_RETRY) : message;
  if (!request.ok) {
    const { refusal } = request;
    return refusal.kind === 'wrong'
      ? refusal.problems.map(({ field, says }) => `${field}: ${says}`).join('; ')
      : refusal.says;
  }
  if (request.value.id !== id) return `inside ${name} stands the handoff_id ${request.value.id}`;
  const isHandedOn = JSON.stringify(request.value.input) === JSON.stringify(INPUT);
  return isHandedOn ? null : `input.data is ${JSON.stringify(request.value.input)} instead of ${JSON.stringify(INPUT)}`;
}
