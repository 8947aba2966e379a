/** A verdict as text for people. The last line is the verdict itself. */
import { displayText } from '../../foundation/display-text.ts';
import type { JsonObject } from '../../foundation/json.ts';
import { readVerdict } from '../../formats/shadow-manifest/verdict.ts';

const BAR_WIDTH = 20;
const OUTPUT_LINES = 12;

interface Run {
  readonly command: string;
  readonly exit_code: number | null;
  readonly duration_ms: number;
  readonly output: string;
  readonly stopped_by?: string;
}

export interface Point {
  readonly points: number;
  readonly max_points: number;
  readonly question: string;
  readonly judged: string;
  readonly says: string;
  readonly todo?: string;
  readonly runs: readonly Run[];
}

export interface CategoryView {
  readonly score: number;
  readonly max_score: number;
  readonly points: Readonly<Record<string, Point>>;
}

/** `verbose`: with the output of commands that passed too. */
export function shadowReport(json: JsonObject, { verbose }: { readonly verbose: boolean }): string {
  const verdict = readVerdict(json);
  if (verdict === null) return 'VERDICT: INCOMPLETE';
  const { environment, ...categories } = verdict.evidence;
  const lines = [
    `mode: ${[verdict.mode ?? 'none', ...strings([environment?.['base']])].join(', ')}`,
    '',
    ...Object.entries(categories).flatMap(([name, category]) => categoryLines(name, category as CategoryView, verbose)),
    ...listed('Warnings', strings(environment?.['warnings'])),
    ...listed('Issues', verdict.issues_found),
    ...listed('What to do', verdict.recommendations),
    `Score: ${verdict.score} of ${verdict.max_score}, ${verdict.pass_threshold} are needed`,
    `VERDICT: ${verdict.verdict}`,
  ];
  return lines.map(displayText).join('\n');
}

function categoryLines(
  name: string,
  { score, max_score: max, points }: CategoryView,
  verbose: boolean,
): readonly string[] {
  const filled = max === 0 ? 0 : Math.round((score / max) * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  return [
    `${bar} ${String(score).padStart(3)} of ${String(max).padStart(3)}  ${name.replaceAll('_', ' ')}`,
    ...Object.values(points).flatMap((point) => pointLines(point, verbose)),
    '',
  ];
}

function pointLines({ points, max_points: max, question, says, runs }: Point, verbose: boolean): readonly string[] {
  const isLost = points < max;
  const head = `  ${isLost ? '✗' : '✓'} ${String(points).padStart(2)}/${String(max).padEnd(2)} ${question}${isLost ? ` ${says}` : ''}`;
  if (!isLost && !verbose) return [head];
  return [head, ...runs.flatMap((run) => runLines(run, isLost || verbose))];
}

function runLines({ command, exit_code: code, duration_ms: ms, output }: Run, withOutput: boolean): readonly string[] {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.length > OUTPUT_LINES ? [...lines.slice(0, OUTPUT_LINES - 1), '…'] : lines;
  return [
    `      $ ${command.replaceAll('\n', ' ')}  (exit ${code ?? 'none'}, ${ms} ms)`,
    ...(withOutput ? shown.map((line) => `      | ${line}`) : []),
  ];
}

function listed(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `  - ${item.replaceAll('\n', ' ')}`), ''];
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
