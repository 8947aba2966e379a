/** Vercel AI SDK: a tool that hands work to an agent of Baton. The model is scripted, so that this runs without a network. */
import assert from 'node:assert/strict';
import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import * as z from 'zod';
import { openBaton } from 'batonpass';

/** A tool that sends what the model asks for, and gives the model the result. The same call is sent once. */
export function batonTool(baton, { from, to, description, inputSchema, timeoutMs = 60_000 }) {
  return tool({
    description,
    inputSchema,
    execute: async (input, { toolCallId }) => {
      const { id } = await baton.send({ from, to, input, requestId: `ai ${toolCallId}` });
      return (await baton.wait(id, { timeoutMs })).result;
    },
  });
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const answer = (content, reason) => ({ content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] });

const baton = await openBaton({ database: ':memory:' });
try {
  const worker = baton.work('@weather', ({ input }) => ({ city: input.city, degrees: 21 }));
  let asked = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      asked += 1;
      if (asked === 1) {
        const input = JSON.stringify({ city: 'Bern' });
        return answer([{ type: 'tool-call', toolCallId: 'call-1', toolName: 'weather', input }], 'tool-calls');
      }
      const said = JSON.stringify(prompt.at(-1));
      assert.ok(said.includes('21'), said);
      return answer([{ type: 'text', text: 'It is 21 degrees in Bern.' }], 'stop');
    },
  });
  const inputSchema = z.object({ city: z.string() });
  const weather = batonTool(baton, { from: '@chat', to: '@weather', description: 'The weather now', inputSchema });
  const { text } = await generateText({ model, tools: { weather }, stopWhen: stepCountIs(3), prompt: 'Bern?' });
  assert.equal(text, 'It is 21 degrees in Bern.');
  const { items } = await baton.list({ to: '@weather' });
  assert.deepEqual(
    items.map(({ state }) => state),
    ['completed'],
  );
  await worker.stop();
  console.log(text);
} finally {
  await baton.close();
}
