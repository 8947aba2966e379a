/** Whether a document can have come from one status to another: by any path through the one table of states. */
import { nextState, MOVES, STATES, type State } from '../../domain/lifecycle.ts';
import { STATUS_FOR, type Status } from '../../formats/document/vocabulary.ts';

/** Between two commits there may be several moves, so a path counts and not a step. */
export function isLegalPath(before: Status, now: Status): boolean {
  return before === now || statesCalled(before).some((state) => REACHED[state].some((to) => STATUS_FOR[to] === now));
}

export function nextWords(before: Status): readonly Status[] {
  const reached = statesCalled(before).flatMap((state) => REACHED[state].map((to) => STATUS_FOR[to]));
  return [...new Set(reached)].filter((status) => status !== before);
}

function statesCalled(status: Status): readonly State[] {
  return STATES.filter((state) => STATUS_FOR[state] === status);
}

const REACHED = Object.fromEntries(STATES.map((state) => [state, reachedFrom(state)])) as Record<
  State,
  readonly State[]
>;

function reachedFrom(state: State): readonly State[] {
  const found = new Set<State>();
  const look = (from: State): void => {
    for (const move of MOVES) {
      const to = nextState(from, move);
      if (to === undefined || found.has(to)) continue;
      found.add(to);
      look(to);
    }
  };
  look(state);
  return [...found];
}
