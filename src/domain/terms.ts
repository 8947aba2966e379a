/** What is agreed when nobody says anything else. */
import { CLOCKS } from './deadlines.ts';
import type { Kind, Terms } from './handoff.ts';
import { DEFAULT_RETRY } from './retry.ts';

export const DEFAULT_TERMS: Record<Kind, Terms> = {
  queue: terms('queue'),
  document: terms('document'),
};

function terms(kind: Kind): Terms {
  return { retry: DEFAULT_RETRY, ...CLOCKS[kind], dependsOn: [], deliverables: [], criteria: [], verifiers: [] };
}
