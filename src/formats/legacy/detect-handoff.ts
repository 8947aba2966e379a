/**
 * Detects whether a text is a handoff. A page about handoffs uses the same words but names no recipient.
 */
import { agentOf } from './agents.ts';
import type { FileNameReading } from './file-name.ts';
import { isPlaceholder } from './plain-text.ts';
import type { Chosen } from './choose-value.ts';
import { isStructured, type Field, type Confidence } from './legacy-reading.ts';

export interface Detection {
  readonly handoff: Confidence | 'no';
  readonly because: string;
}

/** The weight of signs that makes a text a handoff. */
const HANDOFF_WEIGHT = 5;
const CERTAIN_WEIGHT = 8;
const NO_HANDOFF_NAME =
  /^(?:readme|index|_index|changelog|contributing|license|claude|agents|skill|protocol)$|template/i;

export function detectHandoff(
  chosen: Chosen,
  fields: readonly Field[],
  title: string,
  name: FileNameReading,
): Detection {
  const { id, from, to, status, created, task } = chosen;
  const asked = [id, from, to].filter((each) => each !== null && isPlaceholder(each.text)).length;
  if (asked >= 2) return { handoff: 'no', because: 'a form that nobody has filled in' };

  const signs: [number, string][] = [];
  const sign = (weight: number, says: string): void => void signs.push([weight, says]);
  if (id !== null && (/^handoff_?id$/i.test(id.key) || /^hand-?off[-_]/i.test(id.text))) sign(3, 'an id of a handoff');
  else if (id !== null && id.sure !== 'guess') sign(1, 'an id');
  if (isNamed(from)) sign(2, 'a sender');
  if (isNamed(to)) sign(2, 'a recipient');
  if (isNamed(from) && isNamed(to) && from?.sure === 'certain' && to?.sure === 'certain')
    sign(1, 'both in plain words');
  if (status !== null && status.sure !== 'guess' && status.text.length < 80) sign(1, 'a status');
  if (created !== null && created.sure !== 'guess') sign(1, 'a date');
  if (task !== null && task.sure === 'certain') sign(1, 'a task');
  if (/hand[- ]?(?:off|over)/i.test(title)) sign(1, 'a title that says so');
  if (name.says !== null) sign(1, 'a name that says so');
  if (name.amongHandoffs) sign(1, 'a folder for them');
  if (created?.line === 0) sign(1, 'a day in its name');
  if (fields.some(isInBlock)) sign(2, 'a block for it');

  const sum = signs.reduce((total, [weight]) => total + weight, 0);
  const says = signs.map(([, each]) => each).join(', ');
  const addressed = isNamed(to) || signs[0]?.[0] === 3 || signs.some(([, each]) => each === 'a block for it');
  if (NO_HANDOFF_NAME.test(name.stem) && sum < CERTAIN_WEIGHT)
    return { handoff: 'no', because: 'a page of another kind, by its name and content' };
  const unaddressed = says === '' ? 'nothing in it is given to anybody' : `nobody to give it to (only ${says})`;
  if (!addressed) return { handoff: 'no', because: unaddressed };
  if (sum < HANDOFF_WEIGHT) return { handoff: 'no', because: `too little to tell (${says})` };
  // A block in a text may be a handoff, or an example on a page about handoffs.
  if (from?.form === 'yaml-block' || to?.form === 'yaml-block')
    return { handoff: 'guess', because: `a block in a text: ${says}` };
  const both = isNamed(from) && isNamed(to);
  if (both && sum >= CERTAIN_WEIGHT) return { handoff: 'certain', because: says };
  return { handoff: both || sum >= CERTAIN_WEIGHT - 1 ? 'likely' : 'guess', because: says };
}

function isNamed(found: Chosen['from']): boolean {
  return found !== null && found.line > 0 && found.sure !== 'guess' && agentOf(found.text) !== null;
}

function isInBlock({ path, form }: Field): boolean {
  return (isStructured(form) || form === 'yaml-block') && /^(?:handoff|handover)\./i.test(path);
}
