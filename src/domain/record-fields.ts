/**
 * Describes each field of a stored record besides its type: whether it changes, and where a database keeps it.
 * Stores, exports and views follow from these descriptions.
 */
import type { Described, DescribedFields, Shape } from './field-shapes.ts';

interface RecordField<Value> {
  readonly shape: Shape<Value>;
  /** Set for what a move may change; everything else is fixed when the record is made. */
  readonly changes?: true;
  /** Set for what is fixed only once it is on offer: revising a draft changes it. */
  readonly revised?: true;
  /**
   * The columns that hold the field. Null: it has none of its own and stands under its name in the column `extra`, which
   * needs no migration. A field that is searched for, or that nearly every record has, is worth a column.
   */
  readonly columns: readonly [string, ...string[]] | null;
  /** The value that nearly every record has. It is not written, and it is read where nothing was written. */
  readonly usual?: Value;
  /** Set for what an export leaves out because its line says it elsewhere. */
  readonly exported?: false;
}

export type RecordFields<Thing> = { readonly [Name in keyof Thing]-?: RecordField<Thing[Name]> };

interface AnyField {
  readonly name: string;
  readonly shape: Described;
  readonly columns: readonly [string, ...string[]] | null;
  readonly changes: boolean;
  readonly revised: boolean;
  readonly usual: unknown;
  readonly exported: boolean;
}

/** The fields in the order of their description. */
export function fieldsOf<Thing>(fields: RecordFields<Thing>): readonly AnyField[] {
  return Object.entries<RecordField<never>>(fields as never).map(([name, field]) => ({
    name,
    shape: field.shape as Described,
    columns: field.columns,
    changes: field.changes === true,
    revised: field.revised === true,
    usual: field.usual,
    exported: field.exported !== false,
  }));
}

/** The shapes of what an export writes, in its order. A field without a column may be absent: older lines lack it. */
export function exportedFields<Thing>(fields: RecordFields<Thing>): DescribedFields {
  const exported = fieldsOf(fields).filter((field) => field.exported);
  return Object.fromEntries(
    exported.map(({ name, shape, columns }) => [name, columns === null ? { ...shape, optional: true } : shape]),
  );
}

/** What all fields without columns hold together. */
export interface Extra<Thing> {
  /** As JSON text; null: each of them has its usual value. */
  write(thing: Thing): string | null;
  /** Sets them in a thing that is being read. */
  read(thing: Thing, text: string | null): void;
}

export function extraOf<Thing extends object>(fields: RecordFields<Thing>): Extra<Thing> {
  const extra = fieldsOf(fields).filter(({ columns }) => columns === null);
  if (extra.length === 0) return { write: () => null, read: () => undefined };
  return {
    write: (thing) => {
      const values = thing as Readonly<Record<string, unknown>>;
      let written: Record<string, unknown> | null = null;
      for (const { name, usual } of extra) {
        if (values[name] === usual || values[name] === undefined) continue;
        written ??= {};
        written[name] = values[name];
      }
      return written === null ? null : JSON.stringify(written);
    },
    read: (thing, text) => {
      const values = thing as Record<string, unknown>;
      const written = (text === null ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
      for (const { name, usual } of extra) values[name] = Object.hasOwn(written, name) ? written[name] : usual;
    },
  };
}
