/**
 * What this database knows of the history that clones share. `tips` are the commits whose documents it has taken in. A
 * document is news when a commit outside of their history has changed it. Times in texts decide nothing here, because the
 * clocks of clones differ.
 */
import type { Handoff, Terms } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { readDocument } from '../../formats/document/read.ts';
import type { DocumentFolder } from '../../folders/folder.ts';
import { findHandoff } from '../handoffs/find.ts';
import type { Documents, FoundFile } from './documents.ts';
import { tellsSame } from './legal-change.ts';
import { lawfulVersions } from './overrule.ts';

/** How many branches are remembered. A commit that was forgotten is taken in once more, which changes nothing. */
const TIPS_MAX = 16;

/** The newest tip is the last one. */
async function tipsOf(folder: DocumentFolder): Promise<readonly string[]> {
  const noted = await folder.notes.load('tips');
  return (noted ?? '').split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line));
}

/** Null: nothing was taken in yet, or git cannot say; then every document is handled as news. */
export async function newsAtHead({ folder, news }: Documents): Promise<ReadonlySet<HandoffId> | null> {
  const head = await folder.git.head();
  const tips = await tipsOf(folder);
  const at = `${head ?? ''} ${tips.join(' ')}`;
  if (news.at !== at || news.ids === null) {
    news.at = at;
    if (head === null || tips.includes(head)) news.ids = Promise.resolve(new Set());
    else news.ids = tips.length === 0 ? Promise.resolve(null) : folder.git.changedSince(tips);
  }
  return news.ids;
}

/** Whether the commit that is checked out tells something of this document that the database has not taken in. */
export async function isNews(documents: Documents, handoff: Handoff, text: string): Promise<boolean> {
  const { folder } = documents;
  const { id } = handoff;
  if ((await folder.told.has(id, text)) && !(await wentBack(documents, handoff))) return false;
  const news = await newsAtHead(documents);
  if (news === null) return true;
  if (!news.has(id)) return false;
  const head = await folder.git.head();
  const last = head === null ? null : await folder.git.lastChange(head, id);
  if (last === null) return false;
  for (const tip of await tipsOf(folder)) if (await folder.git.isAncestor(last, tip)) return false;
  return true;
}

/** Why the newest version in git does not follow legally from those before it; null: it does. */
export async function whyUnlawful({ ctx, folder }: Documents, id: HandoffId, terms: Terms): Promise<string | null> {
  const versions = await folder.git.versions(id);
  return lawfulVersions(ctx.rules, terms, versions).wrong.get(versions[0]?.commit ?? '')?.says ?? null;
}

/**
 * A text that was agreed on once is no news, except where a merge chose it: then a commit that was taken in tells what this
 * database knows, and the history went on from that commit to the older text.
 */
async function wentBack({ folder }: Documents, handoff: Handoff): Promise<boolean> {
  const head = await folder.git.head();
  for (const tip of await tipsOf(folder)) {
    if (head === null || tip === head || !(await folder.git.isAncestor(tip, head))) continue;
    const taken = await folder.git.textAt(tip, handoff.id);
    if (taken !== null && tellsSame(handoff, readDocument(taken).fields)) return true;
  }
  return false;
}

/** How many documents one answer names. */
const UNSYNCED_MAX = 100;
/** How far back the archive is searched: git brings documents that were settled lately. */
const LOOKED_BACK_MS = 62 * 24 * 3_600_000;

/** Documents whose checked-out text is none that file and database have ever agreed on. */
export async function unsyncedIn(documents: Documents, id?: HandoffId): Promise<readonly HandoffId[]> {
  const { folder, ctx } = documents;
  if ((await folder.git.busy()) !== null) return [];
  await folder.prepare();
  const news = await newsAtHead(documents);
  const isNamed = async (each: HandoffId): Promise<boolean> =>
    news === null || news.has(each) || (await findHandoff(ctx, each)) === null;
  const names =
    id === undefined
      ? (news ?? (await folder.list()).flatMap(({ id: each }) => each ?? []))
      : (await isNamed(id))
        ? [id]
        : [];
  const found: HandoffId[] = [];
  for (const each of [...names].slice(0, UNSYNCED_MAX)) {
    const seen = await findRecent(documents, each);
    if (seen !== null && !(await folder.told.has(each, seen.file.text))) found.push(each);
  }
  return found;
}

/** The file of a document, in `active/` or in the recent archive; null: there is none that can be read. */
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
 * Whether the history that is checked out overrules what this database decided by itself. It does when it contains all
 * that this database had taken in, and when a remote has it while no remote has ours.
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
