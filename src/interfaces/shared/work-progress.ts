/** What the facts of a handoff say of the work on it, beside its record: its last failure, and how far it has come. */
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Context } from '../../engine/context.ts';
import { handoffView, type HandoffView } from './views.ts';

const SAYS_MAX = 300;
const FACTS_MAX = 500;

export interface WorkNote {
  readonly failure?: { readonly code: string; readonly message: string; readonly at: number };
  readonly progress?: { readonly fraction: number | null; readonly says: string | null; readonly at: number };
}

/** Null: the fact says nothing of it. */
export function noteIn(fact: Fact): WorkNote | null {
  if (fact.deed !== 'progress' && fact.from === fact.to) return null;
  const detail = (fact.detail === '' ? {} : JSON.parse(fact.detail)) as Readonly<Record<string, unknown>>;
  const text = (name: string): string | null => {
    const value = detail[name];
    return typeof value === 'string' ? value.slice(0, SAYS_MAX) : null;
  };
  if (fact.deed === 'progress') {
    const { fraction } = detail;
    const progress = { fraction: typeof fraction === 'number' ? fraction : null, says: text('says'), at: fact.at };
    return { progress };
  }
  const code = text('code') ?? CODES[fact.deed] ?? (isLost(fact) ? 'WORKER_LOST' : null);
  if (code === null) return null;
  return { failure: { code, message: text('message') ?? text('reason') ?? '', at: fact.at } };
}

/** What went wrong, where the fact itself has no code for it. */
const CODES: Readonly<Record<string, string>> = {
  fail: 'FAILED',
  retry: 'FAILED',
  reject: 'REJECTED',
  expire: 'EXPIRED',
  rework: 'CHANGES_REQUESTED',
  reoffer: 'CHANGES_REQUESTED',
};

/** Nobody gave it back: its worker is gone. */
function isLost({ deed, by }: Fact): boolean {
  return deed === 'release' && by === 'system';
}

/** Whether its facts may hold a note at all. */
export function mayHaveNote({ attempt, state }: Handoff): boolean {
  return attempt > 0 || state === 'failed' || state === 'rejected' || state === 'expired';
}

export async function readNote({ store }: Pick<Context, 'store'>, id: HandoffId): Promise<WorkNote> {
  const facts = await store.facts({ handoff: id, max: FACTS_MAX });
  return facts.reduce<WorkNote>((all, { fact }) => ({ ...all, ...noteIn(fact) }), {});
}

/** As lists show a handoff. */
export type RowView = HandoffView & {
  /** How many attempts there may be. */
  readonly attemptsMax: number;
  readonly lastFailure?: { readonly code: string; readonly message: string; readonly at: string };
  readonly progress?: { readonly fraction: number | null; readonly says: string | null; readonly at: string };
};

export function rowView(handoff: Handoff, { failure, progress }: WorkNote): RowView {
  const { terms, excused, state } = handoff;
  return {
    ...handoffView(handoff),
    attemptsMax: terms.retry.retriesMax + 1 + excused,
    ...(failure === undefined ? {} : { lastFailure: { ...failure, at: new Date(failure.at).toISOString() } }),
    ...(progress === undefined || state !== 'accepted'
      ? {}
      : { progress: { ...progress, at: new Date(progress.at).toISOString() } }),
  };
}
