import type { HandoffView } from '../shared/views.ts';
import type { Baton } from './baton.ts';
import type { SentHandoff, TypedHandoff, WaitOptions } from './results.ts';
import type { Json } from '../../foundation/json.ts';

type Methods = Pick<Baton, 'wait' | 'cancel' | 'facts'>;

/** Its methods are on the prototype: as JSON and in comparisons it is the plain view. */
class Sent {
  readonly #baton: Methods;

  constructor(view: HandoffView, baton: Methods) {
    this.#baton = baton;
    Object.assign(this, view);
  }

  wait(options?: WaitOptions): Promise<TypedHandoff> {
    return this.#baton.wait(this.#view.id, options);
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

export function sentHandoff(view: HandoffView, baton: Methods): SentHandoff<Json> {
  return new Sent(view, baton) as unknown as SentHandoff<Json>;
}
