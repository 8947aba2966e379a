/** A YAML file that is one block without fences. */
import { BLOCK_CHARS_MAX, UNPLACED, type FoundBlock } from './found-block.ts';
import { holdsHandoff } from './fence.ts';
import { readBlock } from './read.ts';

/** Null: the file is other YAML, or its handoff lacks the fields of a block. */
export function blockInFile(text: string, name: string): FoundBlock | null {
  if (!/\.ya?ml$/i.test(name) || text.length > BLOCK_CHARS_MAX) return null;
  const yaml = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (!holdsHandoff(yaml.split(/\r\n|\n|\r/))) return null;
  const place = { place: 'top', line: 1, column: 1, start: 0, end: text.length } as const;
  const whole = { closed: true, cutOff: false, cuts: [], tooLarge: false } as const;
  const block: FoundBlock = { ...UNPLACED, ...place, ...whole, text, yaml, rest: '' };
  const { fields } = readBlock(block, { strict: false });
  return fields === null || fields.from === null || fields.phase === null || fields.status === null ? null : block;
}
