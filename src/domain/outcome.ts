/** What an attempt left behind: its answer, or why there is none. Stored as text beside the record. */
import type { Json } from '../foundation/json.ts';
import type { Failure } from './handoff.ts';

/** Work that was delivered and then refused keeps its result beside the reason. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: Json }
  | ({ readonly kind: 'failure'; readonly result?: Json } & Failure);
