/** What a server has heard of the work on each handoff, so that lists need not read their facts again. */
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Context } from '../../engine/context.ts';
import { factDetail } from '../shared/views.ts';
import { noteIn, type WorkNote } from '../shared/work-note.ts';
import { mayHaveNote, readNote, rowView, type RowView } from '../shared/work-progress.ts';
import type { Told } from './events/hub.ts';

const KEPT_MAX = 50_000;

export interface WorkNotes {
  hear(told: readonly Told[]): void;
  /** As lists show them. */
  rows(handoffs: readonly Handoff[]): Promise<readonly RowView[]>;
}

export function openWorkNotes(ctx: Pick<Context, 'store'>): WorkNotes {
  const notes = new Map<HandoffId, WorkNote>();
  const keep = (id: HandoffId, note: WorkNote): void => {
    notes.delete(id);
    notes.set(id, note);
    const [oldest] = notes.keys();
    if (notes.size > KEPT_MAX && oldest !== undefined) notes.delete(oldest);
  };
  /** From its own trail, where this server has not heard all of it. */
  const read = async (id: HandoffId): Promise<WorkNote> => {
    const note = await readNote(ctx, id);
    keep(id, note);
    return note;
  };
  return {
    hear: (told) => {
      for (const { fact } of told) {
        const before = notes.get(fact.handoff);
        if (before === undefined && fact.deed !== 'create') continue;
        keep(fact.handoff, { ...before, ...noteIn(fact, factDetail(fact)) });
      }
    },
    rows: async (handoffs) => {
      const rows: RowView[] = [];
      for (const handoff of handoffs) {
        const { id } = handoff;
        rows.push(rowView(handoff, mayHaveNote(handoff) ? (notes.get(id) ?? (await read(id))) : {}));
      }
      return rows;
    },
  };
}
