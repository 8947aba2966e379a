/**
 * The summary block of an agent, as the trail stores it. Every accepted block is in the detail of exactly one fact, under
 * `summary`. Workflows and reports are made only from the trail.
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
  /** One of `PHASES`, or any other text as written (lenient reading keeps it). */
  readonly phase: string | null;
  readonly from: string;
  /** Null: there is no next agent. */
  readonly to: string | null;
  readonly status: SummaryStatus;
  readonly retryCount: number;
  readonly metrics: JsonObject;
  /** Like `task-15.3`. */
  readonly dependencies: readonly string[];
  readonly onFailure: OnFailure | null;
  readonly context: JsonObject;
  /** The time that the agent wrote, in milliseconds. */
  readonly toldAt: number | null;
  /** `block`: a YAML block. `weak`: the plain form without one. */
  readonly form: 'block' | 'weak';
  /** The block as written. */
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

/** Where the block was read. Together with its text it identifies a block that was read before. */
export type SummarySource =
  | { readonly file: string; readonly index: number }
  | { readonly session: string; readonly turn: string; readonly index: number };
