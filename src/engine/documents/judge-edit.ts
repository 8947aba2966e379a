/**
 * Judges a file whose text is not the agreed one. A commit tells what has happened elsewhere: it is taken over where its
 * way through the lifecycle is legal. An uncommitted edit is a request of whoever has the right to it.
 */
import { isFinal } from '../../domain/lifecycle.ts';
import {
  errorsIn,
  problemText,
  readDocument,
  type DocumentRead,
  type SaidFields,
} from '../../formats/document/read.ts';
import { AGREED, IDENTITY, type FieldName } from '../../formats/document/schema.ts';
import { STATUS_FOR } from '../../formats/document/vocabulary.ts';
import type { Said } from '../../formats/document/yaml-text.ts';
import type { Whole } from '../../stores/store.ts';
import { factsOf } from '../handoffs/read.ts';
import { atRevision, change } from '../change.ts';
import { committedBy, UNPROVEN, type Writer } from './attribution.ts';
import { applyEdit } from './apply-edit.ts';
import { ACTIVE, agree, factsSince, isClosed, leave, WRITTEN_MS, type FoundDocument, type Round } from './documents.ts';
import { planOf, type Plan } from './plan-edit.ts';
import { changesOf, renderNew, retold, toldIn } from './render.ts';
import { settleFile } from './archive-file.ts';
import { lawfulVersions, overruling } from './overrule.ts';
import { isNews, overrules, whyUnlawful } from './shared-history.ts';
import { wordsFor } from './step-refusal.ts';
import { judgeTold, stateIn, tellsAll, tellsSame } from './legal-change.ts';

/** These fields tell what has happened, so only a move changes them. */
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

/** A document whose file was edited, with what the file says now. */
interface Edited extends FoundDocument {
  readonly read: DocumentRead;
}

export async function judgeEdit(found: FoundDocument): Promise<Round> {
  const { documents, whole, place, file } = found;
  const { id } = whole.handoff;
  // Anybody may annotate an archived document; only a commit can tell that it ended differently.
  const isAnnotated = isClosed(found) && place !== ACTIVE;
  const read = readDocument(file.text);
  if (isAnnotated && tellsAll(documents.ctx.rules, whole, read.fields)) return 'done';
  const committed = await committedBy(documents, place, id, file.text);
  if (isAnnotated && committed === null) return 'done';
  if (committed === null && file.quietMs < WRITTEN_MS) return 'later';
  const [problem] = errorsIn(read);
  if (problem !== undefined) return leave(documents, id, problemText(problem));
  if (read.fields.handoff_id !== id) {
    return leave(documents, id, `inside it is ${read.fields.handoff_id ?? 'another one'}`);
  }
  const edited = { ...found, read };
  return committed === null ? takeEdit(edited) : takeCommitted(edited, committed);
}

async function takeCommitted(edited: Edited, writer: Writer): Promise<Round> {
  const { documents, whole, agreed, file, read } = edited;
  const { ctx } = documents;
  const { handoff } = whole;
  const { id } = handoff;
  const isToJudge = (await isNews(documents, handoff, file.text)) || (await isRefused(edited));
  if (!isToJudge) return keepKnown(edited);
  const before = agreed === null && handoff.state !== 'draft' ? null : await readBefore(edited);
  const judged = judgeTold(ctx.rules, writer, handoff, read, isFinal(handoff.state) ? null : before, whole.body);
  const decide = judged.ok ? judged.value : null;
  const isNothing = judged.ok && decide === null;
  if (isNothing && tellsAll(ctx.rules, whole, read.fields)) return agreeOn(edited, true);
  if (decide === null) {
    if (!documents.isStrict()) return followGit(edited, writer, isNothing);
    // Under strict identity a commit proves only what its signer did in their own name.
    if (isClosed(edited)) return settledElsewhere(edited);
    return revert(edited, `${writer.who} has committed ${String(read.fields.status)}: ${UNPROVEN}`);
  }
  const done = await change(ctx, handoff, atRevision(handoff.revision, decide));
  if (!done.ok) return 'again';
  reportAdopted(edited, `git:${writer.who}`, `${handoff.state} → ${done.value.state}`);
  const committed = new Set(Object.keys(read.all).filter((key) => !isSame(read.all[key], before?.all[key])));
  const pending = changesOf(await factsSince(documents, id, agreed?.revision ?? 0, handoff.revision), whole);
  const ours = Object.entries(agreed === null ? {} : pending).filter(([key]) => !committed.has(key));
  return settleFile(edited, done.value, retold(file.text, Object.fromEntries(ours)));
}

