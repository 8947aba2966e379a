/**
 * What an agent said at the end of its summary, as the trail keeps it. Every block that was taken stands in the detail
 * of exactly one fact, under `summary`; workflows and reports are made from the trail and from nothing else.
 */
import type { JsonObject } from '../foundation/json.ts';

export const PHASES = [
  'Research',
  'Planning',
  'Infrastructure',
  'Implementation',
  'Testing',
  'Integration',
  'QA',
  'Complete',
] as const;
export type Phase = (typeof PHASES)[number];

export const SUMMARY_STATUSES = ['pending', 'in_progress', 'complete', 'failed', 'blocked', 'retry'] as const;
export type SummaryStatus = (typeof SUMMARY_STATUSES)[number];

/** All names without `@` and in lower case. */
export interface Summary {
  readonly project: string;
  /** One of ours, or as it was written where it is none (lenient reading keeps it). */
  readonly phase: string | null;
  readonly from: string;
  /** Null: nobody comes next. */
  readonly to: string | null;
  readonly status: SummaryStatus;
  readonly retryCount: number;
  readonly metrics: JsonObject;
  /** Like `task-15.3`. */
  readonly dependencies: readonly string[];
  readonly onFailure: OnFailure | null;
  readonly context: JsonObject;
  /** When the agent says it was, in milliseconds. */
  readonly toldAt: number | null;
  /** `block`: a YAML block. `weak`: the plain form without one. */
  readonly form: 'block' | 'weak';
  /** The block as it was written. */
  readonly text: string;
  readonly source: SummarySource;
}

export interface OnFailure {
  readonly retry?: number;
  readonly routeTo?: string;
  readonly notify?: string;
  readonly escalateAfter?: number;
  readonly context?: string;
}

/** Where a block was read: together with its text it tells whether it was read before. */
export type SummarySource =
  | { readonly file: string; readonly index: number }
  | { readonly session: string; readonly turn: string; readonly index: number };
