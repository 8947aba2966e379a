/**
 * Everything that was handed over, as lines of text: each handoff with what it carries, how it ended and its whole
 * trail. A handoff is as it was at one moment; two of them may be as they were at different ones.
 */
import type { Store } from '../../stores/store.ts';
import { allCopies } from './copies.ts';
import type { Begun } from './begun.ts';
import { footerLine, headerLine, totalOf, writeLine } from './written-line.ts';

export interface Exported {
  readonly count: number;
  readonly sha256: string;
}

/** Lines with their ends; whoever takes them slowly is waited for. Answers what the last line says. */
export async function* exportAll(
  store: Store,
  begun: Begun | null = null,
): AsyncGenerator<string, Exported, undefined> {
  const total = begun?.total ?? totalOf();
  let count = begun?.count ?? 0;
  if (begun === null) yield `${headerLine(store.nowMs())}\n`;
  for await (const copy of allCopies(store, begun?.cursor)) {
    const { text, sha256 } = writeLine(copy);
    total.add(sha256);
    count += 1;
    yield `${text}\n`;
  }
  const exported = { count, sha256: total.hex() };
  yield `${footerLine(exported.count, exported.sha256)}\n`;
  return exported;
}
