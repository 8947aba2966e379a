import { beforeEach, describe, expect, it } from 'vitest';
import { campaignSize } from '../support/campaign-sizes.ts';
import { anyText, containing } from '../support/expected.ts';
import {
  containersOf,
  makePlace,
  makeRepository,
  NODE_CHANGE,
  NODE_PROJECT,
  pointsOf,
  PYTHON_CHANGE,
  PYTHON_PROJECT,
  testShadow,
  needPodman,
  type Files,
} from './samples.ts';

describe('a sample project with an uncommitted change', () => {
  beforeEach(needPodman);

  it.each([
    ['node', NODE_PROJECT, NODE_CHANGE],
    ['python', PYTHON_PROJECT, PYTHON_CHANGE],
  ])('V5, V6, V8: %s passes in a shadow, and every point has its evidence', async (type, committed, change) => {
    const place = makePlace();
    const verdict = await testShadow(place, makeRepository(committed, change));
    expect(verdict.issues_found).toEqual([]);
    expect(verdict).toMatchObject({ verdict: 'PASS', mode: 'shadow', score: 100, max_score: 100, pass_threshold: 75 });
    expect(verdict.manifest).toMatchObject({
      shadow_available: true,
      fallback_mode: false,
      failure_reason: null,
      test_context: { changed_files: Object.keys(change), project_type: type },
    });
    const points = Object.values(pointsOf(verdict));
    expect(points.reduce((sum, { max_points: max }) => sum + max, 0)).toBe(100);
    for (const { runs, judged } of points) {
      expect(judged).toMatch(/^(?:shadow_id|local_sources|test_context)/);
      expect(runs.length).toBeGreaterThan(0);
      for (const run of runs) expect(run).toMatchObject({ command: anyText(), exit_code: 0 });
    }
    expect(containersOf(place.folder)).toEqual([]);
  });

  const BROKEN: readonly (readonly [string, Files, Files, RegExp])[] = [
    ['node with a broken import', NODE_PROJECT, { 'index.js': 'require("./nowhere.js");\n' }, /nowhere/],
    [
      'node with a missing dependency',
      NODE_PROJECT,
      { 'index.js': 'require("left-pad");\nexports.add = (a, b) => a + b;\n' },
      /left-pad/,
    ],
    ['node with a failing test', NODE_PROJECT, { 'index.js': 'exports.add = (a, b) => a - b;\n' }, /fail|adds/],
    ['python with a broken import', PYTHON_PROJECT, { 'src/gadget/sums.py': 'import gadget.nowhere\n' }, /nowhere/],
    [
      'python with a missing dependency',
      PYTHON_PROJECT,
      {
        'pyproject.toml': (PYTHON_PROJECT['pyproject.toml'] ?? '').replace(
          'dependencies = []',
          'dependencies = ["left-pad"]',
        ),
      },
      /left-pad/,
    ],
    [
      'python with a failing test',
      PYTHON_PROJECT,
      { 'src/gadget/sums.py': 'def add(a, b):\n    return a - b\n' },
      /FAIL|AssertionError/i,
    ],
  ];

  // In turn, so that each language and each defect has its share.
  const share = campaignSize('BATON_SHADOW_SHARE');
  const judged = BROKEN.filter((_each, index) => index % share === 0);

  it.each(judged)('V6, V8: %s scores below the threshold and says why', async (_what, committed, change, why) => {
    const verdict = await testShadow(makePlace(), makeRepository(committed, change));
    expect(verdict).toMatchObject({ verdict: 'FAIL', mode: 'shadow' });
    expect(verdict.score).toBeLessThan(75);
    expect(verdict.issues_found.join('\n')).toMatch(why);
    expect(verdict.recommendations.length).toBeGreaterThan(0);
  });

  it('V6: a test that failed before the change is not held against it', async () => {
    const old: Files = {
      ...NODE_PROJECT,
      'old.js': 'exports.old = 1;\n',
      'old.test.js': 'require("node:test")("old", () => { throw new Error("broken long ago"); });\n',
    };
    const verdict = await testShadow(makePlace(), makeRepository(old, NODE_CHANGE));
    expect(verdict).toMatchObject({ verdict: 'PASS', score: 90 });
    expect(pointsOf(verdict)['integration']).toMatchObject({ points: 0 });
    expect(pointsOf(verdict)['no_regressions']).toMatchObject({
      points: 10,
      says: containing('before the change'),
    });
  });
});
