import * as z from 'zod';

/** A shape as a JSON Schema of `schemas/`. */
export function publishedSchema(shape: z.ZodType, title: string): object {
  return { ...z.toJSONSchema(shape, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' }), title };
}
