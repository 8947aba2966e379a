/** What a command prints about events that happen beside its answer. */
import { counted } from '../../foundation/count-text.ts';
import { messageOf } from '../../foundation/error-message.ts';
import type { EngineEvent, FailedAttempt } from '../../engine/context.ts';
import { refusalText } from '../shared/refusal-text.ts';
import type { Output } from './output.ts';

type Kind = EngineEvent['kind'];
type EventOf<K extends Kind> = Extract<EngineEvent, { kind: K }>;
type Line = readonly [level: 'note' | 'warn', text: string];

const aboutId = ({ id, says }: { readonly id: string; readonly says: string }): Line => ['warn', `${id}: ${says}`];

/** Opening the workspace prints these itself, for every command. */
const printedElsewhere = (): null => null;

const LINES: { readonly [K in Kind]: (event: EventOf<K>) => Line | null } = {
  'attempt-started': ({ id, attempt }) => ['note', `${id} attempt ${attempt}`],
  'attempt-settled': (event) => ['note', `${event.id} ${settledText(event)}`],
  'result-refused': ({ refusal }) => ['warn', `${refusal.code}: ${refusalText(refusal)}`],
  'session-lost': () => ['warn', 'this worker sent no heartbeat for too long: its handoffs were offered to others'],
  'handoff-recovered': ({ id, says }) => ['note', `${id} taken back: ${says}`],
  'clock-jumped': ({ byMs }) => [
    'warn',
    `the system clock jumped by ${Math.round(byMs / 1000)} s; expiry pauses for one round`,
  ],
  'policy-changed': ({ version }) => ['note', `follows version ${version} of the policy from now on`],
  'feed-held': ({ says, todo }) => ['warn', `${says}; ${todo}`],
  'feed-free': () => ['note', 'no open transaction delays the feed any more'],
  'effect-postponed': ({ effect, key, says }) => ['note', `${effect} ${key} is postponed: ${says}`],
  'effect-dropped': ({ effect, key, says }) => ['warn', `${effect} ${key} is given up: ${says}`],
  pruned: ({ handoffs, archives }) => [
    'note',
    `${counted(handoffs, 'finished handoff')} moved to ${archives.join(', ')}`,
  ],
  'file-adopted': ({ id, place }) => ['note', `${id} taken in from ${place}/`],
  'file-warning': ({ place, id, says }) => ['warn', `${place}/${id}.json: ${says}`],
  'file-quarantined': ({ place, name, says }) => ['warn', `${place}/${name} is in quarantine: ${says}`],
  'document-adopted': ({ id, says, by }) => ['note', `${id}: ${says} (${by})`],
  'document-refused': aboutId,
  'document-late': aboutId,
  'document-over-limit': aboutId,
  'document-left': ({ name, says }) => ['warn', `${name} stays as it is: ${says}`],
  'documents-paused': ({ says }) => ['warn', says],
  'task-left': ({ task, says }) => ['warn', `tasks/${task}.md is left as it is: ${says}`],
  'schema-not-registered': ({ agent, says }) => ['warn', `the schema of ${agent} is not registered: ${says}`],
  'store-waiting': printedElsewhere,
  'store-read-only': printedElsewhere,
  'secret-found': printedElsewhere,
  fault: ({ doing, error }) => ['warn', `${doing}: ${messageOf(error)}`],
};

export function printEvent(event: EngineEvent, output: Output): void {
  const line = (LINES[event.kind] as (event: EngineEvent) => Line | null)(event);
  if (line !== null) output[line[0]](line[1]);
}

function settledText({ state, failed, postponed }: EventOf<'attempt-settled'>): string {
  if (postponed !== undefined) return `offered again in ${Math.ceil(postponed.inMs / 1000)} s: ${postponed.reason}`;
  return failed === undefined ? state : failureText(failed);
}

/** The first line of the message: it may be a whole trace, and the record has all of it. */
function failureText({ attempt, code, message, againInMs }: FailedAttempt): string {
  const [line = ''] = message.split('\n', 1);
  const next = againInMs === null ? 'not tried again' : `again in ${Math.round(againInMs / 1000)} s`;
  return `failed attempt ${attempt}: ${code}: ${line}; ${next}`;
}
