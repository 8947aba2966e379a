import { BatonError } from './baton-error.ts';

/** A database operation failed. `unchanged`: nothing was written. `unknown`: it may have been written. */
export class StoreFault extends BatonError {
  override readonly name: string = 'StoreFault';
  readonly code = 'fault';
  readonly outcome: 'unchanged' | 'unknown';

  constructor(says: string, outcome: 'unchanged' | 'unknown', options?: ErrorOptions) {
    super(says, options);
    this.outcome = outcome;
  }
}

/** The database is no longer the one that was opened. Retrying is useless: the caller has to stop. */
export class StoreGone extends StoreFault {
  override readonly name = 'StoreGone';
}

/** A row that no version of Baton writes. It is reported, and does not block other rows. */
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

/** A cursor that this database did not issue. Retrying is useless. */
export class BadCursor extends StoreFault {
  override readonly name = 'BadCursor';

  constructor(cursor: string) {
    super(`${JSON.stringify(cursor.slice(0, SHOWN_MAX))} is not a cursor of this database`, 'unchanged');
  }
}

const SHOWN_MAX = 100;

/** An imported or restored record is impossible. Nothing of its batch was written. */
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