function reportAdopted({ documents: { ctx }, whole }: Edited, by: string, says: string): void {
  ctx.report({ kind: 'document-adopted', id: whole.handoff.id, by, says });
}

/** Whether the text was not legal when it came, and nobody has put it back since. */
async function isRefused({ documents, whole: { handoff }, file }: Edited): Promise<boolean> {
  const { id, terms } = handoff;
  return !(await documents.folder.told.has(id, file.text)) && (await whyUnlawful(documents, id, terms)) !== null;
}

/**
 * Handles a commit that does not follow from what this database knows. Where the shared history overrules this database,
 * the last legal version in git decides; a version that is not legal is put back.
 */
async function followGit(edited: Edited, writer: Writer, isNothing: boolean): Promise<Round> {
  const { documents, whole, file, read } = edited;
  const { ctx, folder } = documents;
  const { handoff } = whole;
  const { id, terms } = handoff;
  const versions = await folder.git.versions(id);
  const { lawful, wrong } = lawfulVersions(ctx.rules, terms, versions);
  const last = lawful.at(-1);
  const unlawful = wrong.get(versions[0]?.commit ?? '');
  const skip = (says: string): Round =>
    leave(documents, id, `${writer.who} has committed ${String(read.fields.status)}, and ${says}`);
  // Correcting a word in the archive needs no right.
  if (unlawful !== undefined && isFinal(handoff.state) && tellsSame(handoff, read.fields)) return 'done';
  const isAsTold = last === undefined || (await folder.told.has(id, last.text)) || tellsSame(handoff, last.read.fields);
  if (unlawful !== undefined && isAsTold) {
    if (unlawful.isOwnWork === true || documents.asked) return revert(edited, unlawful.says, last?.text);
    return skip(`${unlawful.says}; put it back with: baton sync`);
  }
  if (!(await overrules(documents, id))) {
    if (isNothing) return keepKnown(edited);
    return skip(`the handoff is ${handoff.state} here; this branch is not merged, and both stay as they are`);
  }
  const decide = overruling(ctx.rules, writer, whole, await factsOf(ctx, id), lawful);
  if (!decide.ok) return skip(`${decide.refusal}; both stay as they are`);
  const done = await change(ctx, handoff, atRevision(handoff.revision, decide.value));
  if (!done.ok) return 'again';
  const says = `${handoff.state} → ${done.value.state}; the shared history overrules what was decided here`;
  reportAdopted(edited, `git:${writer.who}`, says);
  if (unlawful === undefined) return settleFile({ ...edited, agreed: null }, done.value, file.text);
  // The record follows the last legal version; the next round finds the file that tells otherwise.
  await folder.told.add(id, last?.text ?? '');
  return 'again';
}

/** For a commit that was taken in before: an older branch, or a file from which somebody removed what we wrote. */
async function keepKnown(edited: Edited): Promise<Round> {
  return isClosed(edited) ? settledElsewhere(edited) : agreeOn(edited, false);
}

/**
 * The checked-out text may be an old commit or a branch that decided otherwise. Only people can tell, so nothing is
 * overwritten. Where no commit has the end that this database knows, whoever asks gets it written into the file again.
 */
async function settledElsewhere({ documents, whole: { handoff }, read, file, place }: Edited): Promise<Round> {
  const { id, state } = handoff;
  const { ctx, folder, asked } = documents;
  const told = String(read.fields.status);
  if (told === STATUS_FOR[state]) return 'done';
  if (asked && place === ACTIVE && !(await folder.git.isArchivedAnywhere(id))) {
    const last = (await factsOf(ctx, id)).findLast(({ to }) => to === stateIn(read.fields));
    if (last !== undefined) {
      await agree(documents, id, file.text, last.revision, null, true);
      return 'again';
    }
  }
  return leave(documents, id, `the handoff is ${state}, and what is checked out tells ${told}; both stay as they are`);
}

/** Agrees on the file as it stands. `isNewest`: it tells all of the record; otherwise our facts are still to be written. */
async function agreeOn(edited: Edited, isNewest: boolean): Promise<Round> {
  const { documents, whole, agreed, file } = edited;
  const { id, revision, state } = whole.handoff;
  if (isNewest && agreed !== null && agreed.revision < revision) {
    // Git tells what this database decided as well: only our words that git does not have are missing.
    await agree(documents, id, file.text, agreed.revision, agreed, true);
    return 'again';
  }
  if (isNewest && isFinal(state)) return settleFile(edited, whole.handoff, file.text);
  await agree(documents, id, file.text, agreed?.revision ?? revision, agreed, isNewest);
  return 'again';
}

