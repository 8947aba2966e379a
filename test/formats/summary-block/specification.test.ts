/** The specification's own text: every block it shows, and the rules of its validation script. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBlocks } from '../../../src/formats/summary-block/find.ts';
import { isActive } from '../../../src/formats/summary-block/found-block.ts';
import { readBlock, type BlockRead } from '../../../src/formats/summary-block/read.ts';
import { readPlainReport } from '../../../src/formats/summary-block/plain-report.ts';
import { PHASES, SUMMARY_STATUSES } from '../../../src/domain/summary.ts';
import { ROOT } from '../../support/source-files.ts';

const SPEC = readFileSync(join(ROOT, 'test/specs/002-summary-blocks.md'), 'utf8');
const found = findBlocks(SPEC);

function read(fields: Readonly<Record<string, string>>, strict = true): BlockRead {
  const rows = Object.entries(fields).map(([key, value]) => `  ${key}: ${value}`);
  const [block] = findBlocks(['```yaml', 'handoff:', ...rows, '```'].join('\n'));
  if (block === undefined) throw new Error('no block');
  return readBlock(block, { strict });
}

const GOOD = { phase: '"Testing"', from: '"@a"', to: '"@b"', status: '"complete"' };

describe('the blocks of the specification', () => {
  it('S1: finds all eight, and leaves the other YAML fences alone', () => {
    const titles = found.map(({ line, place }) => [SPEC.split('\n')[line]?.trim(), place, line]);
    expect(titles).toEqual([
      ['handoff:', 'top', 19],
      ['handoff:', 'top', 210],
      ['handoff:', 'top', 235],
      ['handoff:', 'top', 259],
      ['handoff:', 'top', 281],
      ['handoff:', 'top', 300],
      ['handoff:', 'top', 320],
      ['handoff:', 'fence', 392],
    ]);
  });

  it('S2: takes the six examples of agents as they are, strictly', () => {
    const reads = found.slice(1, 7).map((block) => readBlock(block, { strict: true }));
    expect(reads.flatMap(({ problems }) => problems)).toEqual([]);
    expect(reads.map(({ fields }) => `${fields?.phase} ${fields?.from} → ${fields?.to} ${fields?.status}`)).toEqual([
      'Implementation workflow-agent → feature-implementation-agent in_progress',
      'Testing functional-testing-agent → null complete',
      'Testing unit-testing-agent → null complete',
      'Testing visual-regression-agent → null complete',
      'Complete enhanced-project-manager-agent → null complete',
      'Research research-agent → task-generator-agent complete',
    ]);
    expect(reads[0]?.fields?.onFailure).toEqual({
      retry: 2,
      routeTo: 'research-agent',
      notify: 'routing-agent',
      escalateAfter: 3,
    });
    expect(reads[2]?.fields?.metrics['test_types']).toEqual({ unit: 25, kernel: 15, functional: 5 });
    expect(reads[1]?.fields?.dependencies).toEqual(['task-8', 'task-9']);
  });

  it('S2: hands back its template, which is filled with the names of types', () => {
    const template = readBlock(found[0] as never, { strict: false });
    expect(template.fields).toBeNull();
    expect(template.problems.map(({ field, line }) => `${field} ${line}`)).toEqual(['to 23']);
  });

  it('S3: reads its plain form', () => {
    const plain = /```markdown\n([^`]*)```/.exec(SPEC)?.[1] ?? '';
    expect(readPlainReport(plain)?.fields).toMatchObject({
      form: 'weak',
      phase: 'Testing',
      to: null,
      status: 'complete',
      metrics: { tests_passed: '25/25', coverage: '95%', execution_time: '45s' },
    });
  });

  it('S1: a block in the example of a summary does not act, because the example is quoted', () => {
    const quoted = found.at(-1);
    expect(quoted && isActive(quoted)).toBe(false);
    expect(quoted?.yaml).toContain('tests_passed: 25');
  });
});

describe('the rules of its validation script', () => {
  it.each(['phase', 'from', 'to', 'status'])('S2: %s is required', (field) => {
    const rest = Object.fromEntries(Object.entries(GOOD).filter(([key]) => key !== field));
    expect(read(GOOD).problems).toEqual([]);
    expect(read(rest).problems.map((each) => each.field)).toEqual([field]);
    expect(read({ ...rest, [field]: '""' }).problems.map((each) => each.field)).toEqual([field]);
    expect(read({ ...rest, [field]: 'null' }).problems.map((each) => each.field)).toEqual([field]);
  });

  it.each(PHASES)('S2: %s is a phase', (phase) => {
    expect(read({ ...GOOD, phase }).fields?.phase).toBe(phase);
  });

  it.each(SUMMARY_STATUSES)('S2: %s is a status', (status) => {
    expect(read({ ...GOOD, status, waits_for: '"the key"' }).fields?.status).toBe(status);
  });

  it('S2: other phases and statuses are answered with what is allowed', () => {
    expect(read({ ...GOOD, phase: '"Development"' }).problems).toEqual([
      { line: 3, column: 10, field: 'phase', says: '"Development" is not a phase', allowed: PHASES },
    ]);
    expect(read({ ...GOOD, status: '"done"' }).problems).toMatchObject([
      { field: 'status', allowed: SUMMARY_STATUSES },
    ]);
  });

  it('S2: names begin with @, and only "None" is nobody', () => {
    expect(read({ ...GOOD, from: '"a"' }).problems).toMatchObject([
      { field: 'from', says: 'an agent is written "@a"' },
    ]);
    expect(read({ ...GOOD, to: '"b"' }).problems).toMatchObject([{ field: 'to', says: 'an agent is written "@b"' }]);
    expect(read({ ...GOOD, to: '"None"' }).fields?.to).toBeNull();
    expect(read({ ...GOOD, to: '"none"' }).problems).toMatchObject([{ field: 'to' }]);
  });
});
