/** Which key was probably meant by one that the configuration does not have. */
import * as z from 'zod';
import { nearestName } from '../foundation/nearest-name.ts';

export function similarKey(shape: z.ZodType, path: readonly PropertyKey[], wrong: string): string | null {
  return nearestName(keysAt(shape, path), wrong);
}

function keysAt(shape: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = bare(shape);
  for (const name of path) {
    if (at instanceof z.ZodObject) at = bare((at.shape as Record<PropertyKey, unknown>)[name]);
    else at = at instanceof z.ZodRecord ? bare(at.valueType) : at instanceof z.ZodArray ? bare(at.element) : null;
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function bare(shape: unknown): unknown {
  return shape instanceof z.ZodOptional || shape instanceof z.ZodNullable ? bare(shape.unwrap()) : shape;
}
