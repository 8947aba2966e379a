import { describe, expect, it } from 'vitest';
import { anyText, containing } from '../support/expected.ts';
import { isRepository, readSource, repositoryOfAddress, shellWord } from '../../src/domain/shadow.ts';
import { readShadowId } from '../../src/domain/names.ts';
import { HOST_RUBRIC, SHADOW_RUBRIC } from '../../src/domain/shadow-rubric.ts';
import { bandOf, verdictOf, type Environment, type JudgedPoint } from '../../src/domain/shadow-verdict.ts';

const NOWHERE: Environment = {
  runtime: null,
  image: null,
  base: null,
  limits: [],
  sources: [],
  warnings: [],
  failureReason: null,
};

function sumsOf(
  rows: readonly { readonly category: string; readonly points: number }[],
): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { category, points } of rows) sums[category] = (sums[category] ?? 0) + points;
  return sums;
}

function judged(lost: (id: string) => boolean): readonly JudgedPoint[] {
  return SHADOW_RUBRIC.map(({ id, category, question, points, field, todo }) => ({
    id,
    category,
    question,
    max: points,
    points: lost(id) ? 0 : points,
    judged: field,
    evidence: [],
    says: lost(id) ? 'no' : 'yes',
    todo: lost(id) ? todo : null,
  }));
}

describe('the rubrics', () => {
  it('V6: the shadow rubric has 100 points in five categories', () => {
    expect(sumsOf(SHADOW_RUBRIC)).toEqual({
      source_verification: 25,
      installation_health: 20,
      code_execution: 30,
      isolation: 15,
      no_regressions: 10,
    });
    expect(Object.fromEntries(SHADOW_RUBRIC.map(({ id, points }) => [id, points]))).toEqual({
      snapshot_commits_exist: 5,
      redirect_configured: 5,
      installed_is_snapshot: 10,
      unregistered_not_redirected: 5,
      installs: 8,
      imports: 6,
      cli_responds: 6,
      changed_modules_load: 10,
      basic_function: 10,
      integration: 10,
      hostname: 5,
      home: 5,
      environment: 5,
      no_regressions: 10,
    });
  });

  it('V7: the host-only rubric has 50 points in four categories', () => {
    expect(sumsOf(HOST_RUBRIC)).toEqual({ local_source: 15, code_quality: 15, dependencies: 10, basic_execution: 10 });
    expect(HOST_RUBRIC.filter((row) => 'executes' in row).map(({ category }) => category)).toEqual([
      'basic_execution',
      'basic_execution',
    ]);
    expect([50, 45, 44, 35, 34, 25, 24, 0].map(bandOf)).toEqual([
      'strong',
      'strong',
      'acceptable',
      'acceptable',
      'weak',
      'weak',
      'failing',
      'failing',
    ]);
  });

  it('V6: 75 pass, 74 do not, and nothing at all in a needed category fails whatever the sum', () => {
    expect(
      verdictOf(
        'shadow',
        judged(() => false),
        NOWHERE,
      ),
    ).toMatchObject({ verdict: 'PASS', score: 100, issues: [] });
    const isolation = (id: string): boolean => ['hostname', 'home', 'environment'].includes(id);
    expect(
      verdictOf(
        'shadow',
        judged((id) => isolation(id) || id === 'no_regressions'),
        NOWHERE,
      ),
    ).toMatchObject({ verdict: 'PASS', score: 75 });
    const lost74 = (id: string): boolean => isolation(id) || ['cli_responds', 'snapshot_commits_exist'].includes(id);
    expect(verdictOf('shadow', judged(lost74), NOWHERE)).toMatchObject({ verdict: 'FAIL', score: 74 });
    const installation = ['installs', 'imports', 'cli_responds'];
    expect(
      verdictOf(
        'shadow',
        judged((id) => installation.includes(id)),
        NOWHERE,
      ),
    ).toMatchObject({
      verdict: 'FAIL',
      score: 80,
      issues: [containing('installation_health'), anyText(), anyText(), anyText()],
    });
  });

  it('V8: a demand of the workspace that is not met fails, and is the first issue', () => {
    const verdict = verdictOf(
      'shadow',
      judged(() => false),
      NOWHERE,
      { demands: ['memory is required and not enforced here'] },
    );
    expect(verdict).toMatchObject({
      verdict: 'FAIL',
      score: 100,
      issues: ['memory is required and not enforced here'],
    });
  });
});

describe('names of shadows and sources', () => {
  it.each(['../..', '', 'ab', 'A-B-C', 'shadow_1', '-abc', 'con', 'a'.repeat(42), 'a/b', 'a\0b'])(
    'V4: %j is no shadow',
    (text) => {
      expect(readShadowId(text)).toBeNull();
    },
  );

  it('V4: sources are PATH:ORG/NAME, whatever the path holds', () => {
    expect(readSource('~/repos/lib:my-org/lib.js')).toEqual({ path: '~/repos/lib', repository: 'my-org/lib.js' });
    expect(readSource(`/a b/it's "x":c:org/name`)).toEqual({ path: `/a b/it's "x":c`, repository: 'org/name' });
    expect(readSource('/only/a/path')).toEqual({ path: '/only/a/path', repository: null });
    expect(
      ['org/..', 'org/a..b', '/name', 'org/', 'org/name.git', 'o rg/name', 'org/na me', '../x'].filter(isRepository),
    ).toEqual([]);
  });

  it.each([
    ['https://github.com/a/b.git', 'a/b'],
    ['git@github.com:a/b', 'a/b'],
    ['ssh://git@github.com:22/a/b.git', 'a/b'],
    ['https://user:tok@www.github.com/a/b/', 'a/b'],
    ['https://gitlab.com/a/b', null],
    ['https://github.com.evil.test/a/b', null],
    ['/srv/git/a/b', null],
  ])('V4: the origin %s is %s', (address, repository) => {
    expect(repositoryOfAddress(address)).toBe(repository);
  });

  it('V4: a word for a shell stays one word', () => {
    expect(shellWord(`it's $(id) "x"`)).toBe(`'it'\\''s $(id) "x"'`);
  });
});
