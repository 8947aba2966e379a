/**
 * The table of states and moves. Documentation, SQL checks, format vocabularies and tests are made from it or compared
 * with it.
 *
 * Two things look like states and are not: waiting for a retry is `offered` with a later `notBefore`, and the archive is a
 * place. Sending work back has two moves: `rework` returns it to its holder, `reoffer` offers it again if the holder is
 * gone. `revise` changes a draft and leaves it a draft. `verify` is a verifier's decision; `complete` is the move if no
 * verifier is required.
 */
export const LIFECYCLE = {
  draft: { offer: 'offered', expire: 'expired', cancel: 'cancelled', revise: 'draft' },
  offered: {
    accept: 'accepted',
    reject: 'rejected',
    block: 'blocked',
    fail: 'failed',
    expire: 'expired',
    cancel: 'cancelled',
  },
  blocked: { unblock: 'offered', fail: 'failed', expire: 'expired', cancel: 'cancelled' },
  accepted: {
    deliver: 'delivered',
    block: 'blocked',
    retry: 'offered',
    release: 'offered',
    fail: 'failed',
    reject: 'rejected',
    cancel: 'cancelled',
  },
  delivered: {
    verify: 'completed',
    rework: 'accepted',
    reoffer: 'offered',
    complete: 'completed',
    reject: 'rejected',
    fail: 'failed',
    expire: 'expired',
    cancel: 'cancelled',
  },
  completed: {},
  failed: {},
  rejected: {},
  expired: {},
  cancelled: {},
} as const satisfies Record<string, Record<string, string>>;

export type State = keyof typeof LIFECYCLE;
export type Move = { [S in State]: keyof (typeof LIFECYCLE)[S] }[State];

/** In the order of the table. */
export const STATES = Object.keys(LIFECYCLE) as readonly State[];

/** In order of first appearance. */
export const MOVES = [...new Set(STATES.flatMap((state) => Object.keys(LIFECYCLE[state])))] as readonly Move[];

/** The annotation is a check too: a row with an unknown state does not compile. */
export function nextState(state: State, move: Move): State | undefined {
  const row: Partial<Record<Move, State>> = LIFECYCLE[state];
  return row[move];
}

const FINAL: ReadonlySet<State> = new Set(STATES.filter((state) => Object.keys(LIFECYCLE[state]).length === 0));

export function isFinal(state: State): boolean {
  return FINAL.has(state);
}

export const OPEN_STATES: readonly State[] = STATES.filter((state) => !isFinal(state));
export const FINAL_STATES: readonly State[] = STATES.filter(isFinal);
