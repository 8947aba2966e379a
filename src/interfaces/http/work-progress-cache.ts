/** The notes of the facts that went by, so that lists need not read the facts of each handoff. */
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Context } from '../../engine/context.ts';
import { factDetail } from '../shared/views.ts';
import { noteIn, type WorkNote } from '../shared/work-note.ts';
import { mayHaveNote, readNote, rowView, type RowView } from '../shared/work-progress.ts';
import { setNewest } from './bounded-map.ts';
import type { HubEvent } from './events/hub.ts';

const KEPT_MAX = 50_000;

export type WorkNotes = ReturnType<typeof openWorkNotes>;

export function openWorkNotes(ctx: Pick<Context, 'store'>) {
  const notes = new Map<HandoffId, WorkNote>();
  const keep = (id: HandoffId, note: WorkNote): void => setNewest(notes, id, note, KEPT_MAX);
  /** From the facts of the handoff, where this server has not seen all of them. */
  const read = async (id: HandoffId): Promise<WorkNote> => {
    const note = await readNote(ctx, id);
    keep(id, note);
    return note;
  };
  return {
    addEvents: (events: readonly HubEvent[]): void => {
      for (const { fact } of events) {
        const before = notes.get(fact.handoff);
        if (before === undefined && fact.deed !== 'create') continue;
        keep(fact.handoff, { ...before, ...noteIn(fact, factDetail(fact)) });
      }
    },
    rows: async (handoffs: readonly Handoff[]): Promise<readonly RowView[]> => {
      const rows: RowView[] = [];
      for (const handoff of handoffs) {
        const { id } = handoff;
        rows.push(rowView(handoff, mayHaveNote(handoff) ? (notes.get(id) ?? (await read(id))) : {}));
      }
      return rows;
    },
  };
}
