/** The database could not do it. `unchanged`: nothing has happened. `unknown`: it may or may not have. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  readonly outcome: 'unchanged' | 'unknown';

  constructor(says: string, outcome: 'unchanged' | 'unknown', options?: ErrorOptions) {
    super(says, options);
    this.outcome = outcome;
  }
}
