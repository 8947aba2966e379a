import { BatonError } from './baton-error.ts';

/** The database could not do it. `unchanged`: nothing has happened. `unknown`: it may or may not have. */
export class StoreFault extends BatonError {
  override readonly name: string = 'StoreFault';
  readonly code = 'fault';
  readonly outcome: 'unchanged' | 'unknown';

  constructor(says: string, outcome: 'unchanged' | 'unknown', options?: ErrorOptions) {
    super(says, options);
    this.outcome = outcome;
  }
}

/** The database is no longer the one that was opened. Trying again would serve a ghost: whoever hears this stops. */
export class StoreGone extends StoreFault {
  override readonly name = 'StoreGone';
}

/** A row that no version of this program writes. It is never shown as something else; others are not held up by it. */
export class UnreadableRecord extends StoreFault {
  override readonly name = 'UnreadableRecord';
  readonly id: string;
  readonly says: string;

  constructor(id: string, says: string, options?: ErrorOptions) {
    super(`${id} cannot be read from the database (${says}): baton doctor lists what is damaged`, 'unchanged', options);
    this.id = id;
    this.says = says;
  }
}

/** A place to continue from that this database cannot have given out. Asking again is useless. */
export class BadCursor extends StoreFault {
  override readonly name = 'BadCursor';

  constructor(cursor: string) {
    super(`${JSON.stringify(cursor.slice(0, SHOWN_MAX))} is not a cursor of this database`, 'unchanged');
  }
}

const SHOWN_MAX = 100;

/** Something that was brought from elsewhere cannot be: nothing of what came with it was written. */
export class InvalidCopy extends StoreFault {
  override readonly name = 'InvalidCopy';
  readonly id: string;
  readonly flaw: string;

  constructor(id: string, flaw: string) {
    super(`${id} cannot be restored: ${flaw}`, 'unchanged');
    this.id = id;
    this.flaw = flaw;
  }
}
