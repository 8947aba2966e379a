/** One operation on all selected handoffs. */
import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { postJson, type BatchAnswer, type Row } from '../api.ts';
import { toast, toastProblem } from './toasts.tsx';

/** As many ids as the server takes in one request. */
const BATCH_MAX = 100;

export function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  return {
    selected,
    select: (ids: readonly string[]) => setSelected(new Set(ids)),
    toggle: (id: string) => {
      const next = new Set(selected);
      if (!next.delete(id)) next.add(id);
      setSelected(next);
    },
    clear: () => setSelected(new Set()),
  };
}

/** Starts the operation on all rows, and says how many were refused. */
export function useBatch(rows: readonly Row[], clear: () => void): (operation: string, input?: object) => void {
  const [key] = useState(() => crypto.randomUUID());
  const run = async (operation: string, input: object): Promise<void> => {
    const ids = rows.map(({ id }) => id);
    const done: BatchAnswer['items'] = [];
    for (let at = 0; at < ids.length; at += BATCH_MAX) {
      const body = { operation, ids: ids.slice(at, at + BATCH_MAX), input };
      done.push(...(await postJson<BatchAnswer>('/api/batch', body, { 'idempotency-key': key })).items);
    }
    const refused = done.filter(({ problem }) => problem !== undefined);
    if (refused.length === 0) toast('good', `${operation}: ${done.length}`);
    else
      toast('bad', `${operation}: ${refused.length} of ${done.length} refused: ${refused[0]?.problem?.detail ?? ''}`);
    clear();
  };
  return (operation, input = {}) => void run(operation, input).catch(toastProblem);
}

interface BulkProps {
  readonly rows: readonly Row[];
  readonly clear: () => void;
  readonly offers: 'retry' | 'cancel';
  readonly children: ComponentChildren;
}

export function Bulk({ rows, clear, offers, children }: BulkProps): VNode {
  const perform = useBatch(rows, clear);
  return (
    <div class="bulk" role="group" aria-label="Selected">
      <b>{rows.length} selected</b>
      {children}
      <button type="button" class={offers === 'cancel' ? 'bad' : ''} onClick={() => perform(offers)}>
        {offers === 'cancel' ? 'Cancel' : 'Retry'}
      </button>
      <button type="button" class="quiet" onClick={clear}>
        Clear
      </button>
    </div>
  );
}
