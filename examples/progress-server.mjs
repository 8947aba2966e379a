#!/usr/bin/env node
/** A server that streams the progress of a handoff to a browser, as server-sent events. */
import { createServer } from 'node:http';
import { isFinal, openBaton } from 'batonpass';

const baton = await openBaton({ database: ':memory:' });
baton.work('@render', async (handoff, attempt) => {
  attempt.progress(0.5, 'half of it');
  return { html: '<p>done</p>' };
});

async function answer(request, response) {
  const { id } = await baton.send({ from: '@web', to: '@render', input: { path: request.url } });
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for await (const { fact } of baton.feed({ handoff: id, after: '', signal: gone.signal })) {
    response.write(`event: ${fact.deed}\ndata: ${JSON.stringify({ state: fact.state, detail: fact.detail })}\n\n`);
    if (isFinal(fact.state)) response.end();
  }
}
const server = createServer((request, response) => void answer(request, response));

// The browser of this example: it reads until the stream ends.
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const stream = await fetch(`http://127.0.0.1:${server.address().port}/profile`);
const names = [...(await stream.text()).matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
console.log(names.join(' → '));
server.close();
await baton.close();
