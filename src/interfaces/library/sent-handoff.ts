import type { HandoffView } from '../shared/views.ts';
import type { Baton } from './baton.ts';
import type { SentHandoff, TypedHandoff, WaitOptions } from './results.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { Json } from '../../foundation/json.ts';

type Methods = Pick<Baton, 'wait' | 'cancel' | 'facts'>;

/** The methods are on the prototype, so that JSON and comparisons see the plain view. */
class Sent {
  readonly #baton: Methods;
  readonly #output: StandardSchema<Json> | undefined;

  constructor(view: HandoffView, baton: Methods, output?: StandardSchema<Json>) {
    this.#baton = baton;
    this.#output = output;
    Object.assign(this, view);
  }

  wait(options: WaitOptions = {}): Promise<TypedHandoff> {
    const schema = this.#output === undefined ? {} : { resultSchema: this.#output };
    return this.#baton.wait(this.#view.id, { ...schema, ...options });
  }

  async result(options?: WaitOptions): Promise<Json> {
    return (await this.wait(options)).result ?? null;
  }

  cancel({ reason }: { readonly reason?: string } = {}): Promise<HandoffView> {
    return this.#baton.cancel(this.#view.id, { as: this.#view.from, ...(reason === undefined ? {} : { reason }) });
  }

  facts(): ReturnType<Methods['facts']> {
    return this.#baton.facts(this.#view.id);
  }

  get #view(): HandoffView {
    return this as unknown as HandoffView;
  }
}

export function sentHandoff<Output = Json>(
  view: HandoffView,
  baton: Methods,
  output?: StandardSchema<Output>,
): SentHandoff<Output> {
  return new Sent(view, baton, output as StandardSchema<Json> | undefined) as unknown as SentHandoff<Output>;
}
