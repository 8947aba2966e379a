/** What is agreed when nobody says anything else. */
import { CLOCKS } from './deadlines.ts';
import type { Kind, Terms } from './handoff.ts';
import { DEFAULT_RETRY } from './retry-policy.ts';

export const DEFAULT_TERMS: Record<Kind, Terms> = {
  queue: terms('queue'),
  document: terms('document'),
};

function terms(kind: Kind): Terms {
  // Shared by nearly every record, so nobody may write into it.
  const none = Object.freeze([]);
  return Object.freeze({
    retry: DEFAULT_RETRY,
    ...CLOCKS[kind],
    dependsOn: none,
    deliverables: none,
    criteria: none,
    verifiers: none,
  });
}
