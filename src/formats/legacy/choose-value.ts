/** Chooses the field for each role: the least ambiguous key in the most prominent place. */
import { agentOf, isNobody } from './agents.ts';
import { instantOf } from './dates.ts';
import { isWrapper, meaningsOf, namingRank, type Meaning } from './keys.ts';
import { isPlaceholder } from './plain-text.ts';
import { stateOf } from './status-words.ts';
import { isStructured, ROLES, type Field, type Found, type Role, type Confidence } from './legacy-reading.ts';

/** A worse place costs more than any word. */
const DEEPER = 100;
const BELOW_HEAD = 70;
const RETURN_PATH = 300;
/** A list this far up may be a list of fields; further down, lists are about the work. */
const TOP_LINES = 25;

interface Candidate {
  readonly field: Field;
  readonly cost: number;
  readonly how: Meaning['how'];
  readonly deep: boolean;
}

export type Chosen = Readonly<Record<Role, Found | null>>;

/** `headEnd`: the line at which the first section of a markdown text begins. */
export function chooseFields(fields: readonly Field[], headEnd: number): Chosen {
  const best = new Map<Role, Candidate>();
  for (const field of fields) {
    if (field.text === '' || field.text === '~' || field.text === 'null') continue;
    for (const [role, candidate] of candidatesOf(field, headEnd)) {
      const known = best.get(role);
      if (known === undefined || candidate.cost < known.cost) best.set(role, candidate);
    }
  }
  const chosen = [...best].map(([role, candidate]) => [role, { ...candidate.field, sure: confidenceOf(candidate) }]);
  return { ...NOTHING_FOUND, ...Object.fromEntries(chosen) } as Chosen;
}

const NOTHING_FOUND = Object.fromEntries(ROLES.map((role) => [role, null]));

function confidenceOf({ field, how, deep }: Candidate): Confidence {
  if (how === 'near' || field.form === 'file-name' || isPlaceholder(field.text)) return 'guess';
  if (how === 'loose' || deep || field.form === 'comment') return 'likely';
  return 'certain';
}

function candidatesOf(field: Field, headEnd: number): readonly (readonly [Role, Candidate])[] {
  const parts = field.path.split(/[.[]/);
  const place = placeCost(field, parts, headEnd);
  const found: [Role, Candidate][] = [];
  const add = (meaning: Meaning, extra: number, cost: number): void => {
    if (!fits(meaning, field)) return;
    const candidate = { field, cost: meaning.rank + extra + cost, how: meaning.how, deep: cost >= BELOW_HEAD };
    found.push([meaning.role, candidate]);
  };
  for (const meaning of meaningsOf(field.key)) {
    // In a list of things the id is that of one thing, not of the handoff.
    if (meaning.role !== 'id' || !isInList(field, headEnd)) add(meaning, 0, place);
  }
  // In `from: { name: x }` the key of the object is the word.
  const parent = parts.at(-2) ?? '';
  const naming = parent === '' ? -1 : namingRank(field.key);
  if (naming >= 0) {
    for (const meaning of meaningsOf(parent)) {
      if (meaning.role === 'from' || meaning.role === 'to') add(meaning, naming / 20, place - DEEPER);
    }
  }
  return found;
}

function isInList({ path, form, line }: Field, headEnd: number): boolean {
  const isRow = (form === 'bullets' || form === 'table') && line >= Math.max(headEnd, TOP_LINES);
  return isRow || /\[\d+\]\./.test(path.replace(/^\[\d+\]\./, ''));
}

function placeCost(field: Field, parts: readonly string[], headEnd: number): number {
  let cost = 0;
  for (const part of parts.slice(0, -1)) {
    if (/^hand_?back$/i.test(part)) cost += RETURN_PATH;
    else if (!isWrapper(part)) cost += DEEPER;
  }
  // `to: [a, b]` is still "to"; a list of objects is a list of other things.
  if (field.path.endsWith(']')) cost -= DEEPER - 1;
  if (!isStructured(field.form) && field.line >= headEnd) cost += field.form === 'yaml-block' ? 0 : BELOW_HEAD;
  // On equal words the most deliberate form wins.
  if (field.form === 'header-lines' || field.form === 'bullets') cost += 0.3;
  if (field.form === 'heading' || field.form === 'table') cost += 0.4;
  if (field.form === 'comment' || field.form === 'file-name') cost += 500;
  return cost;
}

/** A loose word counts only where its value is of the right kind: `source:` may name a meeting. */
function fits({ role, how }: Meaning, { text, line }: Field): boolean {
  if (role === 'created') return instantOf(text) !== null || (how === 'plain' && isPlaceholder(text));
  if (role === 'from' || role === 'to') {
    if (how === 'plain') return text.length < 300;
    if (isNobody(text)) return true;
    return text.length < 80 && /\p{L}/u.test(text) && agentOf(text) !== null && !/[/\\]\S|\.\w{1,4}$/.test(text);
  }
  if (role === 'id')
    return text.length <= 200 && !/\s\S+\s/.test(text) && (how === 'plain' || !/\s/.test(text) || line === 0);
  if (role === 'task') return text.length <= 200;
  if (role === 'status' && how === 'near') return stateOf(text) !== null || isPlaceholder(text);
  return true;
}
