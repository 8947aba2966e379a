/**
 * Handles a file whose text differs from the agreed one. A commit reports what happened elsewhere: it is taken over if its
 * steps through the lifecycle are legal. An uncommitted edit is a request, checked like any other.
 */
import { isFinal } from '../../domain/lifecycle.ts';
import {
  errorsIn,
  problemText,
  readDocument,
  type DocumentRead,
  type DocumentValues,
} from '../../formats/document/read.ts';
import { AGREED, IDENTITY, type FieldName } from '../../formats/document/schema.ts';
import { STATUS_FOR } from '../../formats/document/vocabulary.ts';
import type { YamlValue } from '../../formats/document/yaml-text.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { factsOf } from '../handoffs/read.ts';
import { atRevision, change } from '../change.ts';
import { committedBy, UNPROVEN, type Writer } from './attribution.ts';
import { applyEdit } from './apply-edit.ts';
import {
  ACTIVE,
  recordAgreed,
  factsSince,
  isClosed,
  reportLeft,
  WRITTEN_MS,
  type FoundDocument,
  type RoundResult,
} from './documents.ts';
import { planOf, type Plan } from './plan-edit.ts';
import { changesOf, renderNew, applyChanges, completeChanges } from './render.ts';
import { settleFile } from './archive-file.ts';
import { legalVersions, overruling } from './overrule.ts';
import { isUnseen, overrules, illegalReason } from './shared-history.ts';
import { stepRefusalText } from './step-refusal.ts';
import { judgeText, stateIn, matchesRecord, matchesState } from './legal-change.ts';

/** Fields that record moves, so only a move may change them. */
const LIFECYCLE_FIELDS: readonly FieldName[] = [
  'status',
  'expires_at',
  'reoffered_at',
  'acknowledged_at',
  'acknowledged_by',
  'delivered_at',
  'reworked_at',
  'completed_at',
  'completion_verified_by',
  'verification_record',
  'rejection_reason',
  'replaces',
  'replaced_by',
  'escalated_to',
];

/** A document with an edited file. */
interface Edited extends FoundDocument {
  readonly read: DocumentRead;
}

export async function judgeEdit(found: FoundDocument): Promise<RoundResult> {
  const { documents, whole, place, file } = found;
  const { id } = whole.handoff;
  // Anyone may annotate an archived document. Only a commit can change how it ended.
  const isAnnotated = isClosed(found) && place !== ACTIVE;
  const read = readDocument(file.text);
  if (isAnnotated && matchesRecord(documents.ctx.rules, whole, read.fields)) return 'done';
  const committed = await committedBy(documents, place, id, file.text);
  if (isAnnotated && committed === null) return 'done';
  if (committed === null && file.unchangedMs < WRITTEN_MS) return 'later';
  const [problem] = errorsIn(read);
  if (problem !== undefined) return reportLeft(documents, id, problemText(problem));
  if (read.fields.handoff_id !== id) {
    return reportLeft(documents, id, `inside it is ${read.fields.handoff_id ?? 'another one'}`);
  }
  const edited = { ...found, read };
  return committed === null ? takeEdit(edited) : takeCommitted(edited, committed);
}

async function takeCommitted(edited: Edited, writer: Writer): Promise<RoundResult> {
  const { documents, whole, agreed, file, read } = edited;
  const { ctx } = documents;
  const { handoff } = whole;
  const { id } = handoff;
  const isToJudge = (await isUnseen(documents, handoff, file.text)) || (await isRefused(edited));
  if (!isToJudge) return keepKnown(edited);
  const before = agreed === null && handoff.state !== 'draft' ? null : await readBefore(edited);
  const judged = judgeText(ctx.rules, writer, handoff, read, isFinal(handoff.state) ? null : before, whole.body);
  const decide = judged.ok ? judged.value : null;
  const isNothing = judged.ok && decide === null;
  if (isNothing && matchesRecord(ctx.rules, whole, read.fields)) return agreeOn(edited, true);
  if (decide === null) {
    if (!documents.isStrict()) return followGit(edited, writer, isNothing);
    // Under strict identity a commit proves only steps of its signer.
    if (isClosed(edited)) return settledElsewhere(edited);
    return revert(edited, `${writer.who} has committed ${String(read.fields.status)}: ${UNPROVEN}`);
  }
  const done = await change(ctx, handoff, atRevision(handoff.revision, decide));
  if (!done.ok) return 'again';
  reportAdopted(edited, `git:${writer.who}`, `${handoff.state} → ${done.value.state}`);
  const committed = new Set(Object.keys(read.all).filter((key) => !isSame(read.all[key], before?.all[key])));
  const pending = changesOf(await factsSince(documents, id, agreed?.revision ?? 0, handoff.revision), whole);
  const ours = Object.entries(agreed === null ? {} : pending).filter(([key]) => !committed.has(key));
  return settleFile(edited, done.value, applyChanges(file.text, Object.fromEntries(ours)));
}

