/** The commands that a word may mean. */
import type { Chapter } from './entry.ts';
import { SEND_COMMAND, SENDING_AND_WORKING } from './send.ts';

/**
 * Only the commands of this word. Help, completion and unknown words need all commands: without the operations of the
 * other chapters, and with a part of its own in the bundle, `baton send` takes 4 ms of processor time less.
 */
export async function chaptersFor(word: string | undefined): Promise<readonly Chapter[]> {
  if (word === SEND_COMMAND.name) return [[SENDING_AND_WORKING, [SEND_COMMAND]]];
  const { SEND_AND_WORK } = await import('./send-and-work.ts');
  const ofAgents = withWord([SEND_AND_WORK], word);
  if (ofAgents.length > 0) return ofAgents;
  const { CHAPTERS } = await import('./all-commands.ts');
  const asked = withWord(CHAPTERS, word);
  return asked.length > 0 ? asked : CHAPTERS;
}

function withWord(chapters: readonly Chapter[], word: string | undefined): readonly Chapter[] {
  return chapters
    .map(([title, entries]): Chapter => [title, entries.filter(({ name }) => name.split(' ')[0] === word)])
    .filter(([, entries]) => entries.length > 0);
}
