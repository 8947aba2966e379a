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
  /** What the house knew of both when it was made, where the request does not say it. */
  readonly source?: Party;
  readonly target?: Party;
  readonly leg?: LegNote;
}

/** The part that an agent has in the order of phases. */
export interface Party {
  readonly phase?: number;
  readonly agentType?: string;
}

/** Kept with a leg that a summary opened. */
export interface LegNote {
  readonly project: string;
  /** What happens when it fails, if whoever fails says nothing else. */
  readonly onFailure?: OnFailure;
}
