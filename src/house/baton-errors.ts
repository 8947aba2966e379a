/** What the library throws: one class per way in which a caller goes on. */
import type { WholeView } from '../faces/shared/views.ts';
import type { ProblemCode } from '../faces/shared/problems.ts';

/** The house said no. Nothing was changed; `code` says why, and `details` holds what belongs to it. */
export class BatonRefusal extends Error {
  override readonly name: string = 'BatonRefusal';
  readonly code: ProblemCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** It was waited for, and it ended in another way than done. */
export class HandoffNotCompleted extends Error {
  override readonly name = 'HandoffNotCompleted';
  /** As it ended, with its failure. */
  readonly handoff: WholeView;
  /** The code of the failure, such as `PROCESSING_ERROR`; where there is none, the state. */
  readonly code: string;

  constructor(handoff: WholeView) {
    const { id, state, failure } = handoff;
    super(`${id} ${state}${failure === undefined ? '' : `: ${failure.code}: ${failure.message}`}`);
    this.handoff = handoff;
    this.code = failure?.code ?? state.toUpperCase();
  }
}

/** Time was up before anything happened. */
export class BatonTimeout extends Error {
  override readonly name = 'BatonTimeout';
}
