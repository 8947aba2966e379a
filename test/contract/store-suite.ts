/** One conformance suite for every store: what it says here, the engine may rely on. */
import { describe } from 'vitest';
import { openerOf, type MakeStore } from './store-under-test.ts';
import { describeAgentSessions } from './suite/agent-sessions.ts';
import { describeBulk } from './suite/bulk.ts';
import { describeChange } from './suite/change.ts';
import { describeChains } from './suite/chains.ts';
import { describeClaim } from './suite/claim.ts';
import { describeClosing } from './suite/closing.ts';
import { describeDependencies } from './suite/dependencies.ts';
import { describeFacts } from './suite/facts.ts';
import { describeFind } from './suite/find.ts';
import { describeHandles } from './suite/handles.ts';
import { describeHints } from './suite/hints.ts';
import { describeInbox } from './suite/inbox.ts';
import { describeInsert } from './suite/insert.ts';
import { describeLikeness } from './suite/same-as-reference.ts';
import { describeLimits } from './suite/limits.ts';
import { describeOutbox } from './suite/outbox.ts';
import { describePauses } from './suite/pauses.ts';
import { describePolicies } from './suite/policies.ts';
import { describeRaces } from './suite/races.ts';
import { describeRelay } from './suite/relay.ts';
import { describeRequests } from './suite/requests.ts';
import { describeRoundTrip } from './suite/round-trip.ts';
import { describeSchedules } from './suite/schedules.ts';
import { describeSessions } from './suite/sessions.ts';
import { describeSoundness } from './suite/soundness.ts';
import { describeTokens } from './suite/tokens.ts';
import { describeTransfer } from './suite/transfer.ts';
import { describeUpkeep } from './suite/upkeep.ts';
import { describeValues } from './suite/values.ts';
import { describeVisibility } from './suite/visibility.ts';
import { describeRetention } from './suite/retention.ts';
import { describeRevise } from './suite/revise.ts';
import { describeWords } from './suite/text-search.ts';

/** The first ones are about how records are written; `describeStore` may be asked for only so many. */
const PARTS = [
  describeInsert,
  describeClaim,
  describeChange,
  describeLimits,
  describeRequests,
  describeDependencies,
  describeRelay,
  describeSoundness,
  describeValues,
  describeRoundTrip,
  describeFind,
  describeVisibility,
  describeRevise,
  describeWords,
  describeChains,
  describeFacts,
  describeHints,
  describeSessions,
  describeOutbox,
  describeInbox,
  describeTokens,
  describePauses,
  describePolicies,
  describeSchedules,
  describeAgentSessions,
  describeUpkeep,
  describeTransfer,
  describeRetention,
  describeRaces,
  describeBulk,
  describeHandles,
  describeClosing,
  describeLikeness,
];

export function describeStore(name: string, make: MakeStore, parts = PARTS.length): void {
  const open = openerOf(make);
  describe(`${name}`, () => {
    for (const describePart of PARTS.slice(0, parts)) describePart(open);
  });
}
