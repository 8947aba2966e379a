import type { Handoff } from '../../../domain/handoff.ts';
import type { Output } from '../output.ts';

/** Prints only the id, for scripts. */
export function printCreated({ id, state, lineage: { retryOf } }: Handoff, output: Output): void {
  if (output.json) output.answer({ id, state, ...(retryOf === null ? {} : { retryOf }) });
  else output.line(id);
  if (state === 'blocked') output.note(`${id} waits: see baton show ${id}`);
}
