/** The words that fit at the cursor, from the catalogue of commands. */
import type { CommandEntry, OptionEntry } from '../catalogue/entry.ts';

/** `agents` and `ids` are read from the workspace; the shell completes `files` and `folders` itself. */
export interface Completion {
  readonly wants: 'words' | 'agents' | 'ids' | 'files' | 'folders' | 'nothing';
  /** Each with a short description. */
  readonly words: readonly (readonly [word: string, about: string])[];
}

const NOTHING: Completion = { wants: 'nothing', words: [] };

/** `typed` are the words after `baton`, the one at the cursor last, perhaps empty. */
export function completionFor(
  catalogue: readonly CommandEntry[],
  optionsOf: (entry: CommandEntry) => readonly OptionEntry[],
  typed: readonly string[],
): Completion {
  const current = typed.at(-1) ?? '';
  const before = typed.slice(0, -1);
  const entry = catalogue.find(({ name }) => isBegunBy(before, name.split(' ')));
  if (entry === undefined) return beginning(commandsAfter(catalogue, before), current);
  const given = before.slice(entry.name.split(' ').length);
  // After the double dash comes a command of the user.
  if (given.includes('--')) return { wants: 'files', words: [] };
  const options = optionsOf(entry).filter(([, , more]) => more?.isHidden !== true);
  const last = optionNamed(options, given.at(-1));
  if (last !== undefined && valueOf(last) !== null) return valuesOf(last, entry, current);
  if (current.startsWith('-')) {
    const names = options.flatMap(([flags, summary]) =>
      flags
        .split(/[ ,]+/)
        .filter(isFlag)
        .map((flag) => [flag, summary] as const),
    );
    return beginning([...names, ['--help', 'what the command takes']], current);
  }
  return wantedAs(placeholderAt(entry.takes ?? '', positionIn(given, options)), entry);
}

function isBegunBy(words: readonly string[], name: readonly string[]): boolean {
  return name.every((part, index) => words[index] === part);
}

/** The next word of every command that starts with these words. */
function commandsAfter(
  catalogue: readonly CommandEntry[],
  before: readonly string[],
): readonly (readonly [string, string])[] {
  const next = new Map<string, string>();
  for (const { name, summary } of catalogue) {
    const parts = name.split(' ');
    const word = parts[before.length];
    if (word === undefined || !isBegunBy(before, parts.slice(0, before.length))) continue;
    next.set(word, next.has(word) || parts.length > before.length + 1 ? '' : summary);
  }
  return [...next];
}

function beginning(words: Completion['words'], current: string): Completion {
  const fitting = words.filter(([word]) => word.startsWith(current));
  return fitting.length === 0 ? NOTHING : { wants: 'words', words: fitting };
}

function isFlag(part: string): boolean {
  return part.startsWith('-');
}

function optionNamed(options: readonly OptionEntry[], word: string | undefined): OptionEntry | undefined {
  return options.find(
    ([flags]) => word !== undefined && flags.split(/[ ,]+/).some((flag) => isFlag(flag) && flag === word),
  );
}

/** The name of the option's value; null: the option takes none. */
function valueOf([flags]: OptionEntry): string | null {
  return /<([^>]+)>/.exec(flags)?.[1] ?? null;
}

function valuesOf(option: OptionEntry, entry: CommandEntry, current: string): Completion {
  const [, , more] = option;
  if (more?.choices !== undefined)
    return beginning(
      more.choices.map((choice) => [choice, ''] as const),
      current,
    );
  return wantedAs(valueOf(option), entry);
}

/** The number of arguments that belong to no option. */
function positionIn(given: readonly string[], options: readonly OptionEntry[]): number {
  let position = 0;
  for (let at = 0; at < given.length; at += 1) {
    const option = optionNamed(options, given[at]);
    if (option !== undefined && valueOf(option) !== null) at += 1;
    else if (given[at]?.startsWith('-') !== true) position += 1;
  }
  return position;
}

function placeholderAt(takes: string, position: number): string | null {
  const names = takes.split(' ').filter((part) => part !== '');
  const name = names[position] ?? (names.at(-1)?.includes('...') === true ? names.at(-1) : undefined);
  return name?.replaceAll(/[<>[\].]/g, '') ?? null;
}

const FILES = /^(?:files?|path|sources?|command|json|key)$/;

function wantedAs(placeholder: string | null, { name }: CommandEntry): Completion {
  const kinds = placeholder?.split('|') ?? [];
  if (kinds.includes('agent')) return { wants: 'agents', words: [] };
  // Ids of artifacts and shadows are not ids of handoffs.
  if (kinds.includes('id')) return /^(?:artifact|shadow)/.test(name) ? NOTHING : { wants: 'ids', words: [] };
  if (kinds.includes('dir')) return { wants: 'folders', words: [] };
  return kinds.some((kind) => FILES.test(kind)) ? { wants: 'files', words: [] } : NOTHING;
}
