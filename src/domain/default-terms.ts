/** The terms of a handoff whose request and workspace name none. */
import { CLOCKS } from './deadlines.ts';
import type { Kind, Terms } from './handoff.ts';
import { DEFAULT_RETRY } from './retry-policy.ts';

export const DEFAULT_TERMS: Record<Kind, Terms> = {
  queue: terms('queue'),
  document: terms('document'),
};

function terms(kind: Kind): Terms {
  // Shared by nearly every record, so it must not be changed.
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
