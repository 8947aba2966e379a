/** The errors of the library: one class for each reaction of a caller. */
import { BatonError } from '../../foundation/baton-error.ts';
import type { WholeView } from '../shared/views.ts';
import type { ProblemCode } from '../shared/problems.ts';

/** Baton refused. Nothing was changed; `code` says why, and `details` holds what belongs to it. */
export class BatonRefusal extends BatonError {
  override readonly name: string = 'BatonRefusal';
  readonly code: ProblemCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The awaited handoff ended in another state than `completed`. */
export class HandoffNotCompleted extends BatonError {
  override readonly name = 'HandoffNotCompleted';
  /** The handoff with its failure. */
  readonly handoff: WholeView;
  /** The code of the failure, such as `PROCESSING_ERROR`; without a failure, the state. */
  readonly code: string;

  constructor(handoff: WholeView) {
    const { id, state, failure } = handoff;
    super(`${id} ${state}${failure === undefined ? '' : `: ${failure.code}: ${failure.message}`}`);
    this.handoff = handoff;
    this.code = failure?.code ?? state.toUpperCase();
  }
}

/** The time was up before the handoff was settled. */
export class BatonTimeout extends BatonError {
  override readonly name = 'BatonTimeout';
  readonly code = 'timed-out';
}
