/** Record ↔ row. What equals the default is stored as null, which is what nearly every row has. */
import { present } from '../../foundation/assert.ts';
import { dueAtOf } from '../../domain/deadlines.ts';
import { KINDS, NO_LINEAGE, type Custody, type Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { PRIORITIES, rankOf } from '../../domain/priority.ts';
import { DEFAULT_TERMS } from '../../domain/terms.ts';
import type { Row, Value } from './binding.ts';
import type { Names } from './names.ts';
import { BLOCKED_REASONS, stateNumber, stateOfNumber } from '../numbers.ts';
import {
  readBlockedOn,
  readClaims,
  readHolding,
  readLineage,
  readTerms,
  soundRow,
  writeLineage,
  writeStateText,
  writeTerms,
} from '../written-parts.ts';

/** What never changes, in the order in which `fixedValues` answers. */
export const FIXED_COLUMNS = 'id, kind, sender, recipient, priority, title, task, lineage, terms, created_at' as const;
/** What moves change, in the order in which `changingValues` answers. */
export const CHANGING_COLUMNS =
  'revision, state, since, offered_at, not_before, rank, ready, due_at, attempt, excused, fence, session, holder, ' +
  'until_at, blocked, question, claims, trail';
/** For reading, in the order in which `readRow` expects them. */
export const ROW_COLUMNS =
  'n, id, kind, sender, recipient, priority, title, task, lineage, terms, created_at, revision, state, since, ' +
  'offered_at, not_before, attempt, excused, fence, session, holder, until_at, blocked, question, claims, trail';

export function fixedValues(handoff: Handoff, names: Names): Value[] {
  return [
    handoff.id,
    KINDS.indexOf(handoff.kind),
    names.agentNumber(handoff.from),
    names.agentNumber(handoff.to),
    PRIORITIES.indexOf(handoff.priority),
    handoff.title,
    handoff.task,
    writeLineage(handoff.lineage),
    writeTerms(handoff.kind, handoff.terms),
    handoff.createdAt,
  ];
}

export function changingValues(handoff: Handoff, nowMs: number, names: Names): Value[] {
  const { custody, blockedOn } = handoff;
  return [
    handoff.revision,
    stateNumber(handoff.state),
    handoff.since,
    handoff.offeredAt,
    handoff.notBefore,
    rankOf(handoff.offeredAt, handoff.priority),
    handoff.state === 'offered' && handoff.notBefore <= nowMs ? 1 : 0,
    dueAtOf(handoff),
    handoff.attempt,
    handoff.excused,
    handoff.fence,
    custody?.by === 'process' ? names.sessionNumber(custody.session) : null,
    custody === null ? null : names.agentNumber(custody.holder),
    custody?.by === 'hand' ? custody.untilAt : null,
    blockedOn === null ? null : BLOCKED_REASONS.indexOf(blockedOn.reason),
    writeStateText(handoff),
    handoff.claims.length === 0 ? null : JSON.stringify(handoff.claims),
    handoff.trail,
  ];
}

export interface ReadRow {
  readonly n: number;
  readonly handoff: Handoff;
}

/** Throws an `UnreadableRecord` for what nobody of ours has written. */
export function readRow(row: Row, names: Names): ReadRow {
  return { n: row[0] as number, handoff: soundRow(row[1], () => handoffIn(row, names)) };
}

function handoffIn(row: Row, names: Names): Handoff {
  const kind = present(KINDS[row[2] as number], 'a known kind');
  return {
    id: row[1] as HandoffId,
    revision: row[11] as number,
    state: present(stateOfNumber(row[12] as number), 'a known state'),
    kind,
    from: names.agentName(row[3] as number),
    to: names.agentName(row[4] as number),
    priority: present(PRIORITIES[row[5] as number], 'a known priority'),
    title: row[6] as string | null,
    task: row[7] as string | null,
    lineage: row[8] === null ? NO_LINEAGE : readLineage(row[8] as string),
    terms: row[9] === null ? DEFAULT_TERMS[kind] : readTerms(row[9] as string),
    createdAt: row[10] as number,
    since: row[13] as number,
    offeredAt: row[14] as number,
    notBefore: row[15] as number,
    attempt: row[16] as number,
    excused: row[17] as number,
    fence: row[18] as number,
    custody: readCustody(row, names),
    blockedOn: readBlockedOn(row[22] as number | null, row[23] as string | null),
    claims: row[24] === null ? [] : readClaims(row[24] as string),
    trail: row[25] as string,
  };
}

function readCustody(row: Row, names: Names): Custody | null {
  const [session, holder, untilAt] = [row[19] as number | null, row[20] as number | null, row[21] as number | null];
  if (holder === null) return null;
  const agent = names.agentName(holder);
  return session === null
    ? { by: 'hand', holder: agent, untilAt, ...readHolding(row[23] as string | null) }
    : { by: 'process', holder: agent, session: names.sessionName(session) };
}
