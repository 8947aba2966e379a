/** What a handoff carries to its recipient. It never changes once it is on offer, and no decision looks into it. */
import type { Json, JsonObject } from '../foundation/json.ts';
import { list, object, optional, text, type Shape } from './field-shapes.ts';
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
  /** The configured parts of sender and recipient when the handoff was made. */
  readonly source?: Party;
  readonly target?: Party;
  readonly leg?: LegNote;
  /** What was wrong with the request when it was accepted; returned with the answer. */
  readonly warnings?: readonly string[];
  /** The results of the handoffs that it waited for. Never stored: added for the worker. */
  readonly dependencies?: JsonObject;
}

/** The input as a worker gets it: with the results of what the handoff waited for, where there is a place for them. */
export function inputIn({ input, dependencies }: Pick<Body, 'input' | 'dependencies'>): Json {
  return dependencies === undefined || !takesDependencies(input) ? input : { ...input, dependencies };
}

/** Likewise: the results stand here where the input is no object, or has such a field of its own. */
export function contextIn({ input, context, dependencies }: Body): JsonObject | undefined {
  return dependencies === undefined || takesDependencies(input) ? context : { ...context, dependencies };
}

function takesDependencies(input: Json): input is JsonObject {
  return input !== null && typeof input === 'object' && !Array.isArray(input) && !('dependencies' in input);
}

/** The part that an agent has in the order of phases. */
export interface Party {
  readonly phase?: number;
  readonly agentType?: string;
}

/** Kept with a leg that a summary opened. */
interface LegNote {
  readonly project: string;
  /** What happens when it fails, unless the failing agent says otherwise. */
  readonly onFailure?: OnFailure;
}

const OBJECT = { type: 'object', fields: {}, open: true } as const;
const PARTY = optional(
  object<Party>({ phase: optional<number>({ type: 'non-negative' }), agentType: optional(text()) }, { open: true }),
);

/** Open, as are its parts: what else a body carries is its own business. */
export const BODY: Shape<Body> = object<Body>(
  {
    input: { type: 'json' },
    schema: optional(text()),
    context: optional<JsonObject>(OBJECT),
    outputSchema: optional(text()),
    message: optional(text()),
    source: PARTY,
    target: PARTY,
    leg: optional(object<LegNote>({ project: text(), onFailure: optional<OnFailure>(OBJECT) }, { open: true })),
    warnings: optional(list(text())),
    dependencies: optional<JsonObject>(OBJECT),
  },
  { open: true },
);
