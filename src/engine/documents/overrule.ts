/**
 * Resolves conflicting legal decisions of two clones: the shared history wins. The decisions of this database stay in the
 * trail, and a fact says that they were overruled.
 */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import { appendFact, type Fact } from '../../domain/facts.ts';
import type { Terms } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import { supersede, type ResumableState } from '../../domain/moves/supersede.ts';
import { principalText, SYSTEM } from '../../domain/principal.ts';
import { errorsIn, readDocument, type DocumentRead } from '../../formats/document/read.ts';
import { REVISABLE } from '../../formats/document/schema.ts';
import type { DocumentVersion } from '../../folders/folder.ts';
import type { Claimed } from '../../stores/store.ts';
import { inOrder } from '../change.ts';
import { writerAs, type Roles, type Writer } from './attribution.ts';
import { withTextClock } from './apply-commit.ts';
import { agreedFields, asksSame } from './render.ts';
import { judgeText, judgeVersion, stateIn, type IllegalChange } from './legal-change.ts';

interface ReadVersion extends DocumentVersion {
  readonly read: DocumentRead;
}

/**
 * The versions of a document that follow legally from each other, oldest first. An illegal version is skipped, and the next
 * one is checked against the last legal one, so that correcting a wrong commit is legal.
 */
export function legalVersions(
  roles: Roles,
  terms: Terms,
  versions: readonly DocumentVersion[],
): { readonly legal: readonly ReadVersion[]; readonly wrong: ReadonlyMap<string, IllegalChange> } {
  const legal: ReadVersion[] = [];
  const wrong = new Map<string, IllegalChange>();
  for (const version of versions.toReversed()) {
    const read = readDocument(version.text);
    if (errorsIn(read).length > 0) continue;
    const before = legal.at(-1)?.read ?? null;
    const judged = judgeVersion(roles, terms, { via: 'git', who: version.author }, read, before);
    if (judged === null) continue;
    if (judged.ok || (before === null && isImported(read.all))) legal.push({ ...version, read });
    else wrong.set(version.commit, judged.refusal);
  }
  return { legal, wrong };
}

/** Whether the handoff was already settled when it was migrated from an older form, so its history is unknown. */
export function isImported(all: DocumentRead['all']): boolean {
  return all['imported'] === 'true';
}

/** The decision that returns to a state of the shared history, and from there moves to the checked-out state. */
export function overruling(
  roles: Roles,
  writer: Writer,
  whole: Claimed,
  facts: readonly Fact[],
  legal: readonly ReadVersion[],
): Result<Decide, string> {
  const { handoff, body } = whole;
  const now = legal.at(-1);
  if (now === undefined) return err('no version of it in git is legal');
  let reason = 'nothing in git leads there';
  for (const { to, before } of resumePoints(roles, whole, legal, now)) {
    const moved = supersede(handoff, to, 0);
    if (!moved.ok) continue;
    const judged = judgeText(roles, writer, moved.value, now.read, before, body);
    if (!judged.ok) {
      reason = judged.refusal.says;
      continue;
    }
    const since = firstOverruled(facts, to);
    const back = resuming(writer, to, { overruled: { from: since, to: handoff.revision }, commit: now.commit });
    const all = judged.value === null ? back : inOrder([back, judged.value]);
    return ok(withTextClock(all, now.read.fields));
  }
  return err(reason);
}

interface ResumedAt {
  readonly to: ResumableState;
  /** The text with this state; null: none. */
  readonly before: DocumentRead | null;
}

/**
 * The states from which the decision can continue: those of earlier versions, so that the trail contains each step, or
 * that of this version. If git asks for other work than this database, it continues from a draft, because only drafts can
 * be revised.
 */
function resumePoints(
  roles: Roles,
  whole: Claimed,
  legal: readonly ReadVersion[],
  now: ReadVersion,
): readonly ResumedAt[] {
  if (!asksSame(roles, whole, now.read.fields)) {
    const here = agreedFields(whole);
    const fields = Object.fromEntries(REVISABLE.map((name) => [name, here[name] ?? null]));
    return [{ to: 'draft', before: { ...now.read, fields, all: fields } }];
  }
  return [...legal.slice(0, -1).toReversed(), now].flatMap(({ read }) => {
    const state = stateIn(read.fields);
    const to = RESUMED_FROM[state];
    return to === null ? [] : [{ to, before: to === state ? read : null }];
  });
}

/** A document that is settled in git continues from an offer. */
const RESUMED_FROM: Record<State, ResumableState | null> = {
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

function firstOverruled(facts: readonly Fact[], to: ResumableState): number {
  const last = facts.findLast((fact, index) => fact.to === to && index < facts.length - 1);
  return (last?.revision ?? 1) + 1;
}

function resuming(
  writer: Writer,
  to: ResumableState,
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
