/**
 * Two clones have decided differently, and each of them legally. One rule for all: the shared history wins. What this
 * database had decided stays in the trail, and a fact says that it was overruled.
 */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import { appendFact, type Fact } from '../../domain/facts.ts';
import type { Terms } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import { supersede, type Resumed } from '../../domain/moves/supersede.ts';
import { principalText, SYSTEM } from '../../domain/principal.ts';
import { errorsIn, readDocument, type DocumentRead } from '../../formats/document/read.ts';
import { REVISABLE } from '../../formats/document/schema.ts';
import type { DocumentVersion } from '../../folders/folder.ts';
import type { Whole } from '../../stores/store.ts';
import { andThen } from '../change.ts';
import { writerAs, type Roles, type Writer } from './attribution.ts';
import { withToldClock } from './apply-commit.ts';
import { agreedFields, asksSame } from './render.ts';
import { judgeTold, recordIn, stateIn, type UnlawfulChange } from './legal-change.ts';

interface ReadVersion extends DocumentVersion {
  readonly read: DocumentRead;
}

/**
 * The versions of a document that follow from each other, the oldest first. One that may not follow is left out, and
 * what comes after it is judged against the last one that may: a correction of a wrong commit is legal.
 */
export function lawfulVersions(
  roles: Roles,
  terms: Terms,
  versions: readonly DocumentVersion[],
): { readonly lawful: readonly ReadVersion[]; readonly wrong: ReadonlyMap<string, UnlawfulChange> } {
  const lawful: ReadVersion[] = [];
  const wrong = new Map<string, UnlawfulChange>();
  for (const version of versions.toReversed()) {
    const read = readDocument(version.text);
    if (errorsIn(read).length > 0) continue;
    const before = lawful.at(-1)?.read ?? null;
    const record = recordIn(roles, (before ?? read).fields, terms, before === null ? 'draft' : stateIn(before.fields));
    if (record === null) continue;
    const judged = judgeTold(roles, { via: 'git', who: version.author }, record, read, before);
    if (judged.ok || (before === null && isImported(read.all))) lawful.push({ ...version, read });
    else wrong.set(version.commit, judged.refusal);
  }
  return { lawful, wrong };
}

/** A handoff of an older form that was over when it was migrated: nobody knows how it went. */
export function isImported(all: DocumentRead['all']): boolean {
  return all['imported'] === 'true';
}

export interface Overruled {
  readonly decide: Decide;
  /** The first revision of ours that does not count any more. */
  readonly since: number;
}

/** The way from a state that the shared history knows to what is checked out. */
export function overruling(
  roles: Roles,
  writer: Writer,
  whole: Pick<Whole, 'handoff' | 'body'>,
  facts: readonly Fact[],
  lawful: readonly ReadVersion[],
): Result<Overruled, string> {
  const { handoff, body } = whole;
  const now = lawful.at(-1);
  if (now === undefined) return err('no version of it in git is legal');
  let reason = 'nothing in git leads there';
  for (const { to, before } of beginningsFor(roles, whole, lawful, now)) {
    const moved = supersede(handoff, to, 0);
    if (!moved.ok) continue;
    const judged = judgeTold(roles, writer, moved.value, now.read, before, body);
    if (!judged.ok) {
      reason = judged.refusal.says;
      continue;
    }
    const since = firstOverruled(facts, to);
    const back = resuming(writer, to, { overruled: { from: since, to: handoff.revision }, commit: now.commit });
    const { decide } = judged.value;
    const all = decide === null ? back : andThen(back, () => true, decide);
    return ok({ since, decide: withToldClock(all, now.read.fields) });
  }
  return err(reason);
}

interface ResumedAt {
  readonly to: Resumed;
  /** The text that tells it; null: none does. */
  readonly before: DocumentRead | null;
}

/**
 * Where the way can begin: at the version before, so that the trail tells each step; at this one itself where there is no
 * other. Where git asks for something else than this database, at a draft, because only a draft is revised.
 */
function beginningsFor(
  roles: Roles,
  whole: Pick<Whole, 'handoff' | 'body'>,
  lawful: readonly ReadVersion[],
  now: ReadVersion,
): readonly ResumedAt[] {
  if (!asksSame(roles, whole, now.read.fields)) {
    const here = agreedFields(whole);
    const fields = Object.fromEntries(REVISABLE.map((name) => [name, here[name] ?? null]));
    return [{ to: 'draft', before: { ...now.read, fields, all: fields } }];
  }
  return [...lawful.slice(0, -1).toReversed(), now].flatMap(({ read }) => {
    const told = stateIn(read.fields);
    const to = RESUMED_FROM[told];
    return to === null ? [] : [{ to, before: to === told ? read : null }];
  });
}

/** What is over in git began as an offer. */
const RESUMED_FROM: Record<State, Resumed | null> = {
  draft: 'draft',
  offered: 'offered',
  blocked: 'offered',
  accepted: 'accepted',
  delivered: 'accepted',
  completed: 'offered',
  failed: 'offered',
  rejected: 'offered',
  expired: 'offered',
  cancelled: 'offered',
};

function firstOverruled(facts: readonly Fact[], to: Resumed): number {
  const kept = facts.findLast((fact, index) => fact.to === to && index < facts.length - 1);
  return (kept?.revision ?? 1) + 1;
}

function resuming(
  writer: Writer,
  to: Resumed,
  detail: { readonly overruled: { readonly from: number; readonly to: number }; readonly commit: string },
): Decide {
  const by = principalText(writerAs(writer, SYSTEM));
  return (handoff, nowMs) => {
    const moved = supersede(handoff, to, nowMs);
    if (!moved.ok) return moved;
    const seen = appendFact(handoff, moved.value, 'supersede', by, nowMs, detail);
    return ok({ handoff: seen.handoff, facts: [seen.fact], overLimits: true });
  };
}
