/** Which files are one handoff: the same content, the same id between the same two, or copies of one name. */
import { isFinal } from '../../domain/lifecycle.ts';
import { sectionsOf } from '../../formats/legacy/sections.ts';
import { wordOf } from '../../formats/legacy/keys.ts';
import { compareAge, type Candidate } from './candidate.ts';

/** All files with one content; the first is the one to go by. */
type Version = readonly [Candidate, ...Candidate[]];

export interface Group {
  /** From the oldest to the newest. */
  readonly versions: readonly Version[];
}

export function groupsOf(candidates: readonly Candidate[]): readonly Group[] {
  const leader = new Map<string, number>();
  const parents = candidates.map((_, index) => index);
  const rootOf = (index: number): number => {
    let at = index;
    while (parents[at] !== at) at = parents[at] ?? at;
    parents[index] = at;
    return at;
  };
  const recipients = recipientsByName(candidates);
  for (const [index, candidate] of candidates.entries()) {
    for (const tie of tiesOf(candidate, recipients)) {
      const first = leader.get(tie);
      if (first === undefined) leader.set(tie, index);
      else parents[rootOf(index)] = rootOf(first);
    }
  }
  const members = new Map<number, Candidate[]>();
  for (const [index, candidate] of candidates.entries()) {
    const root = rootOf(index);
    members.set(root, [...(members.get(root) ?? []), candidate]);
  }
  return [...members.values()].map((each) => ({ versions: versionsOf(each) }));
}

function versionsOf(members: readonly Candidate[]): readonly Version[] {
  const byContent = new Map<string, Candidate[]>();
  for (const each of members) byContent.set(each.key, [...(byContent.get(each.key) ?? []), each]);
  const versions = [...byContent.values()].map(
    (each) => each.toSorted((a, b) => compareAge(b, a)) as unknown as Version,
  );
  return versions.toSorted((a, b) => compareAge(a[0], b[0]));
}

/** A name that nobody would give twice: with a day in it, and long enough. */
const TELLING = /(?=.*(?:\d{8}|\d{4}-\d{2}-\d{2}|[a-z]+-\d{4}-\d{4}))^.{14,}$/i;
const OWN_ID = new Set(['handoff_id', 'handoffid', 'id', 'uuid', 'document_id']);

function tiesOf(candidate: Candidate, recipients: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const { key, reading } = candidate;
  const { id, sender, recipient } = reading;
  const name = nameKey(candidate);
  const known = recipients.get(name) ?? new Set<string>();
  // One name and two recipients are two handoffs. A text that names no recipient belongs to the only one there is.
  const only = known.size === 1 ? [...known][0] : undefined;
  const to = recipient ?? only;
  const asked = askedBy(candidate);
  return [
    `content ${key}`,
    ...(id !== null && id.sure !== 'guess' && OWN_ID.has(wordOf(id.key))
      ? [`id ${id.text} ${sender ?? ''} ${recipient ?? ''}`]
      : []),
    ...(to === undefined ? [] : [`name ${name} to ${to}`]),
    ...(asked === null ? [] : [`asked ${asked}`]),
  ];
}

/** The name alone when it is telling; with its folder otherwise: many folders have a handoff.md of their own. */
function nameKey({ path, name }: Candidate): string {
  const stem = name.stem.toLowerCase();
  return TELLING.test(stem) ? stem : path.slice(0, path.lastIndexOf('/') + 1) + stem;
}

function recipientsByName(candidates: readonly Candidate[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const candidate of candidates) {
    const { recipient } = candidate.reading;
    if (recipient === null) continue;
    const name = nameKey(candidate);
    found.set(name, (found.get(name) ?? new Set()).add(recipient));
  }
  return found;
}

/** Two open handoffs that ask the same agent for the same, for the same task, are one: the guard refuses the second. */
function askedBy({ reading }: Candidate): string | null {
  const { sender, recipient, task, title, state } = reading;
  if (sender === null || recipient === null || task === null || (state !== null && isFinal(state))) return null;
  return JSON.stringify([sender, recipient, task.text, title?.text ?? '', sectionsOf(reading)]);
}

/** Lines that change while nothing new is said. */
const ABOUT_ITSELF = /^\W*(?:status|state|updated|last[ _]updated|updated[ _]at|version|date|timestamp)\b/i;

/** Whether a newer text still says all that the older one said, in the same order. */
export function isContained(older: string, newer: string): boolean {
  const lines = telling(newer);
  let at = 0;
  for (const line of telling(older)) {
    at = lines.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function telling(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.replace(/\[[ xX]\]/, '[]').trim());
  return lines.filter((line) => line !== '' && !ABOUT_ITSELF.test(line));
}
