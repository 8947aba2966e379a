/** Arbitrary values of a description: a field or an evidence kind that is added is tried out without another word. */
import fc from 'fast-check';
import { INSTANT_MAX } from '../../src/domain/record-values.ts';
import type { Described, DescribedFields, Shape } from '../../src/domain/field-shapes.ts';

export interface Leaves {
  readonly text: fc.Arbitrary<string>;
  readonly agent: fc.Arbitrary<string>;
  readonly id: fc.Arbitrary<string>;
}

const LIST_MAX = 4;

export function arbitraryOf<Value>(shape: Shape<Value>, leaves: Leaves): fc.Arbitrary<Value> {
  return anyOf(shape, leaves) as fc.Arbitrary<Value>;
}

function anyOf(shape: Described, leaves: Leaves): fc.Arbitrary<unknown> {
  const plain = plainOf(shape, leaves);
  return shape.nullable === true ? fc.option(plain, { nil: null }) : plain;
}

function plainOf(shape: Described, leaves: Leaves): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'text': {
      const { min = 0, max = Infinity, rule } = shape;
      return leaves.text.filter((text) => text.length >= min && text.length <= max && rule?.holds(text) !== false);
    }
    case 'agent':
      return leaves.agent;
    case 'handoff-id':
      return leaves.id;
    case 'count':
      return fc.nat({ max: 1_000_000 });
    case 'instant':
    case 'milliseconds':
      return fc.integer({ min: 0, max: INSTANT_MAX });
    case 'integer':
      return fc.maxSafeInteger();
    case 'non-negative':
      return fc.double({ min: 0, max: 1000, noNaN: true });
    case 'one-of':
      return fc.constantFrom(...shape.values);
    case 'list':
      return fc.uniqueArray(anyOf(shape.of, leaves), { maxLength: LIST_MAX, selector: (item) => JSON.stringify(item) });
    case 'object':
      return objectOf(shape.fields, {}, leaves, shape.rule?.holds);
    case 'variants':
      return fc.oneof(
        ...Object.entries(shape.variants).map(([tag, { fields, rule }]) =>
          objectOf(fields, { [shape.tag]: fc.constant(tag) }, leaves, rule?.holds),
        ),
      );
    case 'json':
      return anyJson(leaves);
    case 'json-text':
      return anyJson(leaves).map((value) => JSON.stringify(value));
  }
}

function objectOf(
  fields: DescribedFields,
  tag: Record<string, fc.Arbitrary<unknown>>,
  leaves: Leaves,
  holds: ((value: object) => boolean) | undefined,
): fc.Arbitrary<unknown> {
  const names = Object.keys(fields);
  const parts = Object.fromEntries(names.map((name) => [name, anyOf(fields[name] as Described, leaves)]));
  const requiredKeys = [...Object.keys(tag), ...names.filter((name) => fields[name]?.optional !== true)];
  const made = fc.record({ ...tag, ...parts }, { requiredKeys, noNullPrototype: true });
  return holds === undefined ? made : made.filter(holds);
}

function anyJson({ text }: Leaves): fc.Arbitrary<unknown> {
  const key = text.filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name));
  const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
  return fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 3 }),
    fc.dictionary(key, leaf, { maxKeys: 3, noNullPrototype: true }),
  );
}
