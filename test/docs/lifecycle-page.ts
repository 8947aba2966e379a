/** `docs/reference/lifecycle.md` as the tables say it; the test compares, and rewrites it with BATON_WRITE_DOCS=1. */
import { CLOCKS } from '../../src/domain/deadlines.ts';
import { LIFECYCLE, STATES } from '../../src/domain/lifecycle.ts';
import { HEAD_START_MS, PRIORITIES } from '../../src/domain/priority.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { OPS, RELATIONS, RIGHTS } from '../../src/domain/rights.ts';

export function lifecyclePage(): string {
  return `# The lifecycle

This page is made from the tables in \`src/domain/\`; a test keeps it fresh.

## States and moves

${table(['state', 'moves'], STATES.map(stateRow))}

Final is final. A failed attempt that will be tried again is \`offered\` with a later \`notBefore\`, not a state of its own.
\`rework\` puts refused work back into the hands that delivered it; \`reoffer\` does the same where a worker has left.

## Who may do what

One relation that grants an operation in the present state is enough. Sender and doer never verify, whatever else they are.

${table(['operation', ...RELATIONS], OPS.map(rightsRow))}

✓ in every state that has the move; otherwise the states are named.

## Clocks

${table(
  ['', 'draft', 'offered', 'blocked', 'each attempt'],
  [
    ['queue', ...clockRow('queue')],
    ['document', ...clockRow('document')],
  ],
)}

## Retries

A failed attempt is tried again up to ${DEFAULT_RETRY.retriesMax} times, after ${DEFAULT_RETRY.delayMs / 1000} s, then
${DEFAULT_RETRY.multiplier} times as long each time, at most ${duration(DEFAULT_RETRY.capMs)}. These codes are tried again by themselves:
${DEFAULT_RETRY.retryOn.map((code) => `\`${code}\``).join(', ')}.

## Priority

A priority is a head start in the queue. Waiting raises the rest, so that no handoff waits behind newer work without end.

${table(
  ['priority', 'head start'],
  PRIORITIES.map((each) => [each, duration(HEAD_START_MS[each])]),
)}
`;
}

function stateRow(state: (typeof STATES)[number]): string[] {
  const moves = Object.entries(LIFECYCLE[state]).map(([move, to]) => `${move} → ${to}`);
  return [`\`${state}\``, moves.length === 0 ? 'final' : moves.join(' · ')];
}

function rightsRow(op: (typeof OPS)[number]): string[] {
  return [op, ...RELATIONS.map((relation) => cell(RIGHTS[op][relation]))];
}

function cell(states: readonly string[] | undefined): string {
  if (states === undefined) return '';
  return states.length === STATES.length ? '✓' : states.join(', ');
}

function clockRow(kind: keyof typeof CLOCKS): string[] {
  const { draftMs, offeredMs, blockedMs, attemptTimeoutMs } = CLOCKS[kind];
  return [draftMs, offeredMs, blockedMs, attemptTimeoutMs].map((ms) => (ms === null ? 'no end' : duration(ms)));
}

function duration(ms: number): string {
  if (ms === 0) return 'none';
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
