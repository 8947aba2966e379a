/**
 * Whether a text hands something over, or only speaks of it. Decided by what stands in it: a page about handoffs has the
 * word everywhere and nobody to whom anything is given.
 */
import { agentOf } from './agents.ts';
import type { NameSays } from './file-name.ts';
import { isPlaceholder } from './plain-text.ts';
import type { Chosen } from './choose-value.ts';
import type { Field, Sureness } from './legacy-reading.ts';

export interface Judgement {
  readonly handoff: Sureness | 'no';
  readonly because: string;
}

/** Below this there is too little to say that it is one. */
const ENOUGH = 5;
const PLENTY = 8;
const NO_HANDOFF_NAME =
  /^(?:readme|index|_index|changelog|contributing|license|claude|agents|skill|protocol)$|template/i;

export function judge(chosen: Chosen, fields: readonly Field[], title: string, name: NameSays): Judgement {
  const { id, from, to, status, created, task } = chosen;
  const asked = [id, from, to].filter((each) => each !== null && isPlaceholder(each.text)).length;
  if (asked >= 2) return { handoff: 'no', because: 'a form that nobody has filled in' };

  const signs: [number, string][] = [];
  const sign = (weight: number, says: string): void => void signs.push([weight, says]);
  if (id !== null && (/^handoff_?id$/i.test(id.key) || /^hand-?off[-_]/i.test(id.text))) sign(3, 'an id of a handoff');
  else if (id !== null && id.sure !== 'guess') sign(1, 'an id');
  if (isSaid(from)) sign(2, 'a sender');
  if (isSaid(to)) sign(2, 'a recipient');
  if (isSaid(from) && isSaid(to) && from?.sure === 'certain' && to?.sure === 'certain') sign(1, 'both in plain words');
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
  const addressed = isSaid(to) || signs[0]?.[0] === 3 || signs.some(([, each]) => each === 'a block for it');
  if (NO_HANDOFF_NAME.test(name.stem) && sum < PLENTY)
    return { handoff: 'no', because: 'a page of another kind, by its name and content' };
  if (!addressed)
    return {
      handoff: 'no',
      because: says === '' ? 'nothing in it is given to anybody' : `nobody to give it to (only ${says})`,
    };
  if (sum < ENOUGH) return { handoff: 'no', because: `too little to tell (${says})` };
  // A block in a text may be its end, or an example on a page about handoffs; only whoever has asked for it knows.
  if (isInCode(from) || isInCode(to)) return { handoff: 'guess', because: `a block in a text: ${says}` };
  const both = isSaid(from) && isSaid(to);
  return {
    handoff: both && sum >= PLENTY ? 'certain' : both ? 'likely' : sum >= PLENTY - 1 ? 'likely' : 'guess',
    because: says,
  };
}

function isSaid(found: Chosen['from']): boolean {
  return found !== null && found.line > 0 && found.sure !== 'guess' && agentOf(found.text) !== null;
}

/** Such a text hands something over at most by the block in it. */
function isInCode(found: Chosen['from']): boolean {
  return found?.form === 'yaml-block';
}

function isInBlock({ path, form }: Field): boolean {
  const isStructure = form === 'front-matter' || form === 'yaml' || form === 'yaml-block' || form === 'json';
  return isStructure && /^(?:handoff|handover)\./i.test(path);
}
