/**
 * OpenAI Agents SDK: a handoff of the SDK becomes a handoff of Baton. The agent that takes over has no model of its own:
 * Baton hands the request to another agent, which may be another program on another machine, and its result is the answer.
 */
import assert from 'node:assert/strict';
import { Agent, handoff, Runner, setTracingDisabled, Usage } from '@openai/agents';
import { openBaton } from 'batonpass';

const message = (text) => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});

/** An agent of the SDK to which others hand over; the work is done by an agent of Baton. */
export function batonAgent(baton, { name, from, to, timeoutMs = 60_000 }) {
  const getResponse = async ({ input }) => {
    const { id } = await baton.send({ from, to, input: { conversation: input } });
    const { result } = await baton.wait(id, { timeoutMs });
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    return { usage: new Usage(), output: [message(text)], responseId: id };
  };
  const getStreamedResponse = () => {
    throw new Error('a handoff is answered as a whole; run it without stream');
  };
  return new Agent({ name, instructions: '', model: { getResponse, getStreamedResponse } });
}

setTracingDisabled(true);
const baton = await openBaton({ database: ':memory:' });
try {
  const worker = baton.work('@refunds', ({ input }) => {
    const asked = JSON.stringify(input.conversation);
    return asked.includes('order 7') ? 'Order 7 is refunded.' : 'Which order?';
  });
  const refunds = batonAgent(baton, { name: 'Refunds', from: '@triage', to: '@refunds' });
  // The model of the first agent is scripted: it hands over.
  const scripted = {
    getResponse: async ({ handoffs }) => ({
      usage: new Usage(),
      output: [
        { type: 'function_call', callId: 'call-1', name: handoffs[0].toolName, status: 'completed', arguments: '{}' },
      ],
    }),
    getStreamedResponse: () => {
      throw new Error('not used here');
    },
  };
  const triage = new Agent({
    name: 'Triage',
    instructions: 'Hand over.',
    model: scripted,
    handoffs: [handoff(refunds)],
  });
  const { finalOutput, lastAgent } = await new Runner().run(triage, 'Please refund order 7');
  assert.deepEqual([finalOutput, lastAgent?.name], ['Order 7 is refunded.', 'Refunds']);
  const { items } = await baton.list({ to: '@refunds' });
  assert.deepEqual(
    items.map(({ state }) => state),
    ['completed'],
  );
  await worker.stop();
  console.log(finalOutput);
} finally {
  await baton.close();
}
