/** A migration plan for people and for programs. */
import { instantOrNull } from '../../foundation/instant-text.ts';
import type { Conflict, Step } from '../../engine/migration/plan.ts';
import type { Planned } from '../../adapters/migration/migrate.ts';
import { displayLine } from '../../foundation/display-text.ts';
import { counted } from '../../foundation/count-text.ts';
import { shorten } from '../shared/shorten.ts';
import { tableOf } from './table.ts';

/** `--json` has all rows. */
const ROWS_MAX = 200;
const WIDTH = 56;

export function planText({ steps, scanned }: Planned, isTrial: boolean): string {
  const rows = steps.slice(0, ROWS_MAX).map(rowOf);
  const of = (kind: Step['do']): number => steps.filter((step) => step.do === kind).length;
  const more = steps.length > ROWS_MAX ? `\n… and ${counted(steps.length - ROWS_MAX)} more; --json shows all` : '';
  const unclear = of('unclear') + scanned.unclear.length;
  const sum =
    `${counted(scanned.scanned, 'file')} looked at: ${counted(of('migrate'))} to migrate, ${counted(of('clear'))} to clear, ` +
    `${counted(of('conflict'))} in conflict, ${counted(unclear)} unclear`;
  const hint = isTrial && steps.length > 0 ? '\nNothing was changed. To do it: baton migrate --apply' : '';
  const table =
    rows.length === 0
      ? ''
      : `${tableOf(['WHAT', 'OLD FILE', 'BECOMES', 'STATUS', 'TASK', 'ABOUT IT'], rows)}${more}\n\n`;
  return `${table}${leftText(scanned.unclear)}${sum}${expiryText(steps)}${hint}`;
}

/** Files that look like handoffs and are not moved, grouped by the reason. */
function leftText(unclear: Planned['scanned']['unclear']): string {
  if (unclear.length === 0) return '';
  const byReason = new Map<string, string[]>();
  for (const { path, because } of unclear) byReason.set(because, [...(byReason.get(because) ?? []), path]);
  const rows = [...byReason].slice(0, ROWS_MAX).map(([because, [first = '', ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${counted(others.length)} more`;
    return ['unclear', `${endOf(first)}${more}`, displayLine(because)];
  });
  return `Left where they are:\n${tableOf(['WHAT', 'FILE', 'WHY'], rows)}\n\n`;
}

/** All deadlines start at the migration, so they share one date. */
function expiryText(steps: readonly Step[]): string {
  const dates = steps.flatMap((step) =>
    step.do === 'migrate' && step.mapped.expiresAt !== null ? [step.mapped.expiresAt] : [],
  );
  const first = dates[0];
  if (first === undefined) return '';
  const when = new Date(first).toISOString().slice(0, 16).replace('T', ' ');
  return `\n${counted(dates.length)} of them will be open. They expire at ${when} UTC unless they are acknowledged before.`;
}

function rowOf(step: Step): readonly string[] {
  if (step.do === 'conflict') {
    const [first] = step.versions.at(-1) ?? [];
    return ['conflict', endOf(first?.path ?? ''), '', '', '', `${step.versions.length} texts: ${step.because}`];
  }
  const [first] = step.sources;
  const others = step.sources.length > 1 ? [`and ${step.sources.length - 1} more like it`] : [];
  const old = endOf(first?.path ?? '');
  if (step.do === 'clear') return ['clear', old, endOf(step.keptIn), '', '', others.join('')];
  if (step.do === 'unclear') return ['unclear', old, '', '', '', [step.because, ...others].join('; ')];
  const { mapped, task } = step;
  const about = [...others, ...mapped.notes].join('; ');
  const taskName = `${task.id}${task.isNew ? ' (new)' : ''}`;
  return ['migrate', old, endOf(`${step.place}/${step.id}.md`), mapped.status, taskName, about];
}

/** The end of a path says more than its beginning. */
function endOf(path: string, max = WIDTH): string {
  const readable = displayLine(path);
  return readable.length <= max ? readable : `…${readable.slice(1 - max)}`;
}

const COMPARED = ['id', 'from', 'to', 'status', 'created', 'title', 'task'] as const;
const DIFFERENT_LINES_MAX = 6;
const COLUMN = 48;

/** The versions side by side, with their differences. */
export function conflictText({ versions, because }: Conflict): string {
  const all = versions.flatMap(([first]) => (first === undefined ? [] : [first]));
  const cells = (row: readonly string[]): readonly string[] => row.map((cell) => shorten(displayLine(cell), COLUMN));
  const fields = COMPARED.map((role) => [role, ...all.map(({ reading }) => reading[role]?.text ?? '–')]);
  const differing = fields.filter(([, ...said]) => new Set(said).size > 1);
  const own = all.map(({ reading }) => {
    const others = new Set(
      all.filter((each) => each.reading !== reading).flatMap(({ reading: other }) => linesOf(other.text)),
    );
    return linesOf(reading.text).filter((line) => !others.has(line));
  });
  const length = Math.min(DIFFERENT_LINES_MAX, Math.max(0, ...own.map((each) => each.length)));
  const lines = Array.from({ length }, (_, index) => ['', ...own.map((each) => each[index] ?? '')]);
  const dates = all.map(({ changedAt }) =>
    changedAt === null ? 'not committed' : new Date(changedAt).toISOString().slice(0, 16),
  );
  const rows = [['changed', ...dates], ...differing, ...lines].map(cells);
  return `conflict: ${because}\n${tableOf(cells(['', ...all.map(({ path }) => endOf(path, COLUMN))]), rows)}`;
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** For programs, with the field names of the documents. */
export function stepView(step: Step): object {
  if (step.do === 'conflict') {
    const versions = step.versions.map((version) =>
      version.map(({ path, sha256, changedAt, reading }) => {
        const said = Object.fromEntries(COMPARED.map((role) => [role, reading[role]?.text ?? null]));
        return { path, sha256, changed_at: instantOrNull(changedAt), ...said };
      }),
    );
    return { do: step.do, because: step.because, versions };
  }
  const sources = step.sources.map(({ path, sha256, changedAt, is }) => {
    return { path, sha256, is, changed_at: instantOrNull(changedAt) };
  });
  if (step.do === 'clear') return { do: step.do, kept_in: step.keptIn, sources };
  if (step.do === 'unclear') return { do: step.do, because: step.because, sources };
  const { mapped, task, id, place, verbatim } = step;
  const { from, to, status, title, createdAt, expiresAt, notes } = mapped;
  return {
    do: step.do,
    document: `_handoffs/${place}/${id}.md`,
    handoff_id: id,
    from_agent: from,
    to_agent: to,
    status,
    title,
    created_at: instantOrNull(createdAt),
    expires_at: instantOrNull(expiresAt),
    related_task: task.id,
    makes_task: task.isNew,
    only_moves: verbatim,
    notes,
    sources,
  };
}
