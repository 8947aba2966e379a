/**
 * Which part of the git history this database has taken in. `tips` are the newest commits whose documents it has taken in.
 * A document is unseen if a commit outside their history has changed it. Times in texts are not used here, because the
 * clocks of clones differ.
 */
import type { Handoff, Terms } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { readDocument } from '../../formats/document/read.ts';
import type { DocumentFolder } from '../../folders/folder.ts';
import { findHandoff } from '../handoffs/find.ts';
import type { Documents, FoundFile } from './documents.ts';
import { matchesState } from './legal-change.ts';
import { legalVersions } from './overrule.ts';

/** How many branches are remembered. A forgotten commit is taken in again, which changes nothing. */
const TIPS_MAX = 16;

/** The newest tip is the last one. */
async function tipsOf(folder: DocumentFolder): Promise<readonly string[]> {
  const noted = await folder.notes.load('tips');
  return (noted ?? '').split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line));
}

/** Null: nothing was taken in yet, or git cannot say; then every document counts as unseen. */
export async function unseenAtHead({ folder, unseen }: Documents): Promise<ReadonlySet<HandoffId> | null> {
  const head = await folder.git.head();
  const tips = await tipsOf(folder);
  const at = `${head ?? ''} ${tips.join(' ')}`;
  if (unseen.at !== at || unseen.ids === null) {
    unseen.at = at;
    if (head === null || tips.includes(head)) unseen.ids = Promise.resolve(new Set());
    else unseen.ids = tips.length === 0 ? Promise.resolve(null) : folder.git.changedSince(tips);
  }
  return unseen.ids;
}

/** Whether the checked-out commit has a change of this document that the database has not taken in. */
export async function isUnseen(documents: Documents, handoff: Handoff, text: string): Promise<boolean> {
  const { folder } = documents;
  const { id } = handoff;
  if ((await folder.agreedTexts.has(id, text)) && !(await isRestored(documents, handoff))) return false;
  const unseen = await unseenAtHead(documents);
  if (unseen === null) return true;
  if (!unseen.has(id)) return false;
  const head = await folder.git.head();
  const last = head === null ? null : await folder.git.lastChange(head, id);
  if (last === null) return false;
  for (const tip of await tipsOf(folder)) if (await folder.git.isAncestor(last, tip)) return false;
  return true;
}

/** Why the newest version in git does not follow legally from those before it; null: it does. */
export async function illegalReason({ ctx, folder }: Documents, id: HandoffId, terms: Terms): Promise<string | null> {
  const versions = await folder.git.versions(id);
  return legalVersions(ctx.rules, terms, versions).wrong.get(versions[0]?.commit ?? '')?.says ?? null;
}

/**
 * A text that was agreed on before counts as new if a merge chose it: then a commit that was taken in matches the record,
 * and the history continued from that commit to the older text.
 */
async function isRestored({ folder }: Documents, handoff: Handoff): Promise<boolean> {
  const head = await folder.git.head();
  for (const tip of await tipsOf(folder)) {
    if (head === null || tip === head || !(await folder.git.isAncestor(tip, head))) continue;
    const taken = await folder.git.textAt(tip, handoff.id);
    if (taken !== null && matchesState(handoff, readDocument(taken).fields)) return true;
  }
  return false;
}

/** The most documents in one answer. */
const UNSYNCED_MAX = 100;
/** How far back the archive is searched, because git usually brings recently settled documents. */
const LOOKED_BACK_MS = 62 * 24 * 3_600_000;

/** Documents whose checked-out text was never agreed on. */
export async function unsyncedIn(documents: Documents, id?: HandoffId): Promise<readonly HandoffId[]> {
  const { folder, ctx } = documents;
  if ((await folder.git.busy()) !== null) return [];
  await folder.prepare();
  const unseen = await unseenAtHead(documents);
  const isNamed = async (each: HandoffId): Promise<boolean> =>
    unseen === null || unseen.has(each) || (await findHandoff(ctx, each)) === null;
  const names =
    id === undefined
      ? (unseen ?? (await folder.list()).flatMap(({ id: each }) => each ?? []))
      : (await isNamed(id))
        ? [id]
        : [];
  const found: HandoffId[] = [];
  for (const each of [...names].slice(0, UNSYNCED_MAX)) {
    const seen = await findRecent(documents, each);
    if (seen !== null && !(await folder.agreedTexts.has(each, seen.file.text))) found.push(each);
  }
  return found;
}

/** The file of a document, in `active/` or in the recent archive; null: no readable file. */
export async function findRecent({ folder, ctx }: Documents, id: HandoffId): Promise<FoundFile | null> {
  const place = await folder.find(id, ctx.store.nowMs() - LOOKED_BACK_MS);
  const file = place === null ? null : await folder.read(place, id);
  return place === null || file?.kind !== 'file' ? null : { place, file };
}

/** Called after every document at this commit was reconciled. */
export async function noteTip(documents: Documents, head: string | null): Promise<void> {
  const { folder } = documents;
  const tips = await tipsOf(folder);
  if (head === null || tips.at(-1) === head) return;
  const others: string[] = [];
  for (const tip of tips) if (tip !== head && !(await folder.git.isAncestor(tip, head))) others.push(tip);
  await folder.notes.save('tips', `${[...others, head].slice(-TIPS_MAX).join('\n')}\n`);
}

/**
 * Whether the checked-out history overrules the decisions of this database: if it contains everything that this database
 * has taken in, or if a remote has it and no remote has ours.
 */
export async function overrules({ folder }: Documents, id: HandoffId): Promise<boolean> {
  const head = await folder.git.head();
  const tip = (await tipsOf(folder)).at(-1) ?? null;
  if (head === null) return false;
  if (tip !== null && (await folder.git.isAncestor(tip, head))) return true;
  const theirs = await folder.git.lastChange(head, id);
  if (theirs === null || !(await folder.git.isShared(theirs))) return false;
  const ours = tip === null ? null : await folder.git.lastChange(tip, id);
  if (ours === null || (await folder.git.isAncestor(ours, theirs))) return true;
  return !(await folder.git.isShared(ours));
}
