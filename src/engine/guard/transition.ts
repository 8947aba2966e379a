/** Whether a document can get from one status to another, by any path through the lifecycle. */
import { nextState, MOVES, STATES, type State } from '../../domain/lifecycle.ts';
import { STATUS_FOR, type Status } from '../../formats/document/vocabulary.ts';

/** Between two commits there may be several moves. */
export function isLegalPath(before: Status, now: Status): boolean {
  return before === now || statusesAfter(before).has(now);
}

export function nextWords(before: Status): readonly Status[] {
  return [...statusesAfter(before)].filter((status) => status !== before);
}

function statusesAfter(before: Status): ReadonlySet<Status> {
  const reached = new Set<State>();
  const visit = (from: State): void => {
    for (const move of MOVES) {
      const to = nextState(from, move);
      if (to === undefined || reached.has(to)) continue;
      reached.add(to);
      visit(to);
    }
  };
  for (const state of STATES) if (STATUS_FOR[state] === before) visit(state);
  return new Set([...reached].map((state) => STATUS_FOR[state]));
}
