/**
 * LangGraph: a node of a graph hands its work to an agent of Baton. The graph may run in another process than the worker,
 * and a retry of the node finds the same handoff again, because its request id follows from the thread.
 */
import assert from 'node:assert/strict';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { openBaton } from 'batonpass';

/** A node that hands `input(state)` to an agent and puts the result into the state as `update` says. */
export function batonNode(baton, { from, to, input, update, timeoutMs = 60_000 }) {
  return async (state, config) => {
    const thread = config?.configurable?.thread_id;
    const requestId = thread === undefined ? undefined : `langgraph ${thread} ${to}`;
    const sent = await baton.send({ from, to, input: input(state), ...(requestId === undefined ? {} : { requestId }) });
    const { result } = await baton.wait(sent.id, { timeoutMs });
    return update(result, sent.id);
  };
}

const baton = await openBaton({ database: ':memory:' });
try {
  const worker = baton.work('@translator', ({ input }) => ({ text: input.text.toUpperCase() }));
  const State = Annotation.Root({ text: Annotation(), translated: Annotation(), handoff: Annotation() });
  const graph = new StateGraph(State)
    .addNode('write', () => ({ text: 'hello' }))
    .addNode(
      'translate',
      batonNode(baton, {
        from: '@graph',
        to: '@translator',
        input: ({ text }) => ({ text }),
        update: ({ text }, handoff) => ({ translated: text, handoff }),
      }),
    )
    .addEdge(START, 'write')
    .addEdge('write', 'translate')
    .addEdge('translate', END)
    .compile();

  const first = await graph.invoke({}, { configurable: { thread_id: 'order-1' } });
  const again = await graph.invoke({}, { configurable: { thread_id: 'order-1' } });
  assert.equal(first.translated, 'HELLO');
  assert.equal(again.handoff, first.handoff);
  await worker.stop();
  console.log(`${first.translated}, handed over once`);
} finally {
  await baton.close();
}
