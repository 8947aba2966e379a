/** The names, marks and order of the states. */
import type { HandoffView, Row } from './api.ts';

export type State = HandoffView['state'];

export interface Column {
  readonly name: string;
  readonly states: readonly State[];
  readonly description: string;
}

export const COLUMNS: readonly Column[] = [
  {
    name: 'Drafts',
    states: ['draft'],
    description: 'Documents begin here and wait until their sender activates them.',
  },
  { name: 'Waiting', states: ['offered'], description: 'Offered; the recipient has not accepted it yet.' },
  { name: 'Blocked', states: ['blocked'], description: 'Waits for an answer, another handoff or free capacity.' },
  { name: 'At work', states: ['accepted'], description: 'Accepted by an agent or worker, and in progress.' },
  { name: 'To review', states: ['delivered'], description: 'Delivered; a verifier has to agree.' },
  {
    name: 'Closed',
    states: ['completed', 'failed', 'rejected', 'expired', 'cancelled'],
    description: 'Completed, failed, rejected, expired or cancelled.',
  },
];

/** The states with their names for people. Each has a mark, because color must not be the only sign. */
export const STATES: Readonly<Record<State, { readonly name: string; readonly mark: string }>> = {
  draft: { name: 'draft', mark: '✎' },
  offered: { name: 'waiting', mark: '○' },
  blocked: { name: 'blocked', mark: '‖' },
  accepted: { name: 'at work', mark: '▶' },
  delivered: { name: 'to review', mark: '◐' },
  completed: { name: 'completed', mark: '●' },
  failed: { name: 'failed', mark: '✕' },
  rejected: { name: 'rejected', mark: '⊘' },
  expired: { name: 'expired', mark: '⌛' },
  cancelled: { name: 'cancelled', mark: '–' },
};

type Failable = HandoffView & { readonly lastFailure?: object };

/** The state is `offered`, and an earlier attempt has failed. */
function isRetrying({ state, lastFailure }: Failable): boolean {
  return state === 'offered' && lastFailure !== undefined;
}

export function stateNameOf(row: Failable): string {
  return isRetrying(row) ? 'retrying' : STATES[row.state].name;
}

/** Only a verified handoff gets a check mark. */
export function markOf(row: Failable): string {
  if (row.assurance === 'verified') return '✓';
  return isRetrying(row) ? '↻' : STATES[row.state].mark;
}

/** The color of a handoff: who has to act on it. */
export function toneOf(row: Failable): Tone {
  const { state, blockedOn } = row;
  if (state === 'failed' || state === 'rejected' || state === 'expired') return 'tone-broken';
  const needsPerson = blockedOn?.reason === 'question' || failedDependencyOf({ blockedOn }) !== null;
  if (state === 'delivered' || needsPerson) return 'tone-person';
  if (state === 'accepted') return 'tone-running';
  return isRetrying(row) ? 'tone-broken' : 'tone-rest';
}

/** The most urgent first. */
const TONES = ['tone-person', 'tone-broken', 'tone-running', 'tone-rest'] as const;
type Tone = (typeof TONES)[number];

/** Rows of one tone keep their order. */
export function byUrgency(rows: readonly Row[]): readonly Row[] {
  return TONES.flatMap((tone) => rows.filter((row) => toneOf(row) === tone));
}

/** The groups of the list of open work. A row that was closed after the list was read moves to the last group. */
export const GROUPS = ['Needs a person', 'Retrying', 'At work', 'Waiting', 'Drafts', 'Just closed'] as const;

export function groupOf(row: Failable): (typeof GROUPS)[number] {
  const tone = toneOf(row);
  if (isOver(row.state)) return tone === 'tone-broken' ? 'Needs a person' : 'Just closed';
  if (tone === 'tone-person') return 'Needs a person';
  if (tone === 'tone-broken') return 'Retrying';
  if (row.state === 'accepted') return 'At work';
  return row.state === 'draft' ? 'Drafts' : 'Waiting';
}

export function isOver(state: State): boolean {
  return COLUMNS.at(-1)?.states.includes(state) === true;
}

/** The failed dependency that blocks the handoff; null: none does. */
export function failedDependencyOf({
  blockedOn,
}: {
  readonly blockedOn?: HandoffView['blockedOn'] | undefined;
}): string | null {
  return blockedOn?.reason === 'dependency' ? (blockedOn.failed ?? null) : null;
}
