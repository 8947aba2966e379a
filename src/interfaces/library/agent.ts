import type { Json } from '../../foundation/json.ts';
import type { StandardSchema } from './standard-schema.ts';

/** An agent with the types of its input and result. `send` and `work` use the types and check the values. */
export interface TypedAgent<Input = Json, Output = Json> {
  /** With or without `@`. */
  readonly name: string;
  /** A schema of your validator, or the name of a JSON Schema in `schemas/` of the workspace (`order` for `order.schema.json`). */
  readonly input?: StandardSchema<Input> | string;
  /** The same for the result. */
  readonly output?: StandardSchema<Output> | string;
}

/**
 * Describes an agent by schemas of zod, valibot, arktype or whatever else speaks Standard Schema, or by JSON Schemas of the
 * workspace. The latter have no types: `agent<Order, Receipt>('@shop', { input: 'order', output: 'receipt' })` gives them.
 *
 * @example
 * const shop = agent('@shop', { input: z.object({ order: z.number() }), output: z.object({ shipped: z.boolean() }) });
 * baton.work(shop, async ({ input }) => ({ shipped: await ship(input.order) }));
 * const sent = await baton.send(shop, { from: '@me', input: { order: 1 } });
 * const { shipped } = await sent.result({ timeoutMs: 60_000 });
 */
export function agent<Input = Json, Output = Json>(
  name: string,
  schemas: Omit<TypedAgent<Input, Output>, 'name'> = {},
): TypedAgent<Input, Output> {
  return { name, ...schemas };
}
