/**
 * Describes the values of a record. Import checks, published schemas and the field order of exports follow from one
 * description. A description that does not fit its TypeScript type does not compile.
 */

/** A description without its TypeScript type. */
export type Described = Kind & {
  readonly nullable?: true;
  readonly optional?: true;
  /** For people who read a published schema. */
  readonly about?: string;
};

type Kind =
  | { readonly type: 'text'; readonly min?: number; readonly max?: number; readonly rule?: Rule<string> }
  | { readonly type: 'agent' }
  | { readonly type: 'handoff-id' }
  /** A counter, within the range of both databases. */
  | { readonly type: 'count' }
  /** Milliseconds from 0 to the end of the year 9999: an instant or a duration. */
  | { readonly type: 'instant' }
  | { readonly type: 'milliseconds' }
  | { readonly type: 'integer' }
  | { readonly type: 'non-negative' }
  | { readonly type: 'one-of'; readonly values: readonly string[] }
  | { readonly type: 'list'; readonly of: Described }
  /** `open`: fields that are not described are kept. */
  | { readonly type: 'object'; readonly fields: DescribedFields; readonly open?: true; readonly rule?: Rule<object> }
  /** One object for each value of the field `tag`. */
  | { readonly type: 'variants'; readonly tag: string; readonly variants: Readonly<Record<string, DescribedVariant>> }
  /** Any JSON value; it must not be missing. */
  | { readonly type: 'json' }
  /** JSON as text, or an empty text. */
  | { readonly type: 'json-text' };

export type DescribedFields = Readonly<Record<string, Described>>;
type DescribedVariant = Extract<Kind, { readonly type: 'object' }>;

interface Rule<Value> {
  readonly says: string;
  holds(value: Value): boolean;
}

/** The description of a value of exactly this type. */
export type Shape<Value> = Described & { readonly describes?: (value: Value) => Value };

/** One description for every field; those that may be absent are `optional`. */
export type FieldShapes<Thing> = {
  readonly [Name in keyof Thing]-?: object extends Pick<Thing, Name>
    ? Shape<Exclude<Thing[Name], undefined>> & { readonly optional: true }
    : Shape<Thing[Name]>;
};

export function text<Value extends string = string>(
  limits: { readonly min?: number; readonly max?: number; readonly rule?: Rule<string> } = {},
): Shape<Value> {
  return { type: 'text', ...limits };
}

export function oneOf<Value extends string>(values: readonly Value[]): Shape<Value> {
  return { type: 'one-of', values };
}

export function list<Item>(of: Shape<Item>): Shape<readonly Item[]> {
  return { type: 'list', of: of as Described };
}

export function object<Thing extends object>(
  fields: FieldShapes<Thing>,
  more: { readonly open?: true; readonly rule?: Rule<Thing> } = {},
): Shape<Thing> & DescribedVariant {
  return { type: 'object', fields, ...(more as { readonly open?: true }) };
}

export function variants<Thing extends object, Tag extends keyof Thing & string>(
  tag: Tag,
  each: {
    readonly [Value in Thing[Tag] & string]: Shape<Omit<Extract<Thing, Readonly<Record<Tag, Value>>>, Tag>> &
      DescribedVariant;
  },
): Shape<Thing> {
  return { type: 'variants', tag, variants: each };
}

export function nullable<Value>(shape: Shape<Value>): Shape<Value | null> {
  return { ...(shape as Described), nullable: true };
}

export function optional<Value>(shape: Shape<Value>): Shape<Value> & { readonly optional: true } {
  return { ...shape, optional: true };
}

/**
 * Returns a function that copies a value with its fields in the order of the description, so that equal values have equal
 * JSON texts. Unknown fields stay, sorted by name: dropping them silently would be worse.
 */
export function orderFields(shape: Described): (value: unknown) => unknown {
  const copy = copyOf(shape);
  return (value) => (value === null || value === undefined ? value : copy(value));
}

function copyOf(shape: Described): (value: unknown) => unknown {
  switch (shape.type) {
    case 'list': {
      const item = orderFields(shape.of);
      return (value) => (Array.isArray(value) ? value.map(item) : value);
    }
    case 'object':
      return copyFields(shape.fields);
    case 'variants': {
      const copies = new Map(
        Object.entries(shape.variants).map(([tag, { fields }]) => [
          tag,
          copyFields({ [shape.tag]: { type: 'text' }, ...fields }),
        ]),
      );
      const unknown = copyFields({ [shape.tag]: { type: 'text' } });
      return (value) => (copies.get(String((value as Record<string, unknown>)[shape.tag])) ?? unknown)(value);
    }
    default:
      return (value) => value;
  }
}

function copyFields(fields: DescribedFields): (value: unknown) => unknown {
  const known = Object.entries(fields).map(([name, shape]) => ({ name, copy: orderFields(shape) }));
  const names = new Set(Object.keys(fields));
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const given = value as Readonly<Record<string, unknown>>;
    const made: Record<string, unknown> = {};
    let count = 0;
    for (const { name, copy } of known) {
      const part = given[name];
      if (part === undefined) continue;
      made[name] = copy(part);
      count += 1;
    }
    const all = Object.keys(given);
    if (all.length === count) return made;
    for (const name of all.filter((each) => !names.has(each)).toSorted()) made[name] = given[name];
    return made;
  };
}
