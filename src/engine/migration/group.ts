/** Groups the files of one handoff: same content, same id between the same agents, or copies of one name. */
import { groupBy } from '../../foundation/group-by.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { sectionsOf } from '../../formats/legacy/sections.ts';
import { wordOf } from '../../formats/legacy/keys.ts';
import { compareAge, type Candidate } from './candidate.ts';

/** All files with one content, the newest first. */
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
    for (const linkKey of linkKeys(candidate, recipients)) {
      const first = leader.get(linkKey);
      if (first === undefined) leader.set(linkKey, index);
      else parents[rootOf(index)] = rootOf(first);
    }
  }
  const members = groupBy([...candidates.entries()], ([index]) => rootOf(index));
  return [...members.values()].map((each) => ({ versions: versionsOf(each.map(([, candidate]) => candidate)) }));
}

function versionsOf(members: readonly Candidate[]): readonly Version[] {
  const versions = [...groupBy(members, ({ key }) => key).values()].map(
    (each) => each.toSorted((a, b) => compareAge(b, a)) as unknown as Version,
  );
  return versions.toSorted((a, b) => compareAge(a[0], b[0]));
}

/** A name that is probably unique: long enough, and with a date or a task number. */
const UNIQUE_NAME = /(?=.*(?:\d{8}|\d{4}-\d{2}-\d{2}|[a-z]+-\d{4}-\d{4}))^.{14,}$/i;
const OWN_ID = new Set(['handoff_id', 'handoffid', 'id', 'uuid', 'document_id']);

function linkKeys(candidate: Candidate, recipients: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const { key, reading } = candidate;
  const { id, sender, recipient } = reading;
  const name = nameKey(candidate);
  const known = recipients.get(name) ?? new Set<string>();
  // One name with two recipients is two handoffs. A text without a recipient belongs to the only recipient of its name.
  const to = recipient ?? (known.size === 1 ? [...known][0] : undefined);
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

/** The name alone when it is unique enough; otherwise with its folder, because many folders have a handoff.md. */
function nameKey({ path, name }: Candidate): string {
  const stem = name.stem.toLowerCase();
  return UNIQUE_NAME.test(stem) ? stem : path.slice(0, path.lastIndexOf('/') + 1) + stem;
}

function recipientsByName(candidates: readonly Candidate[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = groupBy(candidates, nameKey);
  return new Map(
    [...groups].map(([name, group]) => [name, new Set(group.flatMap(({ reading }) => reading.recipient ?? []))]),
  );
}

/** Two open handoffs that ask the same agent for the same work are one: the guard refuses the second. */
function askedBy({ reading }: Candidate): string | null {
  const { sender, recipient, task, title, state } = reading;
  if (sender === null || recipient === null || task === null || (state !== null && isFinal(state))) return null;
  return JSON.stringify([sender, recipient, task.text, title?.text ?? '', sectionsOf(reading)]);
}

/** Metadata lines, which change without new content. */
const ABOUT_ITSELF = /^\W*(?:status|state|updated|last[ _]updated|updated[ _]at|version|date|timestamp)\b/i;

/** Whether a newer text has all lines of the older one, in the same order. */
export function isContained(older: string, newer: string): boolean {
  const lines = contentLines(newer);
  let at = 0;
  for (const line of contentLines(older)) {
    at = lines.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function contentLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.replace(/\[[ xX]\]/, '[]').trim());
  return lines.filter((line) => line !== '' && !ABOUT_ITSELF.test(line));
}
