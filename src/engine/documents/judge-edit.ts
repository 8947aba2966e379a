/**
 * A file that is not the one we know. What is committed has happened and is taken over where its way through the
 * lifecycle is legal; what is not committed is a request of whoever has the right to it.
 */
import { ok } from '../../foundation/result.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { fileNameOf } from '../../formats/document/names.ts';
import {
  errorsIn,
  problemText,
  readDocument,
  type DocumentRead,
  type SaidFields,
} from '../../formats/document/read.ts';
import { AGREED, IDENTITY, type DocumentFields, type FieldName } from '../../formats/document/schema.ts';
import { STATUS_FOR } from '../../formats/document/vocabulary.ts';
import type { Said } from '../../formats/document/yaml-text.ts';
import type { Agreed } from '../../folders/folder.ts';
import type { Whole } from '../../stores/store.ts';
import { factsOf } from '../handoffs/read.ts';
import { atRevision, change } from '../change.ts';
import { committedBy, UNPROVEN, type Writer } from './attribution.ts';
import { applyEdit } from './apply-edit.ts';
import {
  ACTIVE,
  agree,
  factsSince,
  leave,
  WRITTEN_MS,
  type Documents,
  type Looked,
  type SeenFile,
  settingOf,
} from './documents.ts';
import { planOf, type Plan } from './plan-edit.ts';
import { changesOf, renderNew, retold, toldIn } from './render.ts';
import { settleFile } from './archive-file.ts';
import { lawfulVersions, overruling } from './overrule.ts';
import { isNews, overrules, whyUnlawful } from './shared-history.ts';
import { wordsFor } from './step-refusal.ts';
import { judgeTold, stateIn, tellsAll, tellsSame } from './legal-change.ts';

/** These tell what has happened, and so follow only from a move. */
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

export async function judgeEdit(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  seen: SeenFile,
): Promise<Looked> {
  const { id, state } = whole.handoff;
  const { file, place } = seen;
  // What is settled and archived is anybody's to annotate, and only git tells that it went otherwise.
  const isAnnotated = isFinal(state) && agreed === null && place !== ACTIVE;
  const read = readDocument(file.text);
  if (isAnnotated && tellsAll(documents.ctx.rules, whole, read.fields)) return 'done';
  const committed = await committedBy(documents, place, id, file.text);
  if (isAnnotated && committed === null) return 'done';
  const [problem] = errorsIn(read);
  if (committed === null && file.quietMs < WRITTEN_MS) return 'later';
  if (problem !== undefined) {
    leave(documents, fileNameOf(id), problemText(problem));
    return 'done';
  }
  if (read.fields.handoff_id !== id) {
    leave(documents, fileNameOf(id), `inside it is ${read.fields.handoff_id ?? 'another one'}`);
    return 'done';
  }
  return committed === null
    ? takeEdit(documents, whole, agreed, seen, read)
    : takeCommitted(documents, whole, agreed, seen, read, committed);
}

