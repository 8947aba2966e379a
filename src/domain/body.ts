/** What a handoff carries to its recipient. It never changes once it is on offer, and no decision reads it. */
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
  /** The exact text of the queue file that the handoff came from. */
  readonly message?: string;
  /** Phase and type of sender and recipient, as configured when the handoff was made. */
  readonly source?: Party;
  readonly target?: Party;
  readonly leg?: LegNote;
  /** What was wrong with the request when it was accepted; returned with the answer. */
  readonly warnings?: readonly string[];
  /** The results of its dependencies. Never stored: added for the worker. */
  readonly dependencies?: JsonObject;
}

/** The input as a worker gets it: with the results of the dependencies, if the input is an object without such a field. */
export function inputIn({ input, dependencies }: Pick<Body, 'input' | 'dependencies'>): Json {
  return dependencies === undefined || !takesDependencies(input) ? input : { ...input, dependencies };
}

/** The context as a worker gets it: with the results of the dependencies, if `inputIn` cannot add them. */
export function contextIn({ input, context, dependencies }: Body): JsonObject | undefined {
  return dependencies === undefined || takesDependencies(input) ? context : { ...context, dependencies };
}

function takesDependencies(input: Json): input is JsonObject {
  return input !== null && typeof input === 'object' && !Array.isArray(input) && !('dependencies' in input);
}

/** Phase and type of an agent. */
export interface Party {
  readonly phase?: number;
  readonly agentType?: string;
}

/** Stored with a leg that a summary opened. */
interface LegNote {
  readonly project: string;
  /** What happens when it fails, unless the failing agent says otherwise. */
  readonly onFailure?: OnFailure;
}

const OBJECT = { type: 'object', fields: {}, open: true } as const;
const PARTY = optional(
  object<Party>({ phase: optional<number>({ type: 'non-negative' }), agentType: optional(text()) }, { open: true }),
);

/** Open, as are its parts: unknown fields are kept. */
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
