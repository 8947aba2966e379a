/**
 * One queue under measurement: the same few things, done the way its own documentation says. Producer and worker are
 * processes of their own and share nothing but the `place`: a folder, or the address of a server.
 */
export interface Contestant {
  readonly name: string;
  /** Whether one can still look at what is finished. */
  readonly keepsFinished: boolean;
  /** Empties the place and makes the tables. */
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
  lives?(concurrency: number, count: number): Promise<void>;
  /** Comes back when what was sent is on the disk. */
  send(input: Input): Promise<void>;
  sendMany(inputs: readonly Input[]): Promise<void>;
  /** How many are not finished yet. */
  unfinished(): Promise<number>;
  close(): Promise<void>;
}

/** About two kilobytes, with the time of sending for the wake-up measurement. */
export interface Input {
  readonly sentAt: number;
  readonly text: string;
}

export function inputOf(): Input {
  return { sentAt: performance.timeOrigin + performance.now(), text: 'x'.repeat(2_000) };
}

export async function callers(concurrency: number, count: number, act: () => Promise<void>): Promise<void> {
  let begun = 0;
  const caller = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      await act();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
}
