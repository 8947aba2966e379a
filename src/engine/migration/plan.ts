/**
 * Plans a migration only from the scan: the same repository always gives the same plan.
 *
 * A file is removed only when a document holds its content. Texts that contradict each other are listed and stay where they
 * are, unless the newest was asked for.
 */
import { archiveMonth, documentId } from '../../formats/document/names.ts';
import { countByAgent, type AgentCounts } from '../../formats/document/index-text.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import type { Candidate, KnownDocument, KnownTask } from './candidate.ts';
import { groupsOf, isContained, type Group } from './group.ts';
import { mapFields, type Mapped, type MappingTerms } from './map-fields.ts';
import { allocateTasks, type PlannedTask, type TaskAllocator } from './plan-tasks.ts';

export interface Source extends Pick<Candidate, 'path' | 'sha256' | 'changedAt'> {
  readonly is: 'newest' | 'older' | 'copy';
}

export interface Migrate {
  readonly do: 'migrate';
  readonly id: string;
  readonly place: string;
  readonly mapped: Mapped;
  readonly task: PlannedTask;
  /** A settled document: it only moves, to the byte. */
  readonly verbatim: boolean;
  readonly sources: readonly Source[];
}

export interface Conflict {
  readonly do: 'conflict';
  readonly because: string;
  readonly versions: readonly (readonly Candidate[])[];
}

export type Step =
  | Migrate
  | Conflict
  /** A document holds its content already. */
  | { readonly do: 'clear'; readonly keptIn: string; readonly sources: readonly Source[] }
  | { readonly do: 'unclear'; readonly because: string; readonly sources: readonly Source[] };

export interface Found {
  readonly candidates: readonly Candidate[];
  readonly documents: readonly KnownDocument[];
  readonly tasks: readonly KnownTask[];
}

export interface PlanTerms extends MappingTerms {
  /** Take the newest of contradicting texts; its document keeps the others. */
  readonly newest: boolean;
}

export function planMigration(found: Found, terms: PlanTerms): readonly Step[] {
  const holders = new Map(found.documents.flatMap((each) => [...each.holds].map((key) => [key, each] as const)));
  const taken = new Set(found.documents.map(({ id }) => id));
  const tasks = allocateTasks(found.tasks, found.documents);
  const groups = groupsOf(found.candidates).toSorted(byFirstDay);
  return groups.map((group) => stepFor(group, { holders, taken, tasks, terms }));
}

interface PlanContext {
  readonly holders: ReadonlyMap<string, KnownDocument>;
  readonly taken: Set<string>;
  readonly tasks: TaskAllocator;
  readonly terms: PlanTerms;
}

function stepFor(group: Group, ctx: PlanContext): Step {
  const { versions } = group;
  const kept = versions.filter(([first]) => ctx.holders.has(first.key));
  if (kept.length > 0) {
    const keptIn = ctx.holders.get(kept[0]?.[0].key ?? '')?.path ?? '';
    if (kept.length === versions.length) return { do: 'clear', keptIn, sources: sourcesOf(group) };
    return { do: 'conflict', because: `differs from what is in ${keptIn}`, versions };
  }
  const newest = versions.at(-1)?.[0];
  const all = versions.toReversed().flat();
  // A group moves only when one of its texts is surely a handoff.
  const unsure = all.some((each) => each.unclear === null) ? null : (newest?.unclear ?? null);
  if (unsure !== null) return { do: 'unclear', because: unsure, sources: sourcesOf(group) };
  if (newest === undefined) return { do: 'unclear', because: 'nothing is there', sources: [] };
  const contradicts = versions.slice(0, -1).some(([older]) => !isContained(older.reading.text, newest.reading.text));
  if (contradicts && !ctx.terms.newest) {
    return { do: 'conflict', because: 'the same handoff in texts that contradict each other', versions };
  }
  const mapped = mapFields(newest, all.slice(1), ctx.terms);
  if (typeof mapped === 'string') return { do: 'unclear', because: mapped, sources: sourcesOf(group) };
  return migrationOf(group, newest, mapped, ctx);
}

function migrationOf(group: Group, newest: Candidate, mapped: Mapped, { taken, tasks }: PlanContext): Migrate {
  const { governed } = newest;
  const verbatim =
    governed !== null && mapped.settledAt !== null && group.versions.length === 1 && !taken.has(governed.id);
  const task = verbatim ? tasks.named(governed.task) : tasks.taskFor(newest, mapped);
  const id = verbatim ? governed.id : freeId(mapped, task, taken);
  taken.add(id);
  const place = mapped.settledAt === null ? 'active' : `archived/${archiveMonth(mapped.settledAt)}`;
  return { do: 'migrate', id, place, mapped, task, verbatim, sources: sourcesOf(group) };
}

function freeId({ from, to, createdAt }: Mapped, task: PlannedTask, taken: ReadonlySet<string>): string {
  for (let nth = 1; ; nth += 1) {
    const id = documentId({ from, to, task: task.id, createdAt }, nth);
    if (!taken.has(id)) return id;
  }
}

function sourcesOf({ versions }: Group): readonly Source[] {
  return versions.toReversed().flatMap((version, age) =>
    version.map(({ path, sha256, changedAt }, copy): Source => {
      return { path, sha256, changedAt, is: copy > 0 ? 'copy' : age === 0 ? 'newest' : 'older' };
    }),
  );
}

/** Tasks are numbered in the order in which the handoffs were created. */
function byFirstDay(a: Group, b: Group): number {
  const [first, second] = [a, b].map(({ versions }) => versions.at(-1)?.[0]);
  const days = (first?.reading.createdAt ?? Infinity) - (second?.reading.createdAt ?? Infinity);
  if (days !== 0 && !Number.isNaN(days)) return days;
  return (first?.path ?? '') < (second?.path ?? '') ? -1 : 1;
}

/** How many open documents each agent will have. */
export function openCounts(steps: readonly Step[], documents: readonly KnownDocument[]): AgentCounts {
  const migrated = steps.flatMap((step) => (step.do === 'migrate' && !isFinal(step.mapped.state) ? step.mapped : []));
  return countByAgent([...documents.filter(({ isOpen }) => isOpen), ...migrated]);
}
