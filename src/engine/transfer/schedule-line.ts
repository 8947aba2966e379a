/** A schedule as one line of an export: its request, its next occurrence, and the result of the last one. */
import * as z from 'zod';
import type { JsonText } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { HANDOFF, KINDS, SENDER_FIELDS } from '../../domain/handoff.ts';
import { MISSED, SCHEDULE_NAME, SCHEDULE_NAME_RULE } from '../../domain/schedule.ts';
import type { Described } from '../../domain/field-shapes.ts';
import { issueText } from '../../formats/issue-text.ts';
import { zodFields, zodOf } from '../../formats/zod-shape.ts';
import type { ScheduleRecord, Store } from '../../stores/store.ts';
import { firstIssue } from './line-shape.ts';
import { withChecksum, type WrittenLine } from './write-line.ts';

const PAGE = 200;

const Agent = zodOf({ type: 'agent' }, 'stored');
const Instant = zodOf({ type: 'instant' }, 'stored');
const { fields: termFields } = HANDOFF.terms.shape as Extract<Described, { type: 'object' }>;
const senderShapes = Object.fromEntries(
  SENDER_FIELDS.map((name): [string, Described] => [name, { ...(HANDOFF[name].shape as Described), optional: true }]),
);

const ScheduleShape = z.strictObject({
  schedule: z.strictObject({
    name: z.string().regex(SCHEDULE_NAME, { message: SCHEDULE_NAME_RULE }),
    recurrence: z.union([
      z.strictObject({ everyMs: z.int().min(1) }),
      z.strictObject({ cron: z.string(), zone: z.string() }),
    ]),
    missed: z.enum(MISSED),
    by: z.string(),
    createdAt: Instant,
    from: Agent,
    to: Agent,
    request: z.strictObject({
      from: Agent,
      to: Agent,
      input: z.unknown(),
      schema: z.string().optional(),
      context: z.looseObject({}).optional(),
      outputSchema: z.string().optional(),
      ...zodFields(senderShapes, 'stored'),
      kind: z.enum(KINDS).optional(),
      draft: z.boolean().optional(),
      terms: z.strictObject(zodFields(termFields, 'stored')).partial().optional(),
    }),
    nextAt: Instant.nullable(),
    last: z.strictObject({ at: Instant, handoff: z.string().optional(), refused: z.string().optional() }).nullable(),
  }),
  sha256: z.string(),
});

export async function allSchedules({ schedules }: Pick<Store, 'schedules'>): Promise<readonly ScheduleRecord[]> {
  const all: ScheduleRecord[] = [];
  for (;;) {
    const after = all.at(-1)?.id;
    const page = await schedules.list(PAGE, ...(after === undefined ? [] : [after]));
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

export function writeScheduleLine({ spec, nextAt, last }: ScheduleRecord): WrittenLine {
  const known = { nextAt, last: last === null ? null : (JSON.parse(last) as object) };
  return withChecksum(JSON.stringify({ schedule: { ...(JSON.parse(spec) as object), ...known } }));
}

/** `text`: the line without its checksum, which was checked. */
export function readSchedule(value: unknown, text: string): Result<ScheduleRecord, string> {
  const read = ScheduleShape.safeParse(value, { error: issueText });
  if (!read.success) return err(firstIssue(read.error));
  const { schedule: said } = value as { readonly schedule: Readonly<Record<string, unknown>> };
  if (JSON.stringify({ schedule: said }) !== text) return err('not in the form in which Baton writes it');
  const { nextAt, last, ...spec } = said;
  return ok({
    id: read.data.schedule.name,
    nextAt: nextAt as number | null,
    spec: JSON.stringify(spec) as JsonText,
    last: last === null ? null : (JSON.stringify(last) as JsonText),
  });
}

/** `different`: another schedule of this name is stored, and is kept. One with later occurrences is `same`. */
export async function restoreSchedule(
  { schedules }: { readonly schedules: Pick<Store['schedules'], 'add' | 'load'> },
  record: ScheduleRecord,
): Promise<'added' | 'same' | 'different'> {
  if (await schedules.add(record)) return 'added';
  return (await schedules.load(record.id))?.spec === record.spec ? 'same' : 'different';
}
