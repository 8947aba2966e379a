/**
 * Everything that was handed over, as lines of text: each handoff with what it carries, how it ended and its whole
 * trail. A handoff is as it was at one moment; two of them may be as they were at different ones. Schedules come last, as
 * they were before the first handoff was read: an occurrence that was sent meanwhile is sent again, and none is left out.
 */
import type { DamagedRecord, Store } from '../../stores/store.ts';
import { allCopies } from './all-copies.ts';
import type { PartialExport } from './partial-export.ts';
import { allSchedules, writeScheduleLine } from './schedule-line.ts';
import { footerLine, headerLine, totalOf, writeLine } from './write-line.ts';

export interface Exported {
  /** Of handoffs. */
  readonly count: number;
  readonly schedules: number;
  readonly sha256: string;
  /** How many are in the database and not in the export, and the first of them. */
  readonly damaged: number;
  readonly damagedRecords: readonly DamagedRecord[];
}

const DAMAGED_NAMED = 20;

/** Lines with their ends, as fast as the reader takes them. Answers what the last line says. */
export async function* exportAll(
  store: Store,
  begun: PartialExport | null = null,
): AsyncGenerator<string, Exported, undefined> {
  const total = begun?.total ?? totalOf();
  let count = begun?.count ?? 0;
  if (begun === null) yield `${headerLine(store.nowMs())}\n`;
  const schedules = await allSchedules(store);
  const damagedRecords: DamagedRecord[] = [];
  let damaged = 0;
  const onDamaged = (record: DamagedRecord): void => {
    damaged += 1;
    if (damagedRecords.length < DAMAGED_NAMED) damagedRecords.push(record);
  };
  for await (const copy of allCopies(store, begun?.cursor, onDamaged)) {
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
