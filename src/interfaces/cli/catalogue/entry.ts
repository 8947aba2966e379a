/** One command in the catalogue: its name, its arguments, and the module that runs it. */
import type { Output } from '../output.ts';

export interface CommandEntry {
  /** `send`, or `token new` for a subcommand. */
  readonly name: string;
  readonly takes?: string;
  readonly summary: string;
  readonly options?: readonly OptionEntry[];
  /** More text for its help. */
  readonly note?: string;
  /** The example of the help, without `baton`. */
  readonly example: string;
  /** Which of the shared options the command takes; default: all of them. */
  readonly shares?: 'json' | 'place';
  load(): Promise<unknown>;
}

/** A chapter of the help, the manual and the reference. */
export type Chapter = readonly [title: string, entries: readonly CommandEntry[]];

export type OptionEntry = readonly [flags: string, summary: string, more?: OptionDetails];

interface OptionDetails {
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly repeated?: true;
  /** Works, but the help does not show it. */
  readonly isHidden?: true;
}

/** The type of what `load` returns. Commander has read the options as the entry says. Without a result the exit code is 0. */
export type Run = (
  args: readonly string[],
  options: Readonly<Record<string, never>>,
  output: Output,
) => Promise<number | undefined>;
