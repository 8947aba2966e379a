#!/usr/bin/env node
/** A typed pipeline: pages are rendered in parallel and merged into a book; a page that fails goes to a person. */
import { agent, openBaton } from 'batonpass';
import { z } from 'zod';

const render = agent('@render', { input: z.object({ page: z.number() }), output: z.object({ html: z.string() }) });
const merge = agent('@merge', { output: z.object({ pages: z.number() }) });

const baton = await openBaton({ database: ':memory:' });
baton.work(render, ({ input }) => {
  if (input.page === 3) throw new Error('page 3 is torn');
  return { html: `<p>${input.page}</p>` };
});
baton.work(merge, ({ input }) => ({ pages: Object.values(input.dependencies).filter(({ html }) => html).length }));

const pages = [1, 2, 3].map((page) => ({ to: '@render', input: { page }, retry: { max: 0 }, onFailed: '@person' }));
const { parent } = await baton.sendWithChildren({ from: '@me', to: '@merge', onDependencyFailure: 'run' }, pages);
console.log(await parent.result({ timeoutMs: 60_000 }));

for await (const { fact } of baton.feed({ agent: '@person', states: ['offered'], after: '' })) {
  const { input } = await baton.load(fact.handoff);
  console.log(`@person looks at page ${input.input.page}: ${input.failure.message}`);
  break;
}
await baton.close();
