/** What the newest facts say of the work on a handoff, beside its record: its last failure, and how far it has come. */
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Context } from '../../engine/context.ts';
import { handoffView, type HandoffView } from '../shared/views.ts';
import { noteIn, type WorkNote } from './attempts.ts';
import type { Told } from './events/hub.ts';

const KEPT_MAX = 50_000;
const FACTS_MAX = 500;

export interface WorkNotes {
  hear(told: readonly Told[]): void;
  /** As lists show them. */
  rows(handoffs: readonly Handoff[]): Promise<readonly RowView[]>;
}

export type RowView = HandoffView & {
  /** How many attempts there may be. */
  readonly attemptsMax: number;
  readonly lastFailure?: { readonly code: string; readonly message: string; readonly at: string };
  readonly progress?: { readonly fraction: number | null; readonly says: string | null; readonly at: string };
};

export function openWorkNotes({ store }: Pick<Context, 'store'>): WorkNotes {
  const notes = new Map<HandoffId, WorkNote>();
  const keep = (id: HandoffId, note: WorkNote): void => {
    notes.delete(id);
    notes.set(id, note);
    const [oldest] = notes.keys();
    if (notes.size > KEPT_MAX && oldest !== undefined) notes.delete(oldest);
  };
  /** From its own trail, where this server has not heard all of it. */
  const read = async (id: HandoffId): Promise<WorkNote> => {
    const facts = await store.facts({ handoff: id, max: FACTS_MAX });
    const note = facts.reduce<WorkNote>((all, { fact }) => ({ ...all, ...noteIn(fact) }), {});
    keep(id, note);
    return note;
  };
  return {
    hear: (told) => {
      for (const { fact } of told) {
        const before = notes.get(fact.handoff);
        if (before === undefined && fact.deed !== 'create') continue;
        keep(fact.handoff, { ...before, ...noteIn(fact) });
      }
    },
    rows: async (handoffs) => {
      const rows: RowView[] = [];
      for (const handoff of handoffs) {
        const { id, attempt, state } = handoff;
        const mayHaveOne = attempt > 0 || state === 'failed' || state === 'rejected' || state === 'expired';
        rows.push(rowView(handoff, mayHaveOne ? (notes.get(id) ?? (await read(id))) : {}));
      }
      return rows;
    },
  };
}

function rowView(handoff: Handoff, { failure, progress }: WorkNote): RowView {
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
