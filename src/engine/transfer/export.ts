/**
 * Exports all handoffs as lines of text: each with body, outcome and its whole trail. Each handoff is consistent; two may
 * be from different moments. Schedules come last, as they were before the first handoff was read: an occurrence that was
 * sent during the export may be sent again, and none is lost.
 */
import type { DamagedRecord, Store } from '../../stores/store.ts';
import { allCopies } from './all-copies.ts';
import type { PartialExport } from './partial-export.ts';
import { allSchedules, writeScheduleLine } from './schedule-line.ts';
import { footerLine, headerLine, totalOf, writeLine } from './write-line.ts';

export interface Exported {
  /** Exported handoffs. */
  readonly count: number;
  readonly schedules: number;
  readonly sha256: string;
  /** How many records could not be exported, and the first of them. */
  readonly damaged: number;
  readonly damagedRecords: readonly DamagedRecord[];
}

const DAMAGED_NAMED = 20;

/** Yields lines with line ends, as fast as they are read. Returns the content of the last line. */
export async function* exportAll(
  store: Store,
  resumed: PartialExport | null = null,
): AsyncGenerator<string, Exported, undefined> {
  const total = resumed?.total ?? totalOf();
  let count = resumed?.count ?? 0;
  if (resumed === null) yield `${headerLine(store.nowMs())}\n`;
  const schedules = await allSchedules(store);
  const damagedRecords: DamagedRecord[] = [];
  let damaged = 0;
  const onDamaged = (record: DamagedRecord): void => {
    damaged += 1;
    if (damagedRecords.length < DAMAGED_NAMED) damagedRecords.push(record);
  };
  for await (const copy of allCopies(store, resumed?.cursor, onDamaged)) {
    const { text, sha256 } = writeLine(copy);
    total.add(sha256);
    count += 1;
    yield `${text}\n`;
  }
  for (const schedule of schedules) {
    const { text, sha256 } = writeScheduleLine(schedule);
    total.add(sha256);
    yield `${text}\n`;
  }
  const exported = { count, schedules: schedules.length, sha256: total.hex(), damaged, damagedRecords };
  yield `${footerLine(exported)}\n`;
  return exported;
}
