/** Reads the whole trail, for projects and for the audit of all facts. */
import { assuranceOf, isAtLeast, type Assurance } from '../../domain/assurance.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { ProjectFold, type ProjectTrail } from '../../domain/project-trail.ts';
import type { Context } from '../context.ts';
import { handoffsByIds, pagesOfFacts } from './find.ts';

const FACTS_PAGE = 1_000;

/** All projects by name, or the given one. */
export async function projects(ctx: Context, project: string | null): Promise<readonly ProjectTrail[]> {
  const fold = new ProjectFold();
  for await (const page of pagesOfFacts(ctx.store, { max: FACTS_PAGE })) for (const { fact } of page) fold.add(fact);
  const trails = fold.projects();
  const wanted = project === null ? trails : trails.filter((trail) => trail.project === project);
  return withAssurance(ctx, wanted, new Map());
}

/** For repeated reads: each reads only the facts since the last one. */
export function openProjects(ctx: Context): { read(): Promise<readonly ProjectTrail[]> } {
  const fold = new ProjectFold();
  let cursor: string | undefined;
  let reading: Promise<void> | null = null;
  const known: Known = new Map();
  const readNew = async (): Promise<void> => {
    const query = { max: FACTS_PAGE, ...(cursor === undefined ? {} : { after: cursor }) };
    for await (const page of pagesOfFacts(ctx.store, query)) {
      for (const { fact } of page) fold.add(fact);
      cursor = page.at(-1)?.cursor;
    }
  };
  return {
    read: async () => {
      reading ??= readNew().finally(() => (reading = null));
      await reading;
      return withAssurance(ctx, fold.projects(), known);
    },
  };
}

/** Of completed handoffs, which never change. */
type Known = Map<string, Assurance | null>;

/** Reads records, because the trail does not show whether a record was imported. */
async function withAssurance(
  { store, rules }: Context,
  trails: readonly ProjectTrail[],
  known: Known,
): Promise<readonly ProjectTrail[]> {
  const done = trails.flatMap(({ legs }) => legs.filter(({ state }) => state === 'completed').map(({ id }) => id));
  const ids = done.filter((id) => !known.has(id)) as HandoffId[];
  for (const [id, handoff] of await handoffsByIds(store, ids)) known.set(id, assuranceOf(handoff));
  return trails.map((trail) => ({
    ...trail,
    legs: trail.legs.map((leg) => {
      const assurance = leg.state === 'completed' ? (known.get(leg.id) ?? null) : null;
      return { ...leg, assurance, isProven: assurance === null || isAtLeast(assurance, rules.requiredAssurance) };
    }),
  }));
}

/** A fact with the parties and the subject of its handoff. */
export interface AuditEntry {
  readonly fact: Fact;
  readonly handoff: Pick<Handoff, 'from' | 'to' | 'task' | 'title'>;
}

/** All facts in the order of the trail; with a project, only facts of its legs. */
export async function* auditTrail(ctx: Context, project: string | null): AsyncGenerator<readonly AuditEntry[]> {
  const wanted =
    project === null ? null : new Set((await projects(ctx, project)).flatMap(({ legs }) => legs.map(({ id }) => id)));
  for await (const page of pagesOfFacts(ctx.store, { max: FACTS_PAGE })) {
    const all = page.map(({ fact }) => fact);
    const facts = wanted === null ? all : all.filter(({ handoff }) => wanted.has(handoff));
    const ids = facts.map(({ handoff }) => handoff);
    const byId = await handoffsByIds(ctx.store, ids);
    // A removed handoff takes its facts with it, but may have been removed since the facts were read.
    yield facts.flatMap((fact) => {
      const handoff = byId.get(fact.handoff);
      return handoff === undefined ? [] : [{ fact, handoff }];
    });
  }
}
