/** One change and what follows from it: both are decided before either is written. */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { relayedOf } from '../relay-result.ts';
import { idOf, type Guard, type Opening, type Relayed, type Target } from '../store.ts';
import { atHand, decideOver, type HandoffParts } from './change.ts';
import type { Inserting } from './insert.ts';
import type { Work } from './shared-commit.ts';

type Answer = Result<Relayed, Refusal>;

export function relayOf(
  parts: HandoffParts,
  inserting: Inserting,
): (target: Target, decide: Decide, openings: readonly Opening[], guard: Guard) => Work<Answer> {
  return (target, decide, openings, { request }) =>
    () => {
      const now = parts.nowMs();
      const known = inserting.answered(request, now);
      if (known !== null) return () => (known.ok ? ok(relayedOf(known.value)) : known);
      const before = atHand(parts.reading, target);
      if (before === null) return () => err({ code: 'no-such-handoff', id: idOf(target) });
      const decided = decideOver(parts, before, decide, [], now);
      if (!decided.ok) return () => decided;
      const { handoff: changed } = decided.value;
      const opened = inserting.decideAll(openings, now, { before, changed });
      if (!opened.ok) return () => opened;
      return () => {
        const all = [changed, ...opened.value.map(({ handoff }) => handoff)];
        parts.writing.update(before, decided.value, now);
        inserting.write(openings, opened.value, now);
        inserting.keep(request, all, now);
        return ok(relayedOf(all));
      };
    };
}
