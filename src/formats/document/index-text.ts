/** `_index.yaml`: what is in `active/` and what was completed last, as a text that is the same wherever it is made. */
import { compareTexts } from '../../domain/natural-order.ts';
import { findFrontMatter } from './front-matter.ts';
import { readStatus, type Status } from './vocabulary.ts';
import { keyText, valueText } from './yaml-text.ts';

/** What the index needs of one document. */
export interface IndexEntry {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly task: string;
  readonly status: Status;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt: string | null;
  readonly targetCompletion: string | null;
}

export interface Completed {
  readonly id: string;
  readonly completedAt: string;
}

export const RECENT_MAX = 10;

const LINE = /^([a-z_]+):[ \t]+(?:"([^"\\]*)"|'([^']*)'|([^\s"'|>[{#][^\r\n#]*?))[ \t]*(?:#[^\r\n]*)?\r?$/gm;

/** Reads only the lines that the index needs, because there may be thousands of documents. Null: it is no document. */
export function skimDocument(text: string): IndexEntry | null {
  const found = findFrontMatter(text);
  if (found.kind !== 'found') return null;
  const values = new Map<string, string>();
  for (const [, key = '', double, single, plain] of text.slice(found.at.from, found.at.to).matchAll(LINE)) {
    const value = double ?? single ?? plain ?? '';
    if (value !== 'null' && value !== '~') values.set(key, value);
  }
  const status = readStatus(values.get('status') ?? '');
  const [id, from, to] = ['handoff_id', 'from_agent', 'to_agent'].map((key) => values.get(key));
  if (status === null || id === undefined || from === undefined || to === undefined) return null;
  return {
    id,
    from,
    to,
    status,
    task: values.get('related_task') ?? '',
    createdAt: values.get('created_at') ?? '',
    updatedAt: values.get('updated_at') ?? '',
    completedAt: values.get('completed_at') ?? null,
    targetCompletion: values.get('target_completion') ?? null,
  };
}

/** The completed ones among these texts. */
export function completedIn(texts: readonly string[]): readonly Completed[] {
  return texts.flatMap((text) => {
    const { id, status, completedAt = null } = skimDocument(text) ?? {};
    return id === undefined || status !== 'Complete' || completedAt === null ? [] : [{ id, completedAt }];
  });
}

/** The time in the index is that of the newest document, so that it changes only with a document. */
export function writeIndex(active: readonly IndexEntry[], recent: readonly Completed[]): string {
  const listed = active.toSorted((a, b) => compareTexts(b.createdAt, a.createdAt) || compareTexts(a.id, b.id));
  const done = recent.toSorted((a, b) => compareTexts(b.completedAt, a.completedAt) || compareTexts(a.id, b.id));
  const newest = [...active.map(({ updatedAt }) => updatedAt), ...recent.map(({ completedAt }) => completedAt)]
    .toSorted(compareTexts)
    .at(-1);
  const open = listed.map(({ id, from, to, task, status, createdAt }) => {
    return { id, from, to, task, status, created: createdAt };
  });
  const last = done.slice(0, RECENT_MAX).map(({ id, completedAt }) => ({ id, completed_at: completedAt }));
  return [
    `# Made by baton from the documents; edits are overwritten.\nlast_updated:${valueText(newest ?? null)}\n`,
    `active_handoffs:${valueText(open)}\n`,
    `counts_by_agent:${countsText(active)}\n`,
    `recently_completed:${valueText(last)}\n`,
  ].join('\n');
}

export type AgentCounts = ReadonlyMap<string, { readonly outgoing: number; readonly incoming: number }>;

export function countByAgent(open: readonly { readonly from: string; readonly to: string }[]): AgentCounts {
  const counts = new Map<string, { outgoing: number; incoming: number }>();
  const count = (agent: string, direction: 'outgoing' | 'incoming'): void => {
    const known = counts.get(agent) ?? { outgoing: 0, incoming: 0 };
    counts.set(agent, { ...known, [direction]: known[direction] + 1 });
  };
  for (const { from, to } of open) {
    count(from, 'outgoing');
    count(to, 'incoming');
  }
  return counts;
}

function countsText(active: readonly IndexEntry[]): string {
  const sorted = [...countByAgent(active)].toSorted(([a], [b]) => compareTexts(a, b));
  const lines = sorted.map(([agent, { outgoing, incoming }]) => {
    return `\n  ${keyText(agent)}:\n    outgoing: ${outgoing}\n    incoming: ${incoming}`;
  });
  return lines.length === 0 ? ' {}' : lines.join('');
}
