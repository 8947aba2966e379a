/**
 * What this database knows of the history that clones share. `tips` are the commits whose documents it has taken in; a
 * document is news when a commit that they do not contain has changed it. Times in texts decide nothing here: clocks of
 * clones differ.
 */
import type { Handoff, Terms } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { readDocument } from '../../formats/document/read.ts';
import type { DocumentFolder } from '../../folders/folder.ts';
import type { Documents } from './documents.ts';
import { tellsSame } from './legal-change.ts';
import { lawfulVersions } from './overrule.ts';

/** Branches that were looked at last; a commit that was forgotten is taken in once more, which changes nothing. */
const TIPS_MAX = 16;

/** The newest last. */
async function tipsOf(folder: DocumentFolder): Promise<readonly string[]> {
  const noted = await folder.notes.load('tips');
  return (noted ?? '').split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line));
}

/** Null: nothing was taken in yet, or git cannot say; then every document is looked at as if it were news. */
export async function newsAtHead({ folder, news }: Documents): Promise<ReadonlySet<HandoffId> | null> {
  const head = await folder.git.head();
  const tips = await tipsOf(folder);
  const at = `${head ?? ''} ${tips.join(' ')}`;
  if (news.at !== at || news.ids === null) {
    news.at = at;
    const isKnown = head === null || tips.includes(head);
    news.ids = isKnown
      ? Promise.resolve(new Set())
      : tips.length === 0
        ? Promise.resolve(null)
        : folder.git.changedSince(tips);
  }
  return news.ids;
}

/** Whether the commit that is checked out tells of this document what the database has not taken in. */
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

/** What is not legal in the newest version in git, judged by those before it; null: nothing. */
export async function whyUnlawful({ ctx, folder }: Documents, id: HandoffId, terms: Terms): Promise<string | null> {
  const versions = await folder.git.versions(id);
  return lawfulVersions(ctx.rules, terms, versions).wrong.get(versions[0]?.commit ?? '')?.says ?? null;
}

/**
 * A text that was agreed on once is no news, as in an older branch. It is where a commit that was taken in tells what this
 * database knows, and the history has gone on from there to that text: a merge has chosen the other side.
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

/** So many are looked at; whoever has more to take in is told of these. */
const UNSYNCED_MAX = 100;
/** Of the archive: git brings what was settled lately. */
export const LOOKED_BACK_MS = 62 * 24 * 3_600_000;

/** What is checked out and differs from everything that file and database have ever agreed on. */
export async function unsyncedIn(documents: Documents, id?: HandoffId): Promise<readonly HandoffId[]> {
  const { folder, ctx } = documents;
  if ((await folder.git.busy()) !== null) return [];
  await folder.prepare();
  const news = await newsAtHead(documents);
  const isUnknown = id !== undefined && (await ctx.store.find({ by: 'ids', ids: [id] })).items.length === 0;
  const names =
    id === undefined
      ? (news ?? (await folder.list()).flatMap(({ id: each }) => (each === null ? [] : [each])))
      : isUnknown || news === null || news.has(id)
        ? [id]
        : [];
  const found: HandoffId[] = [];
  for (const each of [...names].slice(0, UNSYNCED_MAX)) {
    const place = await folder.find(each, ctx.store.nowMs() - LOOKED_BACK_MS);
    const file = place === null ? null : await folder.read(place, each);
    if (file?.kind === 'file' && !(await folder.told.has(each, file.text))) found.push(each);
  }
  return found;
}

/** After everything at this commit was looked at. */
export async function noteTip(documents: Documents, head: string | null): Promise<void> {
  const { folder } = documents;
  const tips = await tipsOf(folder);
  if (head === null || tips.at(-1) === head) return;
  const others: string[] = [];
  for (const tip of tips) if (tip !== head && !(await folder.git.isAncestor(tip, head))) others.push(tip);
  await folder.notes.save('tips', `${[...others, head].slice(-TIPS_MAX).join('\n')}\n`);
}

/**
 * Whether the history that is checked out decides over what this database has decided by itself. It does when it
 * contains all that this database had taken in, and when others have it already while nobody has ours.
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