async function takeCommitted(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  seen: SeenFile,
  read: DocumentRead,
  writer: Writer,
): Promise<Looked> {
  const { ctx } = documents;
  const { handoff } = whole;
  const { id } = handoff;
  const isLookedAt = (await isNews(documents, handoff, seen.file.text)) || (await isRefused(documents, whole, seen));
  if (!isLookedAt) return known(documents, whole, agreed, seen, read);
  const before = agreed === null && handoff.state !== 'draft' ? null : await readBefore(documents, whole, agreed);
  const { who: author } = writer;
  const told = judgeTold(ctx.rules, writer, handoff, read, isFinal(handoff.state) ? null : before, whole.body);
  const isTold = tellsAll(documents.ctx.rules, whole, read.fields);
  const isNothing = told.ok && told.value.decide === null;
  if (isNothing && isTold) return agreeOn(documents, whole, agreed, seen, true);
  const isContinued = told.ok && told.value.decide !== null;
  // What the signer did in their own name is proven; nothing else is.
  if (documents.isStrict() && !isContinued) return refuseUnproven(documents, whole, agreed, seen, read, author);
  if (!isContinued) return followGit(documents, whole, agreed, seen, read, writer, isNothing);
  const { decide } = told.value;
  const done = decide === null ? ok(handoff) : await change(ctx, handoff, atRevision(handoff.revision, decide));
  if (!done.ok) return 'again';
  ctx.report({
    kind: 'document-adopted',
    id,
    by: `git:${author}`,
    says: `${handoff.state} → ${done.value.state}`,
  });
  const kept = new Set(Object.keys(read.all).filter((key) => !isSame(read.all[key], before?.all[key])));
  const pending = changesOf(await factsSince(documents, id, agreed?.revision ?? 0, handoff.revision), whole);
  const ours = Object.entries(agreed === null ? {} : pending).filter(([key]) => !kept.has(key));
  return settleFile(documents, done.value, agreed, seen, retold(seen.file.text, Object.fromEntries(ours)));
}

/** Not legal when it came, and nobody has put it back since. */
async function isRefused(documents: Documents, { handoff }: Whole, { file }: SeenFile): Promise<boolean> {
  const { id, terms } = handoff;
  return !(await documents.folder.told.has(id, file.text)) && (await whyUnlawful(documents, id, terms)) !== null;
}

/**
 * What git has does not follow from what this database knows. The last legal version in git decides, where the shared
 * history overrules this database; a version that is not legal is put back.
 */
async function followGit(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  seen: SeenFile,
  read: DocumentRead,
  writer: Writer,
  isNothing: boolean,
): Promise<Looked> {
  const { ctx, folder } = documents;
  const { handoff } = whole;
  const { id, terms } = handoff;
  const versions = await folder.git.versions(id);
  const { lawful, wrong } = lawfulVersions(ctx.rules, terms, versions);
  const last = lawful.at(-1);
  const unlawful = wrong.get(versions[0]?.commit ?? '');
  const left = (says: string): Looked => {
    leave(documents, fileNameOf(id), `${writer.who} has committed ${String(read.fields.status)}, and ${says}`);
    return 'done';
  };
  // Nobody has to have been entitled to correct a word in the archive.
  if (unlawful !== undefined && isFinal(handoff.state) && tellsSame(handoff, read.fields)) return 'done';
  const isAsTold = last === undefined || (await folder.told.has(id, last.text)) || tellsSame(handoff, last.read.fields);
  if (unlawful !== undefined && isAsTold) {
    if (unlawful.isOwnWork === true || documents.asked) {
      return revert(documents, whole, agreed, seen, read, unlawful.says, last?.text);
    }
    return left(`${unlawful.says}; put it back with: baton sync`);
  }
  if (!(await overrules(documents, id))) {
    if (isNothing) return known(documents, whole, agreed, seen, read);
    return left(`the handoff is ${handoff.state} here; this branch is not merged, and both stay as they are`);
  }
  const way = overruling(ctx.rules, writer, whole, await factsOf(ctx, id), lawful);
  if (!way.ok) return left(`${way.refusal}; both stay as they are`);
  const done = await change(ctx, handoff, atRevision(handoff.revision, way.value.decide));
  if (!done.ok) return 'again';
  const says = `${handoff.state} → ${done.value.state}; the shared history overrules what was decided here`;
  ctx.report({ kind: 'document-adopted', id, by: `git:${writer.who}`, says });
  if (unlawful === undefined) return settleFile(documents, done.value, null, seen, seen.file.text);
  // The record follows the last legal version; the next look finds the file that tells otherwise.
  await folder.told.add(id, last?.text ?? '');
  return 'again';
}

