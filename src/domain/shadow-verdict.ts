/** Computes the verdict (V8) from judged points: sums, thresholds, bands. Scores are never rescaled. */
import type { LimitState } from './shadow.ts';

/** One run of a command, kept as evidence for the verdict. */
export interface RunEvidence {
  readonly command: string;
  /** Null: the command was killed or not started. */
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** Truncated in the middle. */
  readonly output: string;
  /** Which limit ended it. */
  readonly stoppedBy: 'timeout' | 'output' | 'memory' | null;
}

export interface JudgedPoint {
  readonly id: string;
  readonly category: string;
  readonly question: string;
  readonly points: number;
  readonly max: number;
  /** The field of the manifest that was judged. */
  readonly judged: string;
  readonly evidence: readonly RunEvidence[];
  /** Why it earned its points, or not. */
  readonly says: string;
  /** Null: nothing to do. */
  readonly todo: string | null;
}

export type ShadowMode = 'shadow' | 'host-only';

interface Category {
  readonly id: string;
  readonly score: number;
  readonly max: number;
  readonly points: readonly JudgedPoint[];
}

export interface ShadowVerdict {
  readonly verdict: 'PASS' | 'FAIL' | 'INCOMPLETE';
  /** Null: neither mode was allowed to run. */
  readonly mode: ShadowMode | null;
  readonly score: number;
  readonly maxScore: number;
  readonly passThreshold: number;
  readonly categories: readonly Category[];
  readonly issues: readonly string[];
  readonly recommendations: readonly string[];
  readonly environment: Environment;
}

/** The environment and the sources of the verdict. */
export interface Environment {
  readonly runtime: string | null;
  readonly image: string | null;
  readonly base: string | null;
  readonly limits: readonly LimitState[];
  readonly sources: readonly JudgedSource[];
  /** Warnings about the snapshot. */
  readonly warnings: readonly string[];
  readonly failureReason: string | null;
}

/** The environment of a verdict without a shadow. */
export const NO_SANDBOX = { runtime: null, image: null, base: null, limits: [], sources: [] } as const;

interface JudgedSource {
  readonly repository: string;
  readonly commit: string;
  /** The judged tree: a later check compares it with the delivered one. */
  readonly tree: string;
}

interface ModeRules {
  readonly maxScore: number;
  readonly passThreshold: number;
  /** Categories that fail the verdict if they have no points, whatever the sum. */
  readonly needed: readonly string[];
}

const MODES: Record<ShadowMode, ModeRules> = {
  shadow: {
    maxScore: 100,
    passThreshold: 75,
    needed: ['source_verification', 'installation_health', 'code_execution'],
  },
  'host-only': { maxScore: 50, passThreshold: 35, needed: [] },
};

/** Bands of host-only scores, from the best down. */
export const HOST_BANDS = [
  [45, 'strong'],
  [35, 'acceptable'],
  [25, 'weak'],
  [0, 'failing'],
] as const;

export function bandOf(score: number): (typeof HOST_BANDS)[number][1] {
  return HOST_BANDS.find(([from]) => score >= from)?.[1] ?? 'failing';
}

export function verdictOf(
  mode: ShadowMode,
  points: readonly JudgedPoint[],
  environment: Environment,
  more: { readonly demands?: readonly string[] } = {},
): ShadowVerdict {
  const { maxScore, passThreshold, needed } = MODES[mode];
  const categories = categoriesOf(points);
  const score = points.reduce((sum, point) => sum + point.points, 0);
  const empty = categories.filter(({ id, score: own }) => needed.includes(id) && own === 0).map(({ id }) => id);
  const demands = more.demands ?? [];
  const passes = score >= passThreshold && empty.length === 0 && demands.length === 0;
  const lost = points.filter((point) => point.points < point.max);
  return {
    verdict: passes ? 'PASS' : 'FAIL',
    mode,
    score,
    maxScore,
    passThreshold,
    categories,
    issues: [
      ...demands,
      ...empty.map((id) => `no point at all in ${id}: that fails whatever the sum`),
      ...lost.map(({ id, says, points: got, max }) => `${id} (${got} of ${max}): ${says}`),
    ],
    recommendations: recommendationsOf(mode, score, lost),
    environment,
  };
}

/** Neither mode was allowed to run: nothing was judged. */
export function incompleteVerdict(why: string, todo: string, environment: Environment): ShadowVerdict {
  return {
    verdict: 'INCOMPLETE',
    mode: null,
    score: 0,
    maxScore: 0,
    passThreshold: 0,
    categories: [],
    issues: [why],
    recommendations: [todo],
    environment,
  };
}

function recommendationsOf(mode: ShadowMode, score: number, lost: readonly JudgedPoint[]): readonly string[] {
  const todos = [...new Set(lost.flatMap(({ todo }) => (todo === null ? [] : [todo])))];
  if (mode === 'shadow') return todos;
  const note = `host-only judgement: ${score} of ${MODES[mode].maxScore} (${bandOf(score)}); nothing was tried in a shadow`;
  return [note, ...todos];
}

function categoriesOf(points: readonly JudgedPoint[]): readonly Category[] {
  const ids = [...new Set(points.map(({ category }) => category))];
  return ids.map((id) => {
    const own = points.filter(({ category }) => category === id);
    return {
      id,
      score: own.reduce((sum, point) => sum + point.points, 0),
      max: own.reduce((sum, point) => sum + point.max, 0),
      points: own,
    };
  });
}
