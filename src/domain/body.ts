/** What a handoff carries to its recipient. It never changes, and no decision looks into it. */
import type { Json, JsonObject } from '../foundation/json.ts';
import type { OnFailure } from './summary.ts';

export interface Body {
  readonly input: Json;
  /** The name of the schema that the input follows. */
  readonly schema?: string;
  readonly context?: JsonObject;
  /** The name of the schema that the answer has to follow. */
  readonly outputSchema?: string;
  /** The text of the file that it came as, to the byte. */
  readonly message?: string;
  readonly leg?: LegNote;
}

/** Kept with a leg that a summary opened. */
export interface LegNote {
  readonly project: string;
  /** What happens when it fails, if whoever fails says nothing else. */
  readonly onFailure?: OnFailure;
}
