/** The options of a command, made from the fields of its operation, and the reading of their values. */
import { isJsonObject } from '../../foundation/json.ts';
import type { AnyField, Fields, InputOf } from '../../operations/field.ts';
import { readFor, type Operation } from '../../operations/operation.ts';
import { AS_OPTIONS, optionNameOf, issuesText } from '../../operations/reading.ts';
import type { HandoffId } from '../../domain/names.ts';
import { jsonArgument, ownFence } from './arguments.ts';
import type { OptionEntry } from './catalogue/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Context } from '../../engine/context.ts';
import { withFullIds } from '../../operations/short-ids.ts';
import { cliProblem, problemOf, type Problem } from './problem.ts';

type Options = Readonly<Record<string, unknown>>;

/** One option for each field. Former spellings work and are hidden. */
export function optionsOf(fields: Fields, without: readonly (string | undefined)[] = []): readonly OptionEntry[] {
  return Object.entries(fields)
    .filter(([key]) => !without.includes(key))
    .flatMap(([key, field]) => optionsFor(optionNameOf(key, field), field));
}

function optionsFor(name: string, field: AnyField): readonly OptionEntry[] {
  if (field.type === 'group' && field.text === undefined) {
    return Object.entries(field.fields).flatMap(([key, each]) => optionsFor(optionNameOf(key, each), each));
  }
  const one = field.type === 'list' ? field.of : field;
  const isRepeated = field.type === 'list' || field.type === 'object';
  const about = field.about.charAt(0).toLowerCase() + field.about.slice(1);
  const details = {
    ...(one.type === 'choice' ? { choices: one.of } : {}),
    ...(isRepeated ? { repeated: true as const } : {}),
  };
  const summary = [
    about,
    field.default === undefined ? '' : ` (default: ${field.default})`,
    isRepeated ? ' (may be repeated)' : '',
  ].join('');
  const value = placeholderOf(name, one);
  const former = field.formerly?.option;
  return [
    [`--${name}${value}`, summary, details],
    ...(former === undefined ? [] : [[`--${former}${value}`, summary, { ...details, isHidden: true }] as const]),
  ];
}

function placeholderOf(name: string, field: AnyField): string {
  switch (field.type) {
    case 'flag':
      return '';
    case 'agent':
      return ' <agent>';
    case 'handoff':
    case 'artifact':
      return ' <id>';
    case 'integer':
      return ' <n>';
    case 'duration':
      return ' <duration>';
    case 'json':
      return ' <json|file|->';
    case 'object':
      return ' <json|file>';
    case 'group':
      return ` <${field.text?.form.split(',')[0]?.toLowerCase() ?? ''}>`;
    case 'choice':
    case 'cursor':
      return ` <${name}>`;
    default:
      return ` <${field.type}>`;
  }
}

/** Reads the input of an operation. A missing option is refused with an example. */
export function inputFrom<F extends Fields>(
  operation: Operation<F>,
  args: readonly string[],
  options: Options,
  more: Options = {},
): InputOf<F> {
  const { input: fields, subject } = operation;
  const given: Record<string, unknown> = { ...givenFor(fields, options), ...more };
  if (subject !== undefined) given[subject] = args[0];
  // Inside a worker's command the environment has the fence.
  if ('fence' in fields && given['fence'] === undefined) given['fence'] = ownFence(given['id'] as HandoffId);
  const read = readFor(operation, given, AS_OPTIONS);
  if (read.ok) return read.value;
  if (!read.refusal.some(({ isMissing }) => isMissing === true)) {
    // The subject is an argument, not an option, so its name has no dashes.
    const issues = read.refusal.map((each) => ({ ...each, field: each.field.replace(`--${subject}`, subject ?? '') }));
    throw cliProblem('bad-request', issuesText(issues));
  }
  throw usageProblem(operation, read.refusal.find(({ field }) => field === '')?.says ?? null);
}

/** Completes short ids, for commands that do more than run their operation. */
export async function wholeIds<F extends Fields>(
  { input: fields }: Operation<F>,
  input: InputOf<F>,
  ctx: Context,
  principal: Principal,
): Promise<InputOf<F>> {
  const whole = await withFullIds(fields, input, ctx, principal);
  if (whole.ok) return whole.value;
  throw problemOf(whole.refusal);
}

function usageProblem({ name, input, subject, example }: Operation, says: string | null): Problem {
  const needed = Object.entries(input)
    .filter(([key, { isRequired }]) => isRequired === true && key !== subject)
    .map(([key, field]) => AS_OPTIONS.nameOf(key, field));
  const what = says ?? `${name} needs ${needed.join(' and ')}`;
  return cliProblem('usage', `${what}, for example: baton ${example}`);
}

function givenFor(fields: Fields, options: Options): Record<string, unknown> {
  const given = Object.entries(fields).map(([key, field]): readonly [string, unknown] => {
    const name = optionNameOf(key, field);
    if (field.type === 'group' && field.text === undefined) {
      const parts = givenFor(field.fields, options);
      return [key, Object.values(parts).some((part) => part !== undefined) ? parts : undefined];
    }
    const former = field.formerly?.option;
    const value = options[inCamelCase(name)] ?? (former === undefined ? undefined : options[inCamelCase(former)]);
    return [key, value === undefined ? undefined : written(field, value, `--${name}`)];
  });
  return Object.fromEntries(given);
}

/** JSON comes as text, from a file or from standard input. Fields of a later object win. */
function written(field: AnyField, value: unknown, name: string): unknown {
  if (field.type === 'json') return jsonArgument(String(value), name);
  if (field.type !== 'object') return value;
  return (value as readonly string[]).reduce((before, text) => {
    const object = jsonArgument(text, name);
    if (isJsonObject(object)) return { ...before, ...object };
    throw cliProblem('bad-request', `${name} takes a JSON object, or a file with one`);
  }, {});
}

/** The name that commander gives to the value of an option. */
export function inCamelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
