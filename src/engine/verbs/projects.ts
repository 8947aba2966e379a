/** Reads the whole trail, for what only the whole of it tells: projects, and who did what when. */
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { ProjectFold, type ProjectTrail } from '../../domain/project-trail.ts';
import type { Surroundings } from '../surroundings.ts';

const FACTS_PAGE = 1_000;

/** All of them by name, or the one that is asked for. */
export async function projects(around: Surroundings, project: string | null): Promise<readonly ProjectTrail[]> {
  const fold = new ProjectFold();
  for await (const page of pagesOfFacts(around)) for (const fact of page) fold.see(fact);
  const trails = fold.projects();
  return project === null ? trails : trails.filter((trail) => trail.project === project);
}

/** For whoever asks again and again: only what happened since is read. */
export function openProjects(around: Surroundings): { read(): Promise<readonly ProjectTrail[]> } {
  const fold = new ProjectFold();
  let cursor: string | undefined;
  let reading: Promise<void> | null = null;
  const readOn = async (): Promise<void> => {
    for (;;) {
      const page = await around.store.facts({ max: FACTS_PAGE, ...(cursor === undefined ? {} : { after: cursor }) });
      for (const { fact } of page) fold.see(fact);
      cursor = page.at(-1)?.cursor ?? cursor;
      if (page.length < FACTS_PAGE) return;
    }
  };
  return {
    read: async () => {
      reading ??= readOn().finally(() => (reading = null));
      await reading;
      return fold.projects();
    },
  };
}

/** A fact, with what its handoff is about. */
export interface AuditEntry {
  readonly fact: Fact;
  readonly handoff: Pick<Handoff, 'from' | 'to' | 'task' | 'title'>;
}

/** Everything that happened, in the order of the trail; with a project, what happened to its legs. */
export async function* auditTrail(around: Surroundings, project: string | null): AsyncGenerator<readonly AuditEntry[]> {
  const wanted = project === null ? null : new Set((await projects(around, project)).flatMap(idsOf));
  for await (const page of pagesOfFacts(around)) {
    const facts = wanted === null ? page : page.filter(({ handoff }) => wanted.has(handoff));
    const ids = [...new Set(facts.map(({ handoff }) => handoff))];
    const { items } = ids.length === 0 ? { items: [] } : await around.store.find({ by: 'ids', ids });
    const byId = new Map(items.map((handoff) => [handoff.id, handoff]));
    // A handoff is never deleted, so each fact has one.
    yield facts.flatMap((fact) => {
      const handoff = byId.get(fact.handoff);
      return handoff === undefined ? [] : [{ fact, handoff }];
    });
  }
}

function idsOf({ legs }: ProjectTrail): readonly string[] {
  return legs.map(({ id }) => id);
}

async function* pagesOfFacts({ store }: Surroundings): AsyncGenerator<readonly Fact[]> {
  for (let after: string | undefined; ;) {
    const page = await store.facts({ max: FACTS_PAGE, ...(after === undefined ? {} : { after }) });
    if (page.length > 0) yield page.map(({ fact }) => fact);
    if (page.length < FACTS_PAGE) return;
    after = page.at(-1)?.cursor;
  }
}
