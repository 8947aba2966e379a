/** Fields as JSON Schema, in the spelling of JSON bodies: for HTTP and for MCP. */
import type { AnyField, Fields, FieldShape } from './field.ts';
import { AS_JSON, inSeconds } from './reading.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** `without`: fields that are said elsewhere, such as those in the path. */
export function jsonSchemaOf(fields: Fields, without: readonly string[] = []): JsonSchema {
  const taken = Object.entries(fields).filter(([key]) => !without.includes(key));
  const properties = taken.flatMap(([key, field]): readonly (readonly [string, JsonSchema])[] => {
    const schema = { ...fieldSchema(field), description: `${field.about}.` };
    const former = field.formerly?.field;
    const own = [inSeconds(key, field), schema] as const;
    return former === undefined ? [own] : [own, [former, { ...schema, deprecated: true }]];
  });
  const required = taken
    .filter(([, field]) => field.isRequired === true && field.byCaller !== true)
    .map(([key, field]) => AS_JSON.nameOf(key, field));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function fieldSchema(field: AnyField): JsonSchema {
  const schema = shapeSchema(field);
  return field.default === undefined ? schema : { ...schema, default: field.default };
}

function shapeSchema(shape: FieldShape): JsonSchema {
  switch (shape.type) {
    case 'agent':
      return { type: 'string', minLength: 1, maxLength: 65 };
    case 'handoff':
    case 'artifact':
      return { type: 'string', minLength: 1, maxLength: 128 };
    case 'text':
      return { type: 'string', minLength: shape.mayBeEmpty === true ? 0 : 1, maxLength: shape.max };
    case 'cursor':
      return { type: 'string', pattern: '^[A-Za-z0-9:_.-]{1,100}$' };
    case 'choice':
      return { type: 'string', enum: shape.of };
    case 'integer':
    case 'number':
      return { type: shape.type, minimum: shape.min, maximum: shape.max };
    case 'duration':
      return { type: 'number', minimum: shape.minSeconds, maximum: shape.heldMaxSeconds ?? shape.maxSeconds };
    case 'instant':
      return { type: 'string', format: 'date-time' };
    case 'flag':
      return { type: 'boolean' };
    case 'object':
      return { type: 'object' };
    case 'json':
      return {};
    case 'list': {
      const { of, max, isDistinct } = shape;
      return {
        type: 'array',
        items: fieldSchema(of),
        maxItems: max,
        ...(isDistinct === true ? { uniqueItems: true } : {}),
      };
    }
    case 'group': {
      const schema = jsonSchemaOf(shape.fields);
      return shape.text === undefined ? schema : { anyOf: [schema, { type: 'string', description: shape.text.form }] };
    }
  }
}
