/** The shape of a part of `baton.yaml`: every setting may be absent, and an unknown one is refused. */
import * as z from 'zod';

export function optionalFields<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<{ [Name in keyof Shape]: z.ZodOptional<Shape[Name]> }, z.core.$strict> {
  return z.strictObject(shape).partial();
}
