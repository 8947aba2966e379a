/** Makes zod schemas from the descriptions of the record: in stored form, or as shown to clients. */
import * as z from 'zod';
import { readAgentId, readHandoffId } from '../domain/names.ts';
import { INSTANT_MAX } from '../domain/record-values.ts';
import type { Described, DescribedFields } from '../domain/field-shapes.ts';

/** `shown`: agents have their `@`, and instants are dates. */
export type Form = 'stored' | 'shown';

const Id = z.string().refine((text) => readHandoffId(text) === text, 'not the id of a handoff');
const Agent = z.string().refine((text) => readAgentId(text) === text, 'not the name of an agent');
const Milliseconds = z.int().min(0).max(INSTANT_MAX);
const Given = z.unknown().refine((value) => value !== undefined, 'missing');
const JsonText = z.string().refine((text) => text === '' || isJson(text), 'neither empty nor JSON');

export function zodOf(shape: Described, form: Form): z.ZodType {
  const given = plainShape(shape, form);
  const nullable = shape.nullable === true ? given.nullable() : given;
  const optional = shape.optional === true ? nullable.optional() : nullable;
  return shape.about === undefined ? optional : optional.describe(shape.about);
}

export function zodFields(fields: DescribedFields, form: Form): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, zodOf(shape, form)]));
}

function plainShape(shape: Described, form: Form): z.ZodType {
  const isShown = form === 'shown';
  switch (shape.type) {
    case 'text':
      return textShape(shape);
    case 'agent':
      return isShown ? z.string().regex(/^@/) : Agent;
    case 'handoff-id':
      return isShown ? z.string() : Id;
    case 'count':
      return isShown ? z.int() : z.int32().min(0);
    case 'instant':
      return isShown ? z.iso.datetime() : Milliseconds;
    case 'milliseconds':
      return Milliseconds;
    case 'integer':
      return z.int();
    case 'non-negative':
      return z.number().min(0);
    case 'one-of':
      return z.enum(shape.values as [string, ...string[]]);
    case 'list':
      return z.array(zodOf(shape.of, form));
    case 'object':
      return objectShape(shape, {}, form);
    case 'variants': {
      const each = Object.entries(shape.variants).map(([value, variant]) =>
        objectShape(variant, { [shape.tag]: z.literal(value) }, form),
      );
      return z.discriminatedUnion(shape.tag, each as [z.ZodObject, ...z.ZodObject[]]);
    }
    case 'json':
      return isShown ? z.unknown() : Given;
    case 'json-text':
      return isShown ? z.unknown() : JsonText;
  }
}

function textShape({ min = 0, max, rule }: Extract<Described, { type: 'text' }>): z.ZodType {
  const least = min === 0 ? z.string() : z.string().min(min);
  const bounded = max === undefined ? least : least.max(max);
  return rule === undefined ? bounded : bounded.refine((text) => rule.holds(text), rule.says);
}

function objectShape(
  { fields, open, rule }: Pick<Extract<Described, { type: 'object' }>, 'fields' | 'open' | 'rule'>,
  tag: Record<string, z.ZodType>,
  form: Form,
): z.ZodObject {
  const all = { ...tag, ...zodFields(fields, form) };
  const made = open === true ? z.looseObject(all) : z.strictObject(all);
  return rule === undefined ? made : made.refine((value) => rule.holds(value), rule.says);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
