/**
 * The contestants of the embedded bench: each is a producer process and a worker process on one machine, with nothing
 * shared but the database. `place` is where that is: a folder, or the address of a server.
 */
import type { Input } from './contestant.ts';

export interface EmbeddedContestant {
  readonly name: string;
  /** Empties the place. */
  prepare(place: string): Promise<void>;
  openProducer(place: string): Promise<Producer>;
  /** `onStart` is called when a handler starts; the handler ends when it answers. */
  startWorker(
    place: string,
    concurrency: number,
    onStart: (input: Input) => Promise<void> | void,
  ): Promise<{ stop(): Promise<void> }>;
}

interface Producer {
  /** `concurrency` callers, each of which sends one, and waits until it is completed before it sends the next. */
  lives(concurrency: number, count: number): Promise<void>;
  /** Comes back when what was sent is on the disk. */
  send(input: Input): Promise<void>;
  sendMany(inputs: readonly Input[]): Promise<void>;
  /** How many are not completed yet. */
  unfinished(): Promise<number>;
  close(): Promise<void>;
}

export async function callers(concurrency: number, count: number, life: () => Promise<void>): Promise<void> {
  let begun = 0;
  const caller = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      await life();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
}
