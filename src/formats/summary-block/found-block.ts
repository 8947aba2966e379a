/** A block as it was found, and the place in the text for a place in its YAML. */

/**
 * Only a block at `top` acts. The others are quoted (in a quotation, another fence, indented code or a comment) or were not
 * said by the agent (`tool`, `other`).
 */
export type BlockPlace = 'top' | 'quote' | 'fence' | 'code' | 'comment' | 'tool' | 'other';

export interface FoundBlock {
  /** Among all blocks of the text, from 0. */
  readonly index: number;
  readonly place: BlockPlace;
  /** Of the opening fence, from 1, in the text it was found in. */
  readonly line: number;
  readonly column: number;
  /** From the opening fence to the end of the closing one. */
  readonly start: number;
  readonly end: number;
  readonly closed: boolean;
  /** Not closed, and the text stops in the middle of a line: the rest may be missing. */
  readonly cutOff: boolean;
  /** With its fences. */
  readonly text: string;
  /** The text between the fences, without the marks of quotes and the indentation of lists. */
  readonly yaml: string;
  /** How many characters were removed in front of each line of the YAML. */
  readonly cuts: readonly number[];
  /** Larger than `BLOCK_CHARS_MAX`: `yaml` holds only its beginning. */
  readonly tooLarge: boolean;
  /** The text since the block before it. Blocks that stand together share it. */
  readonly prose: string;
  /** The text after the last block of its text; null where another block follows. */
  readonly rest: string | null;
  /** The headings above it, the outermost first. */
  readonly under: readonly string[];
  /** The message of a transcript in which it stands; null: the text is no transcript. */
  readonly said: TranscriptPlace | null;
}

export interface TranscriptPlace {
  /** Of the transcript, from 1. */
  readonly line: number;
  readonly session: string | null;
  /** The turn, as an agent's hook names it too; where the transcript does not tell it, its entry. */
  readonly turn: string;
  /** The message: a name, or its line. */
  readonly entry: string;
}

/** What `findBlocks` fills in once all blocks of a text are found. */
export const UNPLACED = { index: 0, prose: '', rest: null, under: [], said: null } as const;

/** A summary is read by people; anything larger belongs in an artifact. */
export const BLOCK_CHARS_MAX = 64 * 1024;

export function isActive(block: FoundBlock): boolean {
  return block.place === 'top';
}

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The place in the text of an offset in the YAML. */
export function placeIn(block: FoundBlock, offset: number): TextPlace {
  const before = block.yaml.slice(0, offset);
  const row = before.split('\n').length - 1;
  const column = offset - (before.lastIndexOf('\n') + 1) + (block.cuts[row] ?? 0) + 1;
  const firstLine = block.line + (block.text.startsWith('`') || block.text.startsWith('~') ? 1 : 0);
  return { line: firstLine + row, column };
}
