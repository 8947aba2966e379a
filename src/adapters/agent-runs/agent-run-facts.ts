/** Earlier attempts of a handoff, from its trail. */
import type { Fact } from '../../domain/facts.ts';
import type { PromptParts } from '../../agents/headless/prompt.ts';

export interface EarlierRuns {
  /** Why the last attempt failed or was sent back. */
  readonly before: PromptParts['before'];
  /** The newest session of each vendor. */
  readonly sessions: ReadonlyMap<string, string>;
  /** The newest commit on a branch of an attempt. */
  readonly commit: string | null;
}

interface Detail {
  readonly agent?: { readonly vendor?: string; readonly session?: string; readonly commit?: string };
  readonly reason?: string;
  readonly code?: string;
  readonly message?: string;
}

export function earlierRuns(facts: readonly Fact[]): EarlierRuns {
  const sessions = new Map<string, string>();
  let before: EarlierRuns['before'] = null;
  let commit: string | null = null;
  for (const { deed, detail: text } of facts) {
    const detail = (text === '' ? {} : JSON.parse(text)) as Detail;
    const { vendor, session, commit: made } = detail.agent ?? {};
    if (vendor !== undefined && session !== undefined) sessions.set(vendor, session);
    commit = made ?? commit;
    if (deed === 'reoffer' || deed === 'rework') before = { what: 'rework', says: detail.reason ?? '' };
    if (deed === 'retry') before = { what: 'failure', says: `${detail.code ?? ''} ${detail.message ?? ''}`.trim() };
  }
  return { before, sessions, commit };
}
