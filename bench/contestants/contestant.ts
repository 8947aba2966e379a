/** One queue under measurement: the same few things, done the way its own documentation says. */
export interface Contestant {
  readonly name: string;
  /** Of the counts of a run; less for one that polls, whose rate shows in fewer as well. */
  readonly share: number;
  /** Makes its tables. */
  prepare(url: string): Promise<void>;
  openSender(url: string): Promise<Sender>;
  /** `onStart` is called when a handler starts, with what was sent. */
  startWorker(url: string, concurrency: number, onStart: (input: Input) => void): Promise<{ stop(): Promise<void> }>;
  /** How many are not finished yet. */
  unfinished(url: string): Promise<number>;
}

interface Sender {
  send(input: Input): Promise<void>;
  sendMany(inputs: readonly Input[]): Promise<void>;
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