function reportAdopted({ documents: { ctx }, whole }: Edited, by: string, says: string): void {
  ctx.report({ kind: 'document-adopted', id: whole.handoff.id, by, says });
}

/** Whether the text is illegal and was not reverted since. */
async function isRefused({ documents, whole: { handoff }, file }: Edited): Promise<boolean> {
  const { id, terms } = handoff;
  return (
    !(await documents.folder.agreedTexts.has(id, file.text)) && (await illegalReason(documents, id, terms)) !== null
  );
}

/**
 * Handles a commit that does not follow from the record. If the shared history overrules this database, the last legal
 * version in git decides. An illegal version is reverted.
 */
async function followGit(edited: Edited, writer: Writer, isNothing: boolean): Promise<RoundResult> {
  const { documents, whole, file, read } = edited;
  const { ctx, folder } = documents;
  const { handoff } = whole;
  const { id, terms } = handoff;
  const versions = await folder.git.versions(id);
  const { legal, wrong } = legalVersions(ctx.rules, terms, versions);
  const last = legal.at(-1);
  const illegal = wrong.get(versions[0]?.commit ?? '');
  const skip = (says: string): RoundResult =>
    reportLeft(documents, id, `${writer.who} has committed ${String(read.fields.status)}, and ${says}`);
  // Anyone may correct the wording of an archived document.
  if (illegal !== undefined && isFinal(handoff.state) && matchesState(handoff, read.fields)) return 'done';
  const isUnchanged =
    last === undefined || (await folder.agreedTexts.has(id, last.text)) || matchesState(handoff, last.read.fields);
  if (illegal !== undefined && isUnchanged) {
    if (illegal.isOwnWork === true || documents.asked) return revert(edited, illegal.says, last?.text);
    return skip(`${illegal.says}; put it back with: baton sync`);
  }
  if (!(await overrules(documents, id))) {
    if (isNothing) return keepKnown(edited);
    return skip(`the handoff is ${handoff.state} here; this branch is not merged, and both stay as they are`);
  }
  const decide = overruling(ctx.rules, writer, whole, await factsOf(ctx, id), legal);
  if (!decide.ok) return skip(`${decide.refusal}; both stay as they are`);
  const done = await change(ctx, handoff, atRevision(handoff.revision, decide.value));
  if (!done.ok) return 'again';
  const says = `${handoff.state} → ${done.value.state}; the shared history overrules what was decided here`;
  reportAdopted(edited, `git:${writer.who}`, says);
  if (illegal === undefined) return settleFile({ ...edited, agreed: null }, done.value, file.text);
  // The record follows the last legal version. The next round handles the file that contradicts it.
  await folder.agreedTexts.add(id, last?.text ?? '');
  return 'again';
}

/** For a commit that was taken in before: an older branch, or a file from which our text was removed. */
async function keepKnown(edited: Edited): Promise<RoundResult> {
  return isClosed(edited) ? settledElsewhere(edited) : agreeOn(edited, false);
}

/**
 * The checked-out text may be an old commit or a branch that ended differently. Only people can decide, so nothing is
 * overwritten. If no commit has the end of this database, a requested sync writes it into the file again.
 */
async function settledElsewhere({ documents, whole: { handoff }, read, file, place }: Edited): Promise<RoundResult> {
  const { id, state } = handoff;
  const { ctx, folder, asked } = documents;
  const newest = String(read.fields.status);
  if (newest === STATUS_FOR[state]) return 'done';
  if (asked && place === ACTIVE && !(await folder.git.isArchivedAnywhere(id))) {
    const last = (await factsOf(ctx, id)).findLast(({ to }) => to === stateIn(read.fields));
    if (last !== undefined) {
      await recordAgreed(documents, id, file.text, last.revision, null, true);
      return 'again';
    }
  }
  return reportLeft(
    documents,
    id,
    `the handoff is ${state}, and what is checked out tells ${newest}; both stay as they are`,
  );
}

/** Agrees on the present text. `isNewest`: it matches the record; otherwise our facts still have to be written. */
async function agreeOn(edited: Edited, isNewest: boolean): Promise<RoundResult> {
  const { documents, whole, agreed, file } = edited;
  const { id, revision, state } = whole.handoff;
  if (isNewest && agreed !== null && agreed.revision < revision) {
    // Git and this database reached the same state; only our texts that git does not have are missing.
    await recordAgreed(documents, id, file.text, agreed.revision, agreed, true);
    return 'again';
  }
  if (isNewest && isFinal(state)) return settleFile(edited, whole.handoff, file.text);
  await recordAgreed(documents, id, file.text, agreed?.revision ?? revision, agreed, isNewest);
  return 'again';
}

