/**
 * What an operation takes, as plain data. The command line, HTTP, the library and MCP derive their options, schemas,
 * types and help from these descriptions. No validator package is used: a command starts on every turn of an agent.
 */
import type { Json, JsonObject } from '../foundation/json.ts';
import type { AgentId, ArtifactId, HandoffId } from '../domain/names.ts';
import { WEEK_SECONDS } from '../domain/record-values.ts';

const TEXT_MAX = 500;
/** A purpose or a reason may be longer than a title. */
const LONG_TEXT_MAX = 20_000;
const LIST_MAX = 100;

type PlainType = 'agent' | 'handoff' | 'artifact' | 'flag' | 'json' | 'object' | 'instant';

export type FieldShape =
  | { readonly type: PlainType }
  | { readonly type: 'text'; readonly max: number; readonly mayBeEmpty?: true }
  | { readonly type: 'cursor' }
  | { readonly type: 'choice'; readonly of: readonly string[] }
  | { readonly type: 'integer' | 'number'; readonly min: number; readonly max: number }
  | Duration
  | { readonly type: 'list'; readonly of: AnyField; readonly max: number; readonly isDistinct?: true }
  | { readonly type: 'group'; readonly fields: Fields; readonly text?: TextForm };

/** Milliseconds inside and in the library (`leaseMs`), seconds for people and on the wire (`--lease`, `leaseSeconds`). */
interface Duration {
  readonly type: 'duration';
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** For interfaces that keep a connection open meanwhile. */
  readonly heldMaxSeconds?: number;
  readonly heldDefaultSeconds?: number;
}

/** One text for a whole group of fields, for interfaces without JSON. */
interface TextForm {
  /** `DELIVERABLE=KIND:VALUE, where …` */
  readonly form: string;
  /** Null: the text does not have this form. */
  read(text: string): Readonly<Record<string, unknown>> | null;
}

export interface FieldOptions {
  /** The name of its command-line option; default: the name of the field, without its unit. */
  readonly option?: string;
  /** Spellings that are still understood and no longer shown. */
  readonly formerly?: { readonly option?: string; readonly field?: string };
  /** Interfaces that know the caller by its token fill it in. */
  readonly byCaller?: true;
}

/** @public So that declarations can name it. */
export declare const types: unique symbol;

/** `Value` is what an operation gets, `Given` what users of the library write. */
export type Field<Value, Given = Value> = FieldShape &
  FieldOptions & {
    readonly about: string;
    readonly isRequired?: true;
    readonly default?: number | string;
    readonly [types]?: readonly [Value, Given];
  };
export type AnyField = Field<unknown>;
export type Fields = Readonly<Record<string, AnyField>>;

/** @public So that declarations can name it. */
export interface RequiredField {
  readonly isRequired: true;
}

type ValueOf<F> = F extends { readonly [types]?: readonly [infer Value, unknown] } ? Value : never;
type GivenOf<F> = F extends { readonly [types]?: readonly [unknown, infer Given] } ? Given : never;
type RequiredKeys<F> = { [Key in keyof F]: F[Key] extends RequiredField ? Key : never }[keyof F];
type PresentKeys<F> = {
  [Key in keyof F]: F[Key] extends RequiredField | { readonly default: number | string } ? Key : never;
}[keyof F];
type Flat<Thing> = { [Key in keyof Thing]: Thing[Key] };

/** What `run` gets. */
export type InputOf<F> = Flat<
  { readonly [Key in PresentKeys<F>]: ValueOf<F[Key]> } & {
    readonly [Key in Exclude<keyof F, PresentKeys<F>>]?: ValueOf<F[Key]>;
  }
>;

/** What users of the library write. */
export type GivenInput<F> = Flat<
  { readonly [Key in RequiredKeys<F>]: GivenOf<F[Key]> } & {
    readonly [Key in Exclude<keyof F, RequiredKeys<F>>]?: GivenOf<F[Key]>;
  }
>;

function field<Value, Given = Value>(shape: FieldShape, about: string, options: object): Field<Value, Given> {
  return { ...shape, about, ...options };
}

export function required<F extends AnyField>(described: F): F & RequiredField {
  return { ...described, isRequired: true };
}

export function withDefault<F extends AnyField, const Value extends number | string>(
  described: F,
  value: Value,
): F & { readonly default: Value } {
  return { ...described, default: value };
}

/** A field of a type without limits. */
function plain<Value, Given = Value>(type: PlainType) {
  return (about: string, options: FieldOptions = {}): Field<Value, Given> => field({ type }, about, options);
}

export const agent = plain<AgentId, string>('agent');
export const handoffId = plain<HandoffId, string>('handoff');
export const artifactId = plain<ArtifactId, string>('artifact');
export const flag = plain<boolean>('flag');
export const json = plain<Json>('json');
export const object = plain<JsonObject>('object');
/** Milliseconds since 1970 inside; a `Date` in the library, ISO 8601 with an offset elsewhere. */
export const instant = plain<number, Date | string>('instant');

export function text(
  about: string,
  options: FieldOptions & { readonly max?: number; readonly mayBeEmpty?: true } = {},
): Field<string> {
  return field({ type: 'text', max: TEXT_MAX }, about, options);
}

export function longText(about: string, options: FieldOptions & { readonly mayBeEmpty?: true } = {}): Field<string> {
  return field({ type: 'text', max: LONG_TEXT_MAX }, about, options);
}

/** The cursor of the next page, from an earlier answer. */
export function cursor(about: string): Field<string> {
  return field({ type: 'cursor' }, about, {});
}

export function choice<const Of extends readonly string[]>(
  of: Of,
  about: string,
  options: FieldOptions = {},
): Field<Of[number]> {
  return field({ type: 'choice', of }, about, options);
}

export function integer(min: number, max: number, about: string, options: FieldOptions = {}): Field<number> {
  return field({ type: 'integer', min, max }, about, options);
}

export function number(min: number, max: number, about: string, options: FieldOptions = {}): Field<number> {
  return field({ type: 'number', min, max }, about, options);
}

/** Its field is named after what it measures and ends in `Ms`. */
export function duration(
  limits: Partial<Omit<Duration, 'type'>>,
  about: string,
  options: FieldOptions = {},
): Field<number> {
  return field({ type: 'duration', minSeconds: 1, maxSeconds: WEEK_SECONDS, ...limits }, about, options);
}

export function list<Value, Given>(
  of: Field<Value, Given>,
  about: string,
  options: FieldOptions & { readonly isDistinct?: true } = {},
): Field<readonly Value[], readonly Given[]> {
  return field({ type: 'list', of: of as AnyField, max: LIST_MAX }, about, options);
}

export function group<const F extends Fields>(fields: F, about: string): Field<InputOf<F>, GivenInput<F>> {
  return field({ type: 'group', fields }, about, {});
}

export function groupOrText<const F extends Fields>(
  fields: F,
  textForm: TextForm,
  about: string,
): Field<InputOf<F>, GivenInput<F> | string> {
  return field({ type: 'group', fields, text: textForm }, about, {});
}

/** Every operation on what is held with a lease takes it. */
export const FENCE = integer(
  1,
  Number.MAX_SAFE_INTEGER,
  'The fence that claim or accept returned; required while the handoff is held with a lease',
);

/** The handoff that an operation is about. */
export const ID = required(handoffId('The handoff'));

export const REQUEST_ID = text(
  'An idempotency key: the same key with the same content returns the same handoff, for 7 days',
);

export const WAIT_FOR_CAPACITY = flag('At a limit, wait for capacity instead of being refused', {
  formerly: { option: 'queue', field: 'queue' },
});
