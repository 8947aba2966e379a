#!/usr/bin/env node
/**
 * An agent of the sample of `npm start`, in a terminal of its own: it thinks aloud, its context fills up, and when it is
 * asked to hand over it writes the document that its successor begins with. No model is asked.
 */
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const FILL_MS = 2_000;
const FULL_PERCENT = 84;
const THOUGHTS = ['reading the order of the day', 'sketching the guide', 'checking links', 'shortening a paragraph'];

let percent = 20;
let turn = 0;

const say = (text) => process.stdout.write(`${text}\n[ctx: ${percent}% used]\n`);
say('ready');
setInterval(() => {
  turn += 1;
  percent = Math.min(FULL_PERCENT, percent + 2);
  say(THOUGHTS[turn % THOUGHTS.length]);
}, FILL_MS);

createInterface({ input: process.stdin }).on('line', (line) => {
  const path = /write your handoff document to (\S+) now/.exec(line)?.[1];
  if (path !== undefined) writeFileSync(path, documentOf());
  say(path === undefined ? 'ready' : 'handed over');
});

function documentOf() {
  return `# Handoff

## Current work

The guide for new users of the shop, for @planner.

## Progress

Three of five sections are written; the pictures are missing.

## Decisions

Plain words and one picture for each section, because most readers are on a phone.

## Blockers

none

## Files changed

\`docs/guide.md\`: sections 1 to 3 (${turn} turns of work).

## Next steps

1. Write section 4, about invoices.
2. Take the pictures.
`;
}