async function takeEdit(edited: Edited): Promise<RoundResult> {
  const { documents, whole, file, read } = edited;
  const { ctx } = documents;
  const { handoff } = whole;
  const { id, state } = handoff;
  if (isClosed(edited)) {
    return reportLeft(documents, id, `the handoff is ${state} already; a new one needs a new name`);
  }
  // A stash may restore an earlier text that still matches the record.
  if (matchesRecord(ctx.rules, whole, read.fields) && (await documents.folder.agreedTexts.has(id, file.text))) {
    return settleFile(edited, handoff, file.text);
  }
  const before = await readBefore(edited);
  const plan = planOf(handoff, read.fields, before.fields);
  const refused = await refusalOf(edited, plan);
  if (refused !== null) return revert(edited, refused);
  const now = plan.kind === 'steps' ? ((await ctx.store.load(id)) ?? whole) : whole;
  const { pending, back } = await corrections(edited, before, now, [...AGREED, ...LIFECYCLE_FIELDS]);
  if (plan.kind === 'steps') reportAdopted(edited, `file:${file.user}`, `${state} → ${now.handoff.state}`);
  if (Object.keys(back).length > 0) {
    ctx.report({ kind: 'document-refused', id, says: await revertMessage(edited, Object.keys(back)) });
  }
  const written = Object.entries(pending).filter(([key, value]) => value !== null || (read.all[key] ?? null) === null);
  return settleFile(edited, now.handoff, applyChanges(file.text, { ...back, ...Object.fromEntries(written) }));
}

/** Names the reverted fields. If an agreed field was edited, the edited text is kept and the message says where. */
async function revertMessage({ documents, whole, file, read }: Edited, back: readonly string[]): Promise<string> {
  const { id, state } = whole.handoff;
  const says = `${back.join(', ')}: not changed by hand`;
  if (!AGREED.some((name) => back.includes(name))) return says;
  const kept = await documents.folder.keepRefused(id, file.text);
  const another = back.includes('to_agent')
    ? `; give it to somebody else with: baton reassign ${id} --to @${read.fields.to_agent ?? ''}`
    : '; the document is named after it: cancel this draft and make another one';
  const instead = state === 'draft' && IDENTITY.some((name) => back.includes(name)) ? another : '';
  return `${says}${instead} (what was written is kept in ${kept})`;
}

/** Applies the plan; null: success. */
async function refusalOf({ documents, whole, file }: Edited, plan: Plan): Promise<string | null> {
  if (plan.kind === 'nothing') return null;
  if (plan.kind === 'impossible') return plan.says;
  if (documents.isStrict()) return UNPROVEN;
  const done = await applyEdit(documents.ctx, { via: 'file', who: file.user }, whole.handoff, plan.steps);
  return done.ok ? null : stepRefusalText(done.refusal);
}

/** Reverts the file to the record. All other text stays. */
async function revert(edited: Edited, says: string, legal?: string): Promise<RoundResult> {
  const { documents, whole, agreed, file } = edited;
  const { ctx, folder } = documents;
  const { id } = whole.handoff;
  const kept = await folder.keepRefused(id, file.text);
  ctx.report({ kind: 'document-refused', id, says: `${says} (what was written is kept in ${kept})` });
  const now = (await ctx.store.load(id)) ?? whole;
  const last = legal === undefined ? null : readDocument(legal);
  // Restores the exact earlier text of git, if it matches the record.
  if (legal !== undefined && last !== null && matchesState(now.handoff, last.fields)) {
    return settleFile(edited, now.handoff, legal);
  }
  const before = agreed === null && last !== null ? last : await readBefore(edited);
  const { pending, back } = await corrections(edited, before, now, [...AGREED, ...LIFECYCLE_FIELDS, 'updated_at']);
  return settleFile(edited, now.handoff, applyChanges(file.text, { ...back, ...pending }));
}

/** The agreed text; without one, the text that the database would write. */
async function readBefore({ documents, whole, agreed }: Edited): Promise<DocumentRead> {
  return readDocument(agreed?.text ?? (await renderNew(documents, whole)));
}

/** `pending`: changes of the record since the agreed revision. `back`: fields that were edited without a move, with their old values. */
async function corrections(
  { documents, agreed, read }: Edited,
  before: DocumentRead,
  now: StoredHandoff,
  names: readonly FieldName[],
): Promise<{ readonly pending: ReturnType<typeof completeChanges>; readonly back: DocumentValues }> {
  const { id, revision } = now.handoff;
  const facts = await factsSince(documents, id, agreed?.revision ?? 0, revision);
  const pending = completeChanges(before.all, changesOf(facts, now));
  const edited = names.filter((name) => !(name in pending) && !isSame(read.all[name], before.all[name]));
  return { pending, back: Object.fromEntries(edited.map((name) => [name, before.all[name] ?? null])) };
}

function isSame(a: YamlValue | undefined, b: YamlValue | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
