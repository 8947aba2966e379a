/** One change and the handoffs that follow from it: all are decided before any is written. */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { relayedOf } from '../relay-result.ts';
import { idOf, type Guard, type NewHandoff, type Relayed, type Target } from '../store.ts';
import { newestRecord, decideOver, type HandoffParts } from './change.ts';
import type { Inserter } from './insert.ts';
import type { Work } from './shared-commit.ts';

type Answer = Result<Relayed, Refusal>;

export function relayOf(
  parts: HandoffParts,
  inserter: Inserter,
): (target: Target, decide: Decide, newHandoffs: readonly NewHandoff[], guard: Guard) => Work<Answer> {
  return (target, decide, newHandoffs, { request }) =>
    () => {
      const now = parts.nowMs();
      const known = inserter.answered(request, now);
      if (known !== null) return () => (known.ok ? ok(relayedOf(known.value)) : known);
      const before = newestRecord(parts.reading, target);
      if (before === null) return () => err({ code: 'no-such-handoff', id: idOf(target) });
      const decided = decideOver(parts, before, decide, [], now);
      if (!decided.ok) return () => decided;
      const { handoff: changed } = decided.value;
      const opened = inserter.decideAll(newHandoffs, now, { before, changed });
      if (!opened.ok) return () => opened;
      return () => {
        const all = [changed, ...opened.value.map(({ handoff }) => handoff)];
        parts.writing.update(before, decided.value, now);
        inserter.write(newHandoffs, opened.value, now);
        inserter.keep(request, all, now);
        return ok(relayedOf(all));
      };
    };
}
