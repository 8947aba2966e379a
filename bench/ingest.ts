/**
 * Ten megabytes of markdown with 2,000 blocks: ingested, with everything that follows from each and all of it durable in
 * SQLite, beside a full markdown-it parse of the same text, in one run, rounds interleaved, medians. Then lines that were
 * made to be slow, beside an ordinary one.
 *
 *   npm run bench:ingest
 */
import MarkdownIt from 'markdown-it';
import { findBlocks } from '../src/formats/summary-block/find.ts';
import { readBlock } from '../src/formats/summary-block/read.ts';
import { OPERATOR } from '../src/domain/principal.ts';
import { ingestText } from '../src/engine/handoffs/ingest-text.ts';
import { openApp } from '../src/app/open-app.ts';
import { NO_LIMITS } from '../src/domain/limits.ts';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { median, tableOf } from './measure.ts';

const BLOCKS = 2_000;
const CHARS = 10 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;
const ROUNDS = Number(process.env['BATON_BENCH_ROUNDS'] ?? 5);
/** For the whole way, with the waiting for the disk. */
const BOUND = 0.6;

const PROSE = `The module was **built** and \`tested\`; see [the notes](https://example.org/notes) for *how* it went.
A second line says a little more about it, with numbers such as 25/25 and names like \`UserService\`.

- first the schema, then the routes
- then the tests, in three parts
  1. units
  2. integration

> Somebody asked for this last week.

\`\`\`ts
export const answer = 42;
\`\`\`

`;

const text = summaries();
const parser = new MarkdownIt();
const times: Record<'find' | 'read' | 'whole' | 'parse', number[]> = { find: [], read: [], whole: [], parse: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  let found = findBlocks('');
  times.find.push(timeOf(() => (found = findBlocks(text))));
  times.read.push(timeOf(() => found.forEach((block) => readBlock(block, { strict: false }))));
  times.whole.push(await wholeWay());
  times.parse.push(timeOf(() => parser.parse(text, {})));
  if (found.length !== BLOCKS) throw new Error(`${found.length} blocks`);
}
const [find, read, parse] = [median(times.find), median(times.read), median(times.parse)];
const whole = median(times.whole);
const share = whole / parse;
const rows = [
  ['find all blocks', find, find / parse],
  ['read them', read, read / parse],
  ['find and read', find + read, (find + read) / parse],
  ['ingest, durable in SQLite', whole, share],
  ['markdown-it, full parse', parse, 1],
] as const;
process.stdout.write(`${(text.length / MEGABYTE).toFixed(1)} MB, ${BLOCKS} blocks, medians of ${ROUNDS}\n`);
process.stdout.write(`${table('', 'ms', 'of markdown-it', rows)}\n`);
process.stdout.write(`${share <= BOUND ? 'within' : 'OVER'} the bound of ${BOUND}\n\n`);

const ordinary = 'A line of words that goes on. '.repeat(MEGABYTE / 30);
const lines = {
  'an ordinary line': ordinary,
  backticks: '`'.repeat(MEGABYTE),
  brackets: '['.repeat(MEGABYTE),
  'quote marks': '>'.repeat(MEGABYTE),
  bullets: `${'- '.repeat(MEGABYTE / 2)}x`,
} as const;
const measured = Object.entries(lines).map(([name, line]) => {
  const ctx = `${line}\n\n${blockOf(1)}`;
  return [name, median(Array.from({ length: ROUNDS }, () => timeOf(() => findBlocks(ctx))))] as const;
});
process.stdout.write(
  `${table(
    'a megabyte in one line',
    'ms',
    '',
    measured.map(([name, ms]) => [name, ms, null]),
  )}\n\n`,
);

if (share > BOUND) process.exitCode = 1;

/** The command's own way, with everything that follows from a block. */
async function wholeWay(): Promise<number> {
  mkdirSync('bench/.out', { recursive: true });
  const folder = mkdtempSync(join(process.cwd(), 'bench/.out/ingest-'));
  const app = await openApp({ database: { kind: 'sqlite', path: join(folder, 'baton.db') }, limits: NO_LIMITS });
  try {
    const from = performance.now();
    const answers = await ingestText(app.ctx, OPERATOR, { text, source: { file: 'all.md' }, project: 'bench' });
    const taken = answers.filter(({ fate }) => fate === 'done').length;
    if (taken !== BLOCKS) throw new Error(`${taken} blocks were taken`);
    return performance.now() - from;
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function timeOf(act: () => unknown): number {
  const from = performance.now();
  act();
  return performance.now() - from;
}

function table(
  what: string,
  unit: string,
  against: string,
  all: readonly (readonly [string, number, number | null])[],
): string {
  const head = [what, unit, ...(against === '' ? [] : [against])];
  return tableOf(
    head,
    all.map(([name, ms, part]) => [name, ms.toFixed(1), ...(part === null ? [] : [part.toFixed(2)])]),
  );
}

/** As agents write: headings, lists, code, links, quotations, and a block at the end. */
function summaries(): string {
  const parts: string[] = [];
  const each = Math.floor(CHARS / BLOCKS);
  for (let number = 0; number < BLOCKS; number += 1) {
    const block = blockOf(number);
    let prose = `## STEP ${number} COMPLETE\n\n`;
    while (prose.length + block.length < each) prose += PROSE;
    parts.push(`${prose}\n${block}`);
  }
  return parts.join('\n');
}

function blockOf(number: number): string {
  return [
    '```yaml',
    'handoff:',
    '  phase: "Testing"',
    `  from: "@agent-${number % 8}"`,
    '  to: "None"',
    '  status: "complete"',
    '  retry_count: 0',
    '  metrics:',
    `    tests_total: ${number}`,
    '    coverage: "95%"',
    '    execution_time: "3m 45s"',
    `  dependencies: ["task-${number}"]`,
    '  on_failure:',
    '    retry: 2',
    '    route_to: "@fixer"',
    '```',
    '',
  ].join('\n');
}
