/** `src/interfaces/library/methods.ts`, from the table of operations: what editors show to users of the library. */
import type { AnyField, Fields } from '../../src/operations/field.ts';
import { OPERATIONS } from '../../src/operations/index.ts';
import type { Operation, ResultName } from '../../src/operations/operation.ts';

export const METHODS_FILE = 'src/interfaces/library/methods.ts';

/** The type that a method answers; the compiler compares them with the operations in `test/library/method-types.ts`. */
const RESULT_TYPES: Readonly<Record<ResultName, string>> = {
  handoff: 'HandoffView',
  created: 'SentHandoff',
  claimed: 'WholeView | null',
  page: 'HandoffPage',
  shown: 'ShownHandoff',
  facts: 'readonly FactView[]',
  chain: 'readonly HandoffView[]',
  settled: 'WholeView',
  status: 'StatusView',
  inbox: 'readonly JsonObject[]',
  ingested: 'readonly IngestAnswer[]',
  workflows: 'readonly JsonObject[]',
  report: 'JsonObject',
  schedule: 'ScheduleView',
  schedules: 'readonly ScheduleView[]',
  pause: 'PauseView',
  pauses: 'readonly PauseView[]',
  undelivered: 'readonly UndeliveredView[]',
  resent: '{ readonly key: string }',
  artifacts: 'readonly ArtifactEntry[]',
  artifact: 'ArtifactView',
  registered: 'ArtifactEntry',
  cleaned: 'CleanedArtifacts',
  pruned: 'PrunedHandoffs',
};

export function methodsText(): string {
  const operations = Object.entries(OPERATIONS) as [string, Operation][];
  const body = [...operations.map(optionsText).filter(Boolean), methodsInterface(operations)].join('\n');
  const used = (names: readonly string[]): string =>
    names.filter((name) => new RegExp(`\\b${name}\\b`).test(body)).join(', ');
  return `/**
 * One method for each operation, and what it takes. Made from the table of operations: do not edit, run
 * BATON_WRITE_DOCS=1 npx vitest run test/docs
 */
import type { ${used(['Json', 'JsonObject'])} } from '../../foundation/json.ts';
import type { PauseView, PrunedHandoffs, ScheduleView, UndeliveredView } from '../shared/record-views.ts';
import type { ${used(['FactView', 'HandoffView', 'StatusView', 'WholeView'])} } from '../shared/views.ts';
import type {
  ${used(['ArtifactEntry', 'ArtifactView', 'CallOptions', 'CleanedArtifacts', 'HandoffPage', 'IngestAnswer', 'SentHandoff', 'ShownHandoff']).replaceAll(', ', ',\n  ')},
} from './results.ts';

${body}`;
}

/** Of these two the library makes more: its own types have the plain names. */
const RICHER: Readonly<Record<string, string>> = { send: 'SendRequest', wait: 'WaitRequest' };

function optionsName(name: string): string {
  if (name in RICHER) return RICHER[name] ?? name;
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Options`;
}

/** Empty where it takes nothing but its subject. */
function optionsText([name, operation]: [string, Operation]): string {
  const fields = withoutSubject(operation);
  if (Object.keys(fields).length === 0) return '';
  // A schedule takes what `send` takes, without what belongs to one handoff alone.
  const inherited = name === 'addSchedule' ? OPERATIONS.send.input : null;
  const own = Object.entries(fields).filter(([key]) => inherited === null || !(key in inherited));
  const left = Object.keys(inherited ?? {}).filter((key) => !(key in fields));
  const base =
    inherited === null
      ? ' extends CallOptions'
      : `\n  extends Omit<${optionsName('send')}, ${left.map((key) => `'${key}'`).join(' | ')}>`;
  return [
    `/** What \`${name}\` takes. */`,
    `export interface ${optionsName(name)}${base} {`,
    ...membersOf(Object.fromEntries(own), '  '),
    '}',
    '',
  ].join('\n');
}

function withoutSubject({ input, subject }: Operation): Fields {
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== subject));
}

function membersOf(fields: Fields, indent: string): readonly string[] {
  return Object.entries(fields).flatMap(([key, field]) => [
    `${indent}/** ${aboutOf(field)} */`,
    `${indent}readonly ${key}${field.isRequired === true ? '' : '?'}: ${typeOf(field, indent)};`,
  ]);
}

function aboutOf(field: AnyField): string {
  const limits =
    field.type === 'integer' || field.type === 'number'
      ? ` From ${field.min}${field.max === Number.MAX_SAFE_INTEGER ? '' : ` to ${field.max}`}.`
      : field.type === 'duration'
        ? ' In milliseconds.'
        : '';
  const usual = field.default === undefined ? '' : ` @default ${JSON.stringify(field.default)}`;
  return `${field.about}${field.about.endsWith('…') ? '' : '.'}${limits}${usual}`;
}

function typeOf(field: AnyField, indent: string): string {
  switch (field.type) {
    case 'agent':
    case 'handoff':
    case 'artifact':
    case 'text':
    case 'cursor':
      return 'string';
    case 'flag':
      return 'boolean';
    case 'integer':
    case 'number':
    case 'duration':
      return 'number';
    case 'json':
      return 'Json';
    case 'object':
      return 'JsonObject';
    case 'instant':
      return 'Date | string';
    case 'choice':
      return field.of.map((each) => `'${each}'`).join(' | ');
    case 'list': {
      const of = typeOf(field.of, indent);
      return `readonly ${/[|{]/.test(of) ? `(${of})` : of}[]`;
    }
    case 'group': {
      const whole = ['{', ...membersOf(field.fields, `${indent}  `), `${indent}}`].join('\n');
      return field.text === undefined ? whole : `string | ${whole}`;
    }
  }
}

function methodsInterface(operations: readonly [string, Operation][]): string {
  const methods = operations.flatMap(([name, operation]) => [
    '  /**',
    `   * ${operation.summary}.${operation.about === undefined ? '' : ` ${operation.about}`}`,
    '   *',
    `   * The command: \`baton ${operation.example}\``,
    '   */',
    `  ${name}(${parametersOf(name, operation)}): Promise<${RESULT_TYPES[operation.result]}>;`,
  ]);
  return ['export interface Methods {', ...methods, '}', ''].join('\n');
}

function parametersOf(name: string, operation: Operation): string {
  const { subject, input } = operation;
  const isSubjectNeeded = subject !== undefined && input[subject]?.isRequired === true;
  const fields = Object.values(withoutSubject(operation));
  const areNeeded = fields.some((field) => field.isRequired === true);
  const options = `options${areNeeded ? '' : '?'}: ${fields.length === 0 ? 'CallOptions' : optionsName(name)}`;
  return subject === undefined ? options : `${subject}${isSubjectNeeded ? '' : '?'}: string, ${options}`;
}
