/** The last failure and the progress of a handoff, which its facts tell and its record does not. */
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Context } from '../../engine/context.ts';
import { factDetail, handoffView, type HandoffView } from './views.ts';
import { noteIn, type WorkNote } from './work-note.ts';

const FACTS_MAX = 500;

/** False where no fact can hold a note, so that nobody reads the facts in vain. */
export function mayHaveNote({ attempt, state }: Handoff): boolean {
  return attempt > 0 || state === 'failed' || state === 'rejected' || state === 'expired';
}

export async function readNote({ store }: Pick<Context, 'store'>, id: HandoffId): Promise<WorkNote> {
  const facts = await store.facts({ handoff: id, max: FACTS_MAX });
  return facts.reduce<WorkNote>((all, { fact }) => ({ ...all, ...noteIn(fact, factDetail(fact)) }), {});
}

/** A handoff in a list. */
export type RowView = HandoffView & {
  /** The maximum number of attempts. */
  readonly attemptsMax: number;
  readonly lastFailure?: NonNullable<WorkNote<string>['failure']>;
  readonly progress?: NonNullable<WorkNote<string>['progress']>;
};

export function rowView(handoff: Handoff, { failure, progress }: WorkNote): RowView {
  const { terms, excused, state } = handoff;
  return {
    ...handoffView(handoff),
    attemptsMax: terms.retry.retriesMax + 1 + excused,
    ...(failure === undefined ? {} : { lastFailure: { ...failure, at: new Date(failure.at).toISOString() } }),
    ...(progress === undefined || state !== 'accepted'
      ? {}
      : { progress: { ...progress, at: new Date(progress.at).toISOString() } }),
  };
}