async function refuseUnproven(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  seen: SeenFile,
  read: DocumentRead,
  author: string,
): Promise<Looked> {
  if (isFinal(whole.handoff.state) && agreed === null) return settledElsewhere(documents, whole, read, seen);
  const says = `${author} has committed ${String(read.fields.status)}: ${UNPROVEN}`;
  return revert(documents, whole, agreed, seen, read, says);
}

/** A commit that was taken in before: an older branch, or work of ours that somebody has taken out of the file. */
async function known(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  seen: SeenFile,
  read: DocumentRead,
): Promise<Looked> {
  if (isFinal(whole.handoff.state) && agreed === null) return settledElsewhere(documents, whole, read, seen);
  return agreeOn(documents, whole, agreed, seen, false);
}

/**
 * It may be an old commit, or a branch that decided otherwise: only people can tell, and nothing is overwritten. Where
 * no commit has the end that this database knows, whoever asks gets it into the file once more.
 */
async function settledElsewhere(
  documents: Documents,
  { handoff: { id, state } }: Whole,
  { fields }: DocumentRead,
  { file, place }: SeenFile,
): Promise<Looked> {
  const { ctx, folder, asked } = documents;
  const told = String(fields.status);
  if (told === STATUS_FOR[state]) return 'done';
  if (asked && place === ACTIVE && !(await folder.git.isArchivedAnywhere(id))) {
    const facts = await factsOf(ctx, id);
    const last = facts.findLast(({ to }) => to === stateIn(fields));
    if (last !== undefined) {
      await agree(documents, id, file.text, last.revision, null, true);
      return 'again';
    }
  }
  const says = `the handoff is ${state}, and what is checked out tells ${told}; both stay as they are`;
  leave(documents, fileNameOf(id), says);
  return 'done';
}

/** As it stands. `isNewest`: it tells all of the record; else what happened here is still to be told, or belongs elsewhere. */
async function agreeOn(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  { file, place }: SeenFile,
  isNewest: boolean,
): Promise<Looked> {
  const { id, revision } = whole.handoff;
  if (isNewest && agreed !== null && agreed.revision < revision) {
    // Told by git what this database has decided as well: only the words of ours that git does not have are missing.
    await agree(documents, id, file.text, agreed.revision, agreed, true);
    return 'again';
  }
  if (isNewest && isFinal(whole.handoff.state))
    return settleFile(documents, whole.handoff, agreed, { file, place }, file.text);
  await agree(documents, id, file.text, agreed?.revision ?? revision, agreed, isNewest);
  return 'again';
}

async function takeEdit(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  seen: SeenFile,
  read: DocumentRead,
): Promise<Looked> {
  const { ctx } = documents;
  const { handoff } = whole;
  const { id, state } = handoff;
  if (isFinal(state) && agreed === null) {
    leave(documents, fileNameOf(id), `the handoff is ${state} already; a new one needs a new name`);
    return 'done';
  }
  // A stash brings back what was told before and is still so.
  if (tellsAll(ctx.rules, whole, read.fields) && (await documents.folder.told.has(id, seen.file.text))) {
    return settleFile(documents, handoff, agreed, seen, seen.file.text);
  }
  const before = await readBefore(documents, whole, agreed);
  const plan = planOf(handoff, read.fields, before.fields);
  const refused = await refusalOf(documents, whole, seen, plan);
  if (refused !== null) return revert(documents, whole, agreed, seen, read, refused);
  const now = plan.kind === 'steps' ? ((await ctx.store.load(id)) ?? whole) : whole;
  const newest = now.handoff;
  const facts = await factsSince(documents, id, agreed?.revision ?? 0, newest.revision);
  const told = toldIn(before.all, changesOf(facts, now));
  const back = unasked(read, before, told, [...AGREED, ...LIFECYCLE_FIELDS]);
  if (plan.kind === 'steps') {
    ctx.report({ kind: 'document-adopted', id, by: `file:${seen.file.user}`, says: `${state} → ${newest.state}` });
  }
  if (Object.keys(back).length > 0) {
    const says = await wordsAbout(documents, whole, seen, Object.keys(back), read.fields);
    ctx.report({ kind: 'document-refused', id, says });
  }
  const kept = Object.entries(told).filter(([key, value]) => value !== null || (read.all[key] ?? null) === null);
  return settleFile(documents, newest, agreed, seen, retold(seen.file.text, { ...back, ...Object.fromEntries(kept) }));
}

