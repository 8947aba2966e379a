/** The exact answer for a text that may hold a summary block, by those who read it when it is taken. */
import { findBlocks } from '../formats/summary-block/find.ts';
import { readWeak } from '../formats/summary-block/plain-report.ts';
import { isTranscript } from '../formats/summary-block/transcript.ts';

/** Blocks that are only quoted count: the agent is told of what was not taken. */
export function holdsBlock(text: string): boolean {
  return isTranscript(text) || findBlocks(text).length > 0 || readWeak(text) !== null;
}
