/** What an attempt left behind: its answer, or why there is none. Stored as text beside the record. */
import type { Json } from '../foundation/json.ts';
import type { Failure } from './handoff.ts';

export type Outcome = { readonly kind: 'result'; readonly result: Json } | ({ readonly kind: 'failure' } & Failure);