async function takeEdit(edited: Edited): Promise<Round> {
  const { documents, whole, file, read } = edited;
  const { ctx } = documents;
  const { handoff } = whole;
  const { id, state } = handoff;
  if (isClosed(edited)) {
    return leave(documents, id, `the handoff is ${state} already; a new one needs a new name`);
  }
  // A stash brings back a text that was told before and still holds.
  if (tellsAll(ctx.rules, whole, read.fields) && (await documents.folder.told.has(id, file.text))) {
    return settleFile(edited, handoff, file.text);
  }
  const before = await readBefore(edited);
  const plan = planOf(handoff, read.fields, before.fields);
  const refused = await refusalOf(edited, plan);
  if (refused !== null) return revert(edited, refused);
  const now = plan.kind === 'steps' ? ((await ctx.store.load(id)) ?? whole) : whole;
  const { told, back } = await corrections(edited, before, now, [...AGREED, ...LIFECYCLE_FIELDS]);
  if (plan.kind === 'steps') reportAdopted(edited, `file:${file.user}`, `${state} → ${now.handoff.state}`);
  if (Object.keys(back).length > 0) {
    ctx.report({ kind: 'document-refused', id, says: await wordsAbout(edited, Object.keys(back)) });
  }
  const written = Object.entries(told).filter(([key, value]) => value !== null || (read.all[key] ?? null) === null);
  return settleFile(edited, now.handoff, retold(file.text, { ...back, ...Object.fromEntries(written) }));
}

/** Says which fields were put back. Where an agreed field was edited, the edited text is kept and the message says where. */
async function wordsAbout({ documents, whole, file, read }: Edited, back: readonly string[]): Promise<string> {
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

/** Carries the plan out; null: it is done as asked. */
async function refusalOf({ documents, whole, file }: Edited, plan: Plan): Promise<string | null> {
  if (plan.kind === 'nothing') return null;
  if (plan.kind === 'impossible') return plan.says;
  if (documents.isStrict()) return UNPROVEN;
  const done = await applyEdit(documents.ctx, { via: 'file', who: file.user }, whole.handoff, plan.steps);
  return done.ok ? null : wordsFor(done.refusal);
}

/** Makes the file tell again what the record says; everything else in it stays as it was written. */
async function revert(edited: Edited, says: string, lawful?: string): Promise<Round> {
  const { documents, whole, agreed, file } = edited;
  const { ctx, folder } = documents;
  const { id } = whole.handoff;
  const kept = await folder.keepRefused(id, file.text);
  ctx.report({ kind: 'document-refused', id, says: `${says} (what was written is kept in ${kept})` });
  const now = (await ctx.store.load(id)) ?? whole;
  const last = lawful === undefined ? null : readDocument(lawful);
  // The text that git had before, to the byte, where it tells all.
  if (lawful !== undefined && last !== null && tellsSame(now.handoff, last.fields)) {
    return settleFile(edited, now.handoff, lawful);
  }
  const before = agreed === null && last !== null ? last : await readBefore(edited);
  const { told, back } = await corrections(edited, before, now, [...AGREED, ...LIFECYCLE_FIELDS, 'updated_at']);
  return settleFile(edited, now.handoff, retold(file.text, { ...back, ...told }));
}

/** The agreed text; without one, the text that the database would write. */
async function readBefore({ documents, whole, agreed }: Edited): Promise<DocumentRead> {
  return readDocument(agreed?.text ?? (await renderNew(documents, whole)));
}

/** `told`: what the record has to tell since the agreed revision. `back`: fields that were edited without a move, as they were. */
async function corrections(
  { documents, agreed, read }: Edited,
  before: DocumentRead,
  now: Whole,
  names: readonly FieldName[],
): Promise<{ readonly told: ReturnType<typeof toldIn>; readonly back: SaidFields }> {
  const { id, revision } = now.handoff;
  const facts = await factsSince(documents, id, agreed?.revision ?? 0, revision);
  const told = toldIn(before.all, changesOf(facts, now));
  const edited = names.filter((name) => !(name in told) && !isSame(read.all[name], before.all[name]));
  return { told, back: Object.fromEntries(edited.map((name) => [name, before.all[name] ?? null])) };
}

function isSame(a: Said | undefined, b: Said | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
