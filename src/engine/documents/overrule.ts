/**
 * Resolves two clones that decided differently, each of them legally: the shared history wins. What this database had
 * decided stays in the trail, and a fact says that it was overruled.
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
import type { Claimed } from '../../stores/store.ts';
import { inOrder } from '../change.ts';
import { writerAs, type Roles, type Writer } from './attribution.ts';
import { withToldClock } from './apply-commit.ts';
import { agreedFields, asksSame } from './render.ts';
import { judgeTold, judgeVersion, stateIn, type UnlawfulChange } from './legal-change.ts';

interface ReadVersion extends DocumentVersion {
  readonly read: DocumentRead;
}

/**
 * The versions of a document that follow legally from each other, the oldest first. A version that may not follow is left
 * out, and the next one is judged against the last legal one: a correction of a wrong commit is legal.
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
    const judged = judgeVersion(roles, terms, { via: 'git', who: version.author }, read, before);
    if (judged === null) continue;
    if (judged.ok || (before === null && isImported(read.all))) lawful.push({ ...version, read });
    else wrong.set(version.commit, judged.refusal);
  }
  return { lawful, wrong };
}

/** Whether the handoff was over when it was migrated from an older form: nobody knows how it ended. */
export function isImported(all: DocumentRead['all']): boolean {
  return all['imported'] === 'true';
}

/** The decision that goes back to a state that the shared history knows, and from there to what is checked out. */
export function overruling(
  roles: Roles,
  writer: Writer,
  whole: Claimed,
  facts: readonly Fact[],
  lawful: readonly ReadVersion[],
): Result<Decide, string> {
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
    const all = judged.value === null ? back : inOrder([back, judged.value]);
    return ok(withToldClock(all, now.read.fields));
  }
  return err(reason);
}

interface ResumedAt {
  readonly to: Resumed;
  /** The text that tells this state; null: no text does. */
  readonly before: DocumentRead | null;
}

/**
 * The states at which the decision can resume: that of the version before, so that the trail tells each step, or that of
 * this version where there is no other. Where git asks for other work than this database, a draft: only drafts are revised.
 */
function beginningsFor(
  roles: Roles,
  whole: Claimed,
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

/** A document that is over in git resumes as an offer. */
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
  const last = facts.findLast((fact, index) => fact.to === to && index < facts.length - 1);
  return (last?.revision ?? 1) + 1;
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
    const appended = appendFact(handoff, moved.value, 'supersede', by, nowMs, detail);
    return ok({ handoff: appended.handoff, facts: [appended.fact], overLimits: true });
  };
}
