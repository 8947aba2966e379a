/** The catalogue as a commander program, which reads the arguments, prints help and suggests corrections. */
import { Command, CommanderError, Option } from 'commander';
import { displayText } from '../../foundation/display-text.ts';
import { PROBLEMS } from '../shared/problems.ts';
import { allOptionsOf } from './catalogue/all-options.ts';
import type { Chapter, CommandEntry, OptionEntry } from './catalogue/entry.ts';
import { runEntry } from './catalogue/run-entry.ts';
import type { Output } from './output.ts';
import { cliProblem } from './problem.ts';

const EXIT_CODES =
  'Exit codes: 0 done · 1 fault · 2 usage · 3 not found · 4 refused · 5 invalid input · 6 limit ·\n' +
  '            7 timed out · 8 the handoff did not complete · 9 lease lost';

/** Wrong arguments end as a problem with commander's message. */
export async function runProgram(
  args: readonly string[],
  chapters: readonly Chapter[],
  version: string,
  output: Output,
): Promise<number> {
  let exitCode = 0;
  let complaint = '';
  const hear = (text: string): void => {
    complaint += text;
  };
  const program = programOf(version, chapters, hear, async (entry, given, options) => {
    exitCode = await runEntry(entry, given, options, output);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    if (error.code === HELP) {
      process.stderr.write(displayText(complaint));
      return PROBLEMS.usage.exitCode;
    }
    const inALine = error.message.replace(COMMANDERS_PREFIX, '').replaceAll('\n', ' ');
    throw cliProblem('usage', output.json ? inALine : complaint.trimEnd());
  }
}

/** No command was named, so the help is printed. */
const HELP = 'commander.help';
const COMMANDERS_PREFIX = /^error: /;

type Act = (entry: CommandEntry, args: readonly string[], options: Readonly<Record<string, never>>) => Promise<void>;

function programOf(version: string, chapters: readonly Chapter[], complain: (text: string) => void, act: Act): Command {
  const program = new Command('baton')
    .description('Hands work from one agent to another and proves that it arrived.')
    .version(version, '-V, --version')
    .exitOverride()
    .configureOutput({
      writeErr: complain,
      outputError: (text) => complain(text.replace(COMMANDERS_PREFIX, '')),
    })
    .showSuggestionAfterError(true)
    .showHelpAfterError('Run baton --help for a list of commands.')
    .addHelpText(
      'after',
      '\nExample:\n  $ baton init\n  $ baton work @react -- cat &\n' +
        `  $ baton send --from @me --to @react --input '{"x":1}' --wait\n\n${EXIT_CODES}\n` +
        'Completions: baton complete bash|zsh|fish|powershell',
    );
  const groups = new Map<string, Command>();
  for (const [title, entries] of chapters) {
    for (const entry of entries) {
      const [first = '', second] = entry.name.split(' ');
      const place = second === undefined ? program : groupOf(program, groups, first, entries);
      addEntry(place, second ?? first, entry, act);
      const shown = second === undefined ? program.commands.at(-1) : place;
      shown?.helpGroup(`${title}:`);
    }
  }
  return program;
}

/** `chapter` has all commands of the group. */
function groupOf(
  program: Command,
  groups: Map<string, Command>,
  name: string,
  chapter: readonly CommandEntry[],
): Command {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const verbs = chapter.filter((entry) => entry.name.startsWith(`${name} `)).map((entry) => entry.name.split(' ')[1]);
  const group = program.command(name).description(verbs.join(', ')).showHelpAfterError(pointerTo(name)).exitOverride();
  groups.set(name, group);
  return group;
}

function pointerTo(name: string): string {
  return `Run baton ${name} --help for its arguments.`;
}

function addEntry(place: Command, name: string, entry: CommandEntry, act: Act): void {
  const { takes = '', summary, note, example } = entry;
  const command = place
    .command(`${name} ${takes}`.trim())
    .description(summary)
    .addHelpText('after', `${note === undefined ? '' : `\n${note}\n`}\nExample:\n  $ baton ${example}`)
    .showHelpAfterError(pointerTo(entry.name))
    .exitOverride();
  for (const option of allOptionsOf(entry)) command.addOption(optionOf(option));
  command.action(async () => act(entry, command.args, command.opts()));
}

function optionOf([flags, summary, { choices, repeated, isHidden } = {}]: OptionEntry): Option {
  const option = new Option(flags, summary);
  // For completions and help only: the command itself refuses a wrong value, with its own exit code.
  if (choices !== undefined) option.argChoices = [...choices];
  if (isHidden === true) option.hideHelp();
  if (repeated === true) option.argParser((value: string, before?: readonly string[]) => [...(before ?? []), value]);
  return option;
}
