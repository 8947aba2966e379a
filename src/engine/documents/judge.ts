/**
 * A file that is not the one we know. What is committed has happened and is taken over where its way through the
 * lifecycle is legal; what is not committed is a request of whoever has the right to it.
 */
import { isFinal } from '../../domain/lifecycle.ts';
import { fileNameOf } from '../../dialects/document/names.ts';
import {
  errorsIn,
  problemText,
  readDocument,
  type DocumentRead,
  type SaidFields,
} from '../../dialects/document/read.ts';
import { AGREED, type FieldName } from '../../dialects/document/schema.ts';
import { STATUS_FOR } from '../../dialects/document/words.ts';
import type { Said } from '../../dialects/document/yaml-text.ts';
import type { Agreed } from '../../folders/folder.ts';
import type { Whole } from '../../stores/store.ts';
import { factsOf } from '../verbs/look.ts';
import { carryOut, wordsFor } from './carry-out.ts';
import {
  ACTIVE,
  agree,
  factsSince,
  leave,
  WRITTEN_MS,
  type Documents,
  type Looked,
  type SeenFile,
} from './documents.ts';
import { planOf, type Plan } from './plan.ts';
import { changesOf, renderNew, retold, toldIn } from './render.ts';
import { settleFile } from './settle-file.ts';

/** These tell what has happened, and so follow only from a move. */
const LIFECYCLE_FIELDS: readonly FieldName[] = [
  'status',
  'expires_at',
  'acknowledged_at',
  'acknowledged_by',
  'delivered_at',
  'completed_at',
  'completion_verified_by',
  'verification_record',
  'rejection_reason',
  'replaces',
  'replaced_by',
  'escalated_to',
];

export async function judge(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  seen: SeenFile,
): Promise<Looked> {
  const { folder } = documents;
  const { id, state } = whole.handoff;
  const { file, place } = seen;
  // What is settled and archived is anybody's to annotate.
  if (isFinal(state) && agreed === null && place !== ACTIVE) return 'done';
  const read = readDocument(file.text);
  const [problem] = errorsIn(read);
  const author = await folder.git.authorOf(place, id, file.text);
  if (author === null && file.quietMs < WRITTEN_MS) return 'later';
  if (problem !== undefined) {
    leave(documents, fileNameOf(id), problemText(problem));
    return 'done';
  }
  if (read.fields.handoff_id !== id) {
    leave(documents, fileNameOf(id), `inside it is ${read.fields.handoff_id ?? 'another one'}`);
    return 'done';
  }
  return author === null
    ? takeEdit(documents, whole, agreed, seen, read)
    : takeCommitted(documents, whole, agreed, seen, read, author);
}

async function takeCommitted(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  seen: SeenFile,
  read: DocumentRead,
  author: string,
): Promise<Looked> {
  const { around } = documents;
  const { handoff } = whole;
  const { id } = handoff;
  const before = agreed === null ? null : readDocument(agreed.text);
  const plan = planOf(handoff, read.fields, before?.fields ?? null);
  if (plan.kind === 'nothing' || isOlder(read, agreed, handoff.since, plan)) {
    if (isFinal(handoff.state) && agreed === null) return settledElsewhere(documents, whole, read);
    // An earlier commit tells an earlier state; it is what belongs to that commit.
    return agreeOn(documents, whole, agreed, seen);
  }
  if (plan.kind === 'steps' && documents.isStrict()) {
    return revert(
      documents,
      whole,
      agreed,
      seen,
      read,
      `${author} has committed ${String(read.fields.status)}: ${UNPROVEN}`,
    );
  }
  const done =
    plan.kind === 'impossible' ? plan : await carryOut(around, { via: 'git', who: author }, handoff, plan.steps);
  if ('ok' in done && done.ok) {
    around.report({
      kind: 'document-adopted',
      id,
      by: `git:${author}`,
      says: `${handoff.state} → ${done.value.state}`,
    });
    const kept = new Set(Object.keys(read.all).filter((key) => !isSame(read.all[key], before?.all[key])));
    const pending = changesOf(await factsSince(documents, id, agreed?.revision ?? 0, handoff.revision), handoff);
    const ours = Object.entries(agreed === null ? {} : pending).filter(([key]) => !kept.has(key));
    return settleFile(documents, done.value, agreed, seen, retold(seen.file.text, Object.fromEntries(ours)));
  }
  const says = 'ok' in done ? wordsFor(done.refusal) : done.says;
  if ('ok' in done && done.refusal.code === 'own-work') return revert(documents, whole, agreed, seen, read, says);
  leave(
    documents,
    fileNameOf(id),
    `${author} has committed ${String(read.fields.status)}, and here ${says}; both stay as they are`,
  );
  const newest = await around.store.load(id);
  if (agreed !== null && newest !== null) await agree(documents, id, seen.file.text, newest.handoff.revision, agreed);
  return 'done';
}

