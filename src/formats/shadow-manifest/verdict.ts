/** The verdict (V8) with the keys of the specification: JSON as the result of a handoff, YAML for people. */
import { stringify } from 'yaml';
import * as z from 'zod';
import type { JsonObject } from '../../foundation/json.ts';
import type { JudgedPoint, RunEvidence, ShadowVerdict } from '../../domain/shadow-verdict.ts';

/** Bounds the output of one command, so that the whole verdict fits into a result. */
const OUTPUT_CHARS_MAX = 4_000;
const ISSUES_MAX = 100;
const SAYS_CHARS_MAX = 1_000;

export function verdictJson(verdict: ShadowVerdict): JsonObject {
  const { environment } = verdict;
  return {
    verdict: verdict.verdict,
    mode: verdict.mode,
    score: verdict.score,
    max_score: verdict.maxScore,
    pass_threshold: verdict.passThreshold,
    evidence: {
      ...Object.fromEntries(
        verdict.categories.map(({ id, score, max, points }) => [
          id,
          { score, max_score: max, points: Object.fromEntries(points.map((point) => [point.id, pointJson(point)])) },
        ]),
      ),
      environment: {
        runtime: environment.runtime,
        image: environment.image,
        base: environment.base,
        failure_reason: environment.failureReason,
        sources: environment.sources.map(({ repository, commit, tree }) => ({
          github_repo: repository,
          snapshot_commit: commit,
          tree,
        })),
        limits: Object.fromEntries(
          environment.limits.map(({ name, enforced, says }) => [name, { enforced, says: cut(says, SAYS_CHARS_MAX) }]),
        ),
        warnings: environment.warnings.slice(0, ISSUES_MAX).map((text) => cut(text, SAYS_CHARS_MAX)),
      },
    },
    issues_found: verdict.issues.slice(0, ISSUES_MAX).map((text) => cut(text, SAYS_CHARS_MAX)),
    recommendations: verdict.recommendations.slice(0, ISSUES_MAX).map((text) => cut(text, SAYS_CHARS_MAX)),
  };
}

export function verdictText(verdict: JsonObject): string {
  return stringify(verdict, { lineWidth: 0 });
}

function pointJson({ points, max, question, judged, says, todo, evidence }: JudgedPoint): JsonObject {
  return {
    points,
    max_points: max,
    question,
    judged,
    says: cut(says, SAYS_CHARS_MAX),
    ...(todo === null ? {} : { todo }),
    runs: evidence.map(runJson),
  };
}

function runJson({ command, exitCode, durationMs, output, stoppedBy }: RunEvidence): JsonObject {
  return {
    command: cut(command, OUTPUT_CHARS_MAX),
    exit_code: exitCode,
    duration_ms: Math.round(durationMs),
    output: cut(output, OUTPUT_CHARS_MAX),
    ...(stoppedBy === null ? {} : { stopped_by: stoppedBy }),
  };
}

/** Keeps the beginning and the end, which usually tell of a failure; half a character is replaced. */
function cut(text: string, max: number): string {
  const sound = text.replaceAll('\u0000', '\ufffd').replaceAll(/\p{Surrogate}/gu, '\ufffd');
  if (sound.length <= max) return sound;
  const half = Math.floor(max / 2);
  const gap = `\n… ${sound.length - 2 * half} characters left out …\n`;
  return `${sound.slice(0, half)}${gap}${sound.slice(-half)}`.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** The fields of a stored verdict that programs read; the others are for people. */
const VerdictShape = z.looseObject({
  verdict: z.enum(['PASS', 'FAIL', 'INCOMPLETE']),
  mode: z.enum(['shadow', 'host-only']).nullable(),
  score: z.number(),
  max_score: z.number(),
  pass_threshold: z.number(),
  evidence: z.looseObject({
    environment: z
      .looseObject({
        sources: z.array(z.looseObject({ github_repo: z.string(), snapshot_commit: z.string(), tree: z.string() })),
      })
      .optional(),
  }),
  issues_found: z.array(z.string()),
  recommendations: z.array(z.string()),
});

export type StoredVerdict = z.infer<typeof VerdictShape>;

/** Null: the value is no verdict. */
export function readVerdict(value: unknown): StoredVerdict | null {
  const read = VerdictShape.safeParse(value);
  return read.success ? read.data : null;
}
