/** Finds numbers in a "complete" report that contradict it: tests that failed or did not run. */
import type { JsonObject } from '../foundation/json.ts';
import { measuresIn, type Measure } from './metrics.ts';

const ABOUT_TESTS = /test|spec|check|pass/i;
const FAILURES = /fail|error/i;
const PASSES = /pass|ok|success|green/i;
const ALL_OF = /^(?:.*\.)?(?:tests?|checks?|specs?)(?:_?(?:total|run|count|all))?$|total/i;
/** `3 of 25 tests`, `3/25 passed`. */
const SHARE = /(\d{1,9})\s*(?:\/|of|von)\s*(\d{1,9})/i;

/** The contradiction in words; null: none. */
export function contradictionIn(metrics: JsonObject): string | null {
  const measures = measuresIn(metrics).filter(({ key }) => ABOUT_TESTS.test(key));
  for (const measure of measures) {
    const says = contradictionOf(measure);
    if (says !== null) return says;
  }
  return shortfallIn(measures);
}

function contradictionOf({ key, kind, value, of, text }: Measure): string | null {
  if (FAILURES.test(key)) return (kind === 'number' || kind === 'count') && value > 0 ? `${key} is ${text}` : null;
  if (kind === 'flag') return value === 0 ? `${key} is ${text}` : null;
  if (kind === 'count') return of !== undefined && value < of ? `${key} is ${text}` : null;
  if (kind !== 'text') return null;
  const [, some, all] = SHARE.exec(text) ?? [];
  return some !== undefined && Number(some) < Number(all) ? `${key} is ${text}` : null;
}

/** `tests_passed: 3` beside `tests_total: 25`. */
function shortfallIn(measures: readonly Measure[]): string | null {
  const passed = measures.find(({ key, kind }) => kind === 'number' && PASSES.test(key));
  const all = measures.find(({ key, kind }) => kind === 'number' && !PASSES.test(key) && ALL_OF.test(key));
  if (passed === undefined || all === undefined || passed.value >= all.value) return null;
  return `${passed.key} is ${passed.text}, ${all.key} is ${all.text}`;
}
