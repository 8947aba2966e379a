/**
 * Reads arguments that need no commander: the name of a command, known options with their values, and exactly the arguments
 * that the command takes. Everything else (help, mistakes, other spellings) is for commander, and so are values that begin
 * with a dash, because commander finds its own options even there. To load commander, and to build a program of the command,
 * took 3 ms of processor time, a tenth of what `baton send` adds to an empty program.
 */
import { allOptionsOf } from './catalogue/all-options.ts';
import type { Chapter, CommandEntry, OptionEntry } from './catalogue/entry.ts';
import { inCamelCase } from './options.ts';

interface PlainArguments {
  readonly entry: CommandEntry;
  readonly args: readonly string[];
  /** As commander would give them: by their names in camel case. */
  readonly options: Readonly<Record<string, unknown>>;
}

interface PlainOption {
  readonly takesValue: boolean;
  readonly isRepeated: boolean;
}

/** Null: commander has to read them. */
export function plainArguments(given: readonly string[], chapters: readonly Chapter[]): PlainArguments | null {
  const entry = chapters.flatMap(([, entries]) => entries).find(({ name }) => isNamed(name, given));
  if (entry === undefined) return null;
  const known = plainOptionsOf(entry);
  const countTaken = argumentCountOf(entry);
  if (known === null || countTaken === null) return null;
  const args: string[] = [];
  const options: Record<string, unknown> = {};
  const rest = given.slice(entry.name.split(' ').length).values();
  for (const text of rest) {
    if (!startsWithDash(text)) {
      args.push(text);
      continue;
    }
    const option = known.get(text);
    if (option === undefined) return null;
    const value = option.takesValue ? rest.next().value : true;
    if (value === undefined || (typeof value === 'string' && startsWithDash(value))) return null;
    const key = inCamelCase(text.slice(2));
    options[key] = option.isRepeated ? [...((options[key] as readonly unknown[] | undefined) ?? []), value] : value;
  }
  return args.length === countTaken ? { entry, args, options } : null;
}

function isNamed(name: string, given: readonly string[]): boolean {
  return name.split(' ').every((word, index) => word === given[index]);
}

/** A dash alone is standard input. */
function startsWithDash(text: string): boolean {
  return text.length > 1 && text.startsWith('-');
}

/** Null: one of them has a form of which only commander knows the meaning. */
function plainOptionsOf(entry: CommandEntry): ReadonlyMap<string, PlainOption> | null {
  const found = new Map<string, PlainOption>();
  for (const [flags, , { repeated }] of allOptionsOf(entry).map(withDetails)) {
    const [, flag, value] = PLAIN_FLAGS.exec(flags) ?? [];
    if (flag === undefined) return null;
    found.set(flag, { takesValue: value !== undefined, isRepeated: repeated === true });
  }
  return found;
}

function withDetails([flags, summary, details = {}]: OptionEntry): Required<OptionEntry> {
  return [flags, summary, details];
}

/** `--name` or `--name <value>`; to commander `--no-name` is the opposite of `--name`. */
const PLAIN_FLAGS = /^(--(?!no-)[a-z]+(?:-[a-z]+)*)( <[^>.]+>)?$/;

/** How many arguments the command must have. Null: it may have more or fewer. */
function argumentCountOf({ takes = '' }: CommandEntry): number | null {
  const wanted = takes.split(' ').filter((text) => text !== '');
  return wanted.every((text) => /^<[^>.]+>$/.test(text)) ? wanted.length : null;
}
