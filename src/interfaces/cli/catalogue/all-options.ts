/** The options of a command: its own, and those that it shares with others. */
import type { CommandEntry, OptionEntry } from './entry.ts';

const JSON_OPTION: OptionEntry = ['--json', 'answer with JSON, for programs'];
const PLACE_OPTIONS: readonly OptionEntry[] = [
  JSON_OPTION,
  ['--workspace <dir>', 'the workspace (default: this folder or the nearest above it)'],
  ['--database <url>', 'postgres://… or a file (default: the workspace, or BATON_DATABASE)'],
];
const ALL_OPTIONS: readonly OptionEntry[] = [
  ...PLACE_OPTIONS,
  ['--as <agent>', 'the agent to act as; `operator` for the person who runs the workspace'],
];

export function allOptionsOf(entry: CommandEntry): readonly OptionEntry[] {
  return [...(entry.options ?? []), ...sharedOptionsOf(entry)];
}

export function sharedOptionsOf({ shares }: Pick<CommandEntry, 'shares'>): readonly OptionEntry[] {
  return shares === 'json' ? [JSON_OPTION] : shares === 'place' ? PLACE_OPTIONS : ALL_OPTIONS;
}
