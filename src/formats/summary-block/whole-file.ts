/** A file that is nothing but a block: YAML needs no fences where the name of the file says what it is. */
import { BLOCK_CHARS_MAX, type FoundBlock } from './found-block.ts';
import { holdsHandoff } from './fence.ts';
import { readBlock } from './read.ts';

/** Null where it is YAML of another kind, or a handoff that does not have the fields of a block. */
export function blockInFile(text: string, name: string): FoundBlock | null {
  if (!/\.ya?ml$/i.test(name) || text.length > BLOCK_CHARS_MAX) return null;
  const yaml = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (!holdsHandoff(yaml.split(/\r\n|\n|\r/))) return null;
  const block: FoundBlock = {
    index: 0,
    place: 'top',
    line: 1,
    column: 1,
    start: 0,
    end: text.length,
    closed: true,
    cutOff: false,
    text,
    yaml,
    cuts: [],
    tooLarge: false,
    prose: '',
    rest: '',
    under: [],
    said: null,
  };
  const { fields } = readBlock(block, { strict: false });
  return fields === null || fields.from === null || fields.phase === null || fields.status === null ? null : block;
}
