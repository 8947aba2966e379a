/**
 * Describes the storage of each field of a record: whether it changes, and its columns. Stores, exports and views follow
 * from these descriptions.
 */
import type { Described, DescribedFields, Shape } from './field-shapes.ts';

interface RecordField<Value> {
  readonly shape: Shape<Value>;
  /** Set if a move may change the field; all others are fixed when the record is made. */
  readonly mutable?: true;
  /** Set if revising a draft may change the field. */
  readonly revised?: true;
  /**
   * The columns of the field. Null: it is stored by name in the column `extra`, which needs no migration. A field that is
   * queried, or that nearly every record has, should have a column.
   */
  readonly columns: readonly [string, ...string[]] | null;
  /** The value of nearly every record. It is not written to `extra`, and it is the value if nothing was written. */
  readonly defaultValue?: Value;
  /** Set for a field that an export omits because its line contains the value elsewhere. */
  readonly exported?: false;
}

export type RecordFields<Thing> = { readonly [Name in keyof Thing]-?: RecordField<Thing[Name]> };

interface AnyField {
  readonly name: string;
  readonly shape: Described;
  readonly columns: readonly [string, ...string[]] | null;
  readonly mutable: boolean;
  readonly revised: boolean;
  readonly defaultValue: unknown;
  readonly exported: boolean;
}

/** The fields in the order of their description. */
export function fieldsOf<Thing>(fields: RecordFields<Thing>): readonly AnyField[] {
  return Object.entries<RecordField<never>>(fields as never).map(([name, field]) => ({
    name,
    shape: field.shape as Described,
    columns: field.columns,
    mutable: field.mutable === true,
    revised: field.revised === true,
    defaultValue: field.defaultValue,
    exported: field.exported !== false,
  }));
}

/** The shapes of exported fields, in export order. A field without a column may be absent: older lines lack it. */
export function exportedFields<Thing>(fields: RecordFields<Thing>): DescribedFields {
  const exported = fieldsOf(fields).filter((field) => field.exported);
  return Object.fromEntries(
    exported.map(({ name, shape, columns }) => [name, columns === null ? { ...shape, optional: true } : shape]),
  );
}

/** Reads and writes all fields without columns. */
export interface Extra<Thing> {
  /** JSON text; null: all have their default values. */
  write(thing: Thing): string | null;
  /** Sets the fields in a record that is being read. */
  read(thing: Thing, text: string | null): void;
}

export function extraOf<Thing extends object>(fields: RecordFields<Thing>): Extra<Thing> {
  const extra = fieldsOf(fields).filter(({ columns }) => columns === null);
  if (extra.length === 0) return { write: () => null, read: () => undefined };
  return {
    write: (thing) => {
      const values = thing as Readonly<Record<string, unknown>>;
      let written: Record<string, unknown> | null = null;
      for (const { name, defaultValue } of extra) {
        if (values[name] === defaultValue || values[name] === undefined) continue;
        written ??= {};
        written[name] = values[name];
      }
      return written === null ? null : JSON.stringify(written);
    },
    read: (thing, text) => {
      const values = thing as Record<string, unknown>;
      const written = (text === null ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
      for (const { name, defaultValue } of extra)
        values[name] = Object.hasOwn(written, name) ? written[name] : defaultValue;
    },
  };
}
