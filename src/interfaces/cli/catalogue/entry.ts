/** One command in the catalogue: what it is called and takes, and where its code is when it is wanted. */
import type { Output } from '../output.ts';

export interface CommandEntry {
  /** `send`, or `token new` for one below another. */
  readonly name: string;
  readonly takes?: string;
  readonly summary: string;
  readonly options?: readonly OptionEntry[];
  /** What else its help says. */
  readonly note?: string;
  /** What stands after `baton` in the help's example. */
  readonly example: string;
  /** Which of the options that all commands share; default: all of them. */
  readonly shares?: 'json' | 'place';
  load(): Promise<unknown>;
}

export type OptionEntry = readonly [flags: string, summary: string, more?: OptionDetails];

interface OptionDetails {
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly repeated?: true;
  /** Understood, and not shown. */
  readonly isHidden?: true;
}

/** What `load` answers; the options are read by commander as the entry says. */
export type Run = (
  args: readonly string[],
  options: Readonly<Record<string, never>>,
  output: Output,
) => Promise<number>;