/** What was agreed on is put back; of a draft, what its name says. What somebody wrote there is not lost. */
async function wordsAbout(
  { folder }: Documents,
  { handoff: { id, state } }: Whole,
  { file }: SeenFile,
  back: readonly string[],
  { to_agent: to }: DocumentFields,
): Promise<string> {
  const says = `${back.join(', ')}: not changed by hand`;
  if (!AGREED.some((name) => back.includes(name))) return says;
  const kept = await folder.keepRefused(id, file.text);
  const another = back.includes('to_agent')
    ? `; give it to somebody else with: baton reassign ${id} --to @${to ?? ''}`
    : '; the document is named after it: cancel this draft and make another one';
  const instead = state === 'draft' && IDENTITY.some((name) => back.includes(name)) ? another : '';
  return `${says}${instead} (what was written is kept in ${kept})`;
}

/** Null: it is done as asked. */
async function refusalOf(
  documents: Documents,
  { handoff }: Whole,
  { file }: SeenFile,
  plan: Plan,
): Promise<string | null> {
  if (plan.kind === 'nothing') return null;
  if (plan.kind === 'impossible') return plan.says;
  if (documents.isStrict()) return UNPROVEN;
  const done = await applyEdit(documents.ctx, { via: 'file', who: file.user }, handoff, plan.steps);
  return done.ok ? null : wordsFor(done.refusal);
}

/** The file tells again what the record says; everything that is no word about the handoff stays as it was written. */
async function revert(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  seen: SeenFile,
  read: DocumentRead,
  says: string,
  lawful?: string,
): Promise<Looked> {
  const { ctx, folder } = documents;
  const { id } = whole.handoff;
  const kept = await folder.keepRefused(id, seen.file.text);
  ctx.report({ kind: 'document-refused', id, says: `${says} (what was written is kept in ${kept})` });
  const now = (await ctx.store.load(id)) ?? whole;
  const newest = now.handoff;
  // As git had it before, to the byte, where that tells all.
  const last = lawful === undefined ? null : readDocument(lawful);
  if (lawful !== undefined && last !== null && tellsSame(newest, last.fields)) {
    return settleFile(documents, newest, agreed, seen, lawful);
  }
  const before = agreed === null && last !== null ? last : await readBefore(documents, whole, agreed);
  const facts = await factsSince(documents, id, agreed?.revision ?? 0, newest.revision);
  const told = toldIn(before.all, changesOf(facts, now));
  const back = unasked(read, before, told, [...AGREED, ...LIFECYCLE_FIELDS, 'updated_at']);
  return settleFile(documents, newest, agreed, seen, retold(seen.file.text, { ...back, ...told }));
}

/** Without a text that both sides know, what the database would write. */
async function readBefore(documents: Documents, whole: Whole, agreed: Agreed | null): Promise<DocumentRead> {
  if (agreed !== null) return readDocument(agreed.text);
  const facts = await factsOf(documents.ctx, whole.handoff.id);
  return readDocument(renderNew(whole, facts, await settingOf(documents)));
}

/** Fields that were changed without anything having happened, as they were. */
function unasked(
  read: DocumentRead,
  before: DocumentRead,
  told: SaidFields | object,
  names: readonly FieldName[],
): SaidFields {
  const changed = names.filter((name) => !(name in told) && !isSame(read.all[name], before.all[name]));
  return Object.fromEntries(changed.map((name) => [name, before.all[name] ?? null]));
}

function isSame(a: Said | undefined, b: Said | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
