import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/foundation/json.ts';
import { measureOf, measuresIn, totalsOf } from '../../src/domain/metrics.ts';

const READ: readonly (readonly [value: Json, kind: string, unit: string, number: number, of?: number])[] = [
  [25, 'number', '', 25],
  ['25', 'number', '', 25],
  ['-1.5', 'number', '', -1.5],
  ['1,234', 'number', '', 1234],
  ['12 MB', 'number', 'MB', 12],
  ['450 lines', 'number', 'lines', 450],
  ['95%', 'percent', '%', 95],
  ['0.1%', 'percent', '%', 0.1],
  ['User workflows: 90%', 'percent', '%', 90],
  ['45s', 'duration', 'ms', 45_000],
  ['3m 45s', 'duration', 'ms', 225_000],
  ['2h 15m', 'duration', 'ms', 8_100_000],
  ['2h15m', 'duration', 'ms', 8_100_000],
  ['1.5 hours', 'duration', 'ms', 5_400_000],
  ['1 day, 2 hours', 'duration', 'ms', 93_600_000],
  ['350ms', 'duration', 'ms', 350],
  ['00:03:45', 'duration', 'ms', 225_000],
  ['25/25', 'count', '', 25, 25],
  ['Tests passed: 24 of 25', 'count', '', 24, 25],
  ['10/10 (100%)', 'count', '', 10, 10],
  [true, 'flag', '', 1],
  ['false', 'flag', '', 0],
  ['comprehensive', 'text', '', 0],
  ['5m 3h', 'text', '', 0],
  ['about 90%', 'text', '', 0],
  ['10:30', 'text', '', 0],
  ['1.2.3', 'text', '', 0],
  ['', 'text', '', 0],
  [['a', 'b'], 'text', '', 0],
];

describe('metrics', () => {
  it.each(READ)('S7: %j is a %s in %j: %d', (value, kind, unit, number, of) => {
    const read = measureOf(value ?? null);
    expect(read).toEqual({ text: read.text, kind, unit, value: number, ...(of === undefined ? {} : { of }) });
  });

  it('S7: keys of maps in maps have dots, and a dot of a key does not look like one', () => {
    const metrics = { test_types: { unit: 25, deep: { kernel: 15 } }, 'test_types.unit': 1, nothing: null };
    expect(measuresIn(metrics).map(({ key, value }) => [key, value])).toEqual([
      ['test_types.unit', 25],
      ['test_types.deep.kernel', 15],
      ['test_types\\.unit', 1],
    ]);
  });

  it('S7: sums what can be summed, keeps units, and shows how it went', () => {
    const told = [
      { tests: 10, coverage: '80%', took: '1m', passed: '9/10', gates: true, size: '5 MB' },
      { tests: 20, coverage: '90%', took: '30s', passed: '20/20', gates: false, size: '7 MB' },
    ];
    const totals = totalsOf(told.flatMap(measuresIn));
    const of = (key: string) => totals.find((total) => total.key === key);
    expect(of('tests')).toMatchObject({ kind: 'number', times: 2, sum: 30, mean: 15, least: 10, most: 20, change: 10 });
    expect(of('coverage')).toMatchObject({ kind: 'percent', unit: '%', sum: null, mean: 85, change: 10, last: '90%' });
    expect(of('took')).toMatchObject({ kind: 'duration', unit: 'ms', sum: 90_000, series: [60_000, 30_000] });
    expect(of('passed')).toMatchObject({ kind: 'count', sum: 29, of: 30 });
    expect(of('gates')).toMatchObject({ kind: 'flag', sum: 1, times: 2 });
    expect(of('size')).toMatchObject({ kind: 'number', unit: 'MB', sum: 12 });
  });

  it('S7: keys of mixed kinds or units are listed, not summed', () => {
    const totals = totalsOf([{ a: 1, b: '1 MB' }, { a: '95%', b: '1 KB' }, { a: 'many' }].flatMap(measuresIn));
    expect(totals).toMatchObject([
      { key: 'a', kind: null, sum: null, mean: null, change: null, series: [], texts: ['1', '95%', 'many'] },
      { key: 'b', kind: null, sum: null, texts: ['1 MB', '1 KB'] },
    ]);
  });

  it('S7: takes anything without a fault, in one piece and in time', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (metrics) => {
        for (const total of totalsOf(measuresIn(metrics as never))) {
          expect(total.times).toBeGreaterThan(0);
          expect(total.sum ?? 0).toSatisfy(Number.isFinite);
        }
      }),
      { numRuns: 300 },
    );
    for (const hostile of ['1'.repeat(100_000), '1m'.repeat(50_000), ': '.repeat(50_000), '1,'.repeat(50_000)]) {
      expect(measureOf(hostile).kind).toBe('text');
    }
  });
});
