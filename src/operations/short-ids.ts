/** Short ids (`shortIdOf`) are accepted wherever an operation takes the id of a handoff. */
import { err, ok, type Result } from '../foundation/result.ts';
import type { Principal } from '../domain/principal.ts';
import type { Context } from '../engine/context.ts';
import { wholeIdOf, type AmbiguousId } from '../engine/handoffs/short-id.ts';
import type { HandoffId } from '../domain/names.ts';
import type { AnyField, Fields, InputOf } from './field.ts';

/** The same input with whole ids. */
export async function withFullIds<F extends Fields>(
  fields: F,
  input: InputOf<F>,
  ctx: Context,
  principal: Principal,
): Promise<Result<InputOf<F>, AmbiguousId>> {
  const given = input as Readonly<Record<string, unknown>>;
  const changed: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(fields)) {
    if (given[key] === undefined || !isHandoffField(field)) continue;
    const ids = (field.type === 'list' ? given[key] : [given[key]]) as readonly HandoffId[];
    const whole: HandoffId[] = [];
    for (const id of ids) {
      const found = await wholeIdOf(ctx, principal, id);
      if (!found.ok) return err(found.refusal);
      whole.push(found.value);
    }
    if (whole.some((id, at) => id !== ids[at])) changed[key] = field.type === 'list' ? whole : whole[0];
  }
  return ok(Object.keys(changed).length === 0 ? input : ({ ...given, ...changed } as InputOf<F>));
}

function isHandoffField(field: AnyField): boolean {
  return field.type === 'handoff' || (field.type === 'list' && field.of.type === 'handoff');
}
