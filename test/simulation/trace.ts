import { digestOf } from '../../src/foundation/digest.ts';

/** What happened, in order, in words: two runs are the same when these are. */
export interface Trace {
  note(atMs: number, who: string, what: string): void;
  hash(): string;
  last(count: number): readonly string[];
}

export function openTrace(): Trace {
  const lines: string[] = [];
  return {
    note(atMs, who, what) {
      lines.push(`${atMs} ${who}: ${what}`);
    },
    hash: () => digestOf(lines.join('\n')),
    last: (count) => lines.slice(-count),
  };
}