/** It may be an old commit, or a branch that decided otherwise: only people can tell, and nothing is overwritten. */
function settledElsewhere(documents: Documents, { handoff: { id, state } }: Whole, { fields }: DocumentRead): Looked {
  const told = String(fields.status);
  if (told !== STATUS_FOR[state]) {
    leave(
      documents,
      fileNameOf(id),
      `the handoff is ${state}, and what is checked out tells ${told}; both stay as they are`,
    );
  }
  return 'done';
}

/** As it stands; what happened here meanwhile is still to be told. */
async function agreeOn(documents: Documents, whole: Whole, agreed: Agreed | null, { file }: SeenFile): Promise<Looked> {
  const { id, revision } = whole.handoff;
  await agree(documents, id, file.text, agreed?.revision ?? revision, agreed);
  return 'again';
}

async function takeEdit(
  documents: Documents,
  whole: Whole,
  agreed: Agreed | null,
  seen: SeenFile,
  read: DocumentRead,
): Promise<Looked> {
  const { around } = documents;
  const { handoff } = whole;
  const { id, state } = handoff;
  if (isFinal(state) && agreed === null) {
    leave(documents, fileNameOf(id), `the handoff is ${state} already; a new one needs a new name`);
    return 'done';
  }
  const before = await readBefore(documents, whole, agreed);
  const plan = planOf(handoff, read.fields, before.fields);
  const refused = await refusalOf(documents, whole, seen, plan);
  if (refused !== null) return revert(documents, whole, agreed, seen, read, refused);
  const newest = plan.kind === 'steps' ? ((await around.store.load(id))?.handoff ?? handoff) : handoff;
  const facts = await factsSince(documents, id, agreed?.revision ?? 0, newest.revision);
  const told = toldIn(before.all, changesOf(facts, newest));
  const back = unasked(read, before, told, [...AGREED, ...LIFECYCLE_FIELDS]);
  if (plan.kind === 'steps') {
    around.report({ kind: 'document-adopted', id, by: `file:${seen.file.user}`, says: `${state} → ${newest.state}` });
  }
  if (Object.keys(back).length > 0) {
    around.report({ kind: 'document-refused', id, says: await wordsAbout(documents, whole, seen, Object.keys(back)) });
  }
  const kept = Object.entries(told).filter(([key, value]) => value !== null || (read.all[key] ?? null) === null);
  return settleFile(documents, newest, agreed, seen, retold(seen.file.text, { ...back, ...Object.fromEntries(kept) }));
}

/** What was agreed on is put back even in a draft: others may have read it. What somebody wrote there is not lost. */
async function wordsAbout(
  { folder }: Documents,
  { handoff: { id, state } }: Whole,
  { file }: SeenFile,
  back: readonly string[],
): Promise<string> {
  const says = `${back.join(', ')}: not changed by hand`;
  if (!AGREED.some((name) => back.includes(name))) return says;
  const kept = await folder.keepRefused(id, file.text);
  const instead = state === 'draft' ? '; cancel this draft and make another one' : '';
  return `${says}${instead} (what was written is kept in ${kept})`;
}

const UNPROVEN =
  'identity is strict here, and neither a file nor a commit proves who wrote it; use the command with a token in BATON_TOKEN';

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
  const done = await carryOut(documents.around, { via: 'file', who: file.user }, handoff, plan.steps);
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
): Promise<Looked> {
  const { around, folder } = documents;
  const { id } = whole.handoff;
  const kept = await folder.keepRefused(id, seen.file.text);
  around.report({ kind: 'document-refused', id, says: `${says} (what was written is kept in ${kept})` });
  const newest = (await around.store.load(id))?.handoff ?? whole.handoff;
  const before = await readBefore(documents, whole, agreed);
  const facts = await factsSince(documents, id, agreed?.revision ?? 0, newest.revision);
  const told = toldIn(before.all, changesOf(facts, newest));
  const back = unasked(read, before, told, [...AGREED, ...LIFECYCLE_FIELDS, 'updated_at']);
  return settleFile(documents, newest, agreed, seen, retold(seen.file.text, { ...back, ...told }));
}

/** Without a text that both sides know, what the database would write. */
async function readBefore({ around }: Documents, whole: Whole, agreed: Agreed | null): Promise<DocumentRead> {
  return readDocument(agreed?.text ?? renderNew(whole, await factsOf(around, whole.handoff.id)));
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

/** By the documents' own words, which travel with them, and only else by our clock. */
function isOlder({ fields }: DocumentRead, agreed: Agreed | null, since: number, plan: Plan): boolean {
  const told = Date.parse(fields.updated_at ?? '');
  const known = Date.parse(agreed?.newest ?? '');
  // Documents count in seconds: within one, what leads back is what was before.
  const isBack = plan.kind === 'steps' && plan.steps.some((step) => step.do === 'release' || step.do === 'rework');
  return Number.isNaN(known) ? told <= since : isBack ? told <= known : told < known;
}
