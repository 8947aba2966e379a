/** The schemas of export lines. Unknown fields are refused, because they would be lost silently. */
import * as z from 'zod';
import { zodFields, zodOf } from '../../formats/zod-shape.ts';
import { BODY } from '../../domain/body.ts';
import { FACT } from '../../domain/facts.ts';
import { HANDOFF } from '../../domain/handoff.ts';
import { OUTCOME } from '../../domain/outcome.ts';
import { exportedFields } from '../../domain/record-fields.ts';
import type { Described } from '../../domain/field-shapes.ts';

const Record = z.strictObject(zodFields(exportedFields(HANDOFF), 'stored'));

export const LineShape = z.strictObject({
  handoff: Record,
  body: zodOf(BODY as Described, 'stored'),
  outcome: zodOf(OUTCOME as Described, 'stored').nullable(),
  facts: z.array(z.strictObject(zodFields(exportedFields(FACT), 'stored'))),
  sha256: z.string(),
});

export function firstIssue({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'unknown'}`;
}

/** For a line with a valid checksum: only the fields that identify its handoff. */
export const HeadShape = z.object({ handoff: z.object(Record.pick({ id: true, revision: true, trail: true }).shape) });

export const HeaderShape = z.object({ baton: z.literal('export'), version: z.int(), exportedAt: z.string() });

export const FooterShape = z.strictObject({
  end: z.literal(true),
  count: z.int().min(0),
  schedules: z.int().min(1).optional(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
