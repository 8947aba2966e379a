/** A relay in one program: @lead hands over three texts, @counter counts their words, two at a time. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBaton } from 'batonpass';

// A workspace is a folder with a baton.yaml, which may be empty; `baton init` makes one.
const folder = mkdtempSync(join(tmpdir(), 'baton-example-'));
writeFileSync(join(folder, 'baton.yaml'), '');
const baton = await openBaton({ workspace: folder });

try {
  // The handler runs once for each handoff. What it answers is the result, what it throws is a failure.
  const worker = baton.work(
    '@counter',
    async ({ input }, attempt) => {
      attempt.progress(0.5, 'half of the words');
      return { words: input.text.split(' ').length };
    },
    { concurrency: 2 },
  );

  // When `send` comes back, the handoff is on disk: a power cut does not lose it.
  const texts = ['one', 'one two', 'one two three'];
  const sent = await Promise.all(
    texts.map((text) => baton.send({ from: '@lead', to: '@counter', input: { text }, title: 'count words' })),
  );

  const done = await Promise.all(sent.map(({ id }) => baton.wait(id, { timeoutMs: 30_000 })));
  assert.deepEqual(
    done.map(({ result }) => result),
    [{ words: 1 }, { words: 2 }, { words: 3 }],
  );

  await worker.stop();
  const { attempts } = await worker.done;
  assert.equal(attempts, 3);

  // Everything that happened is a fact, with who did it.
  const story = (await baton.facts(sent[0].id)).map(({ deed, by }) => `${deed} by ${by}`);
  assert.ok(story.includes('accept by @counter'));
  console.log(`${done.length} handoffs done: ${story.join(', ')}`);
} finally {
  await baton.close();
  rmSync(folder, { recursive: true });
}
