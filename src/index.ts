/** What others may build on; everything that is not named here can change. */
export { openBaton } from './app/open-baton.ts';
export type {
  ArtifactOptions,
  Baton,
  EvidenceOption,
  FeedItem,
  FeedOptions,
  FindOptions,
  OpenBatonOptions,
  SendOptions,
  WorkAttempt,
  Worker,
  WorkerOptions,
  WorkHandler,
} from './interfaces/library/baton.ts';
export type * from './interfaces/library/results.ts';
export type * from './interfaces/library/methods.ts';
export type { PrunedHandoffs, ScheduleView } from './interfaces/shared/record-views.ts';
export type { FactView, HandoffView, StatusView, WholeView } from './interfaces/shared/views.ts';
export type { BatonEvent } from './interfaces/library/events.ts';
export { agent, type TypedAgent } from './interfaces/library/agent.ts';
export { BatonRefusal, BatonTimeout, HandoffNotCompleted } from './interfaces/library/errors.ts';
export { BatonError } from './foundation/baton-error.ts';
export { StoreFault } from './foundation/store-fault.ts';
export type { StandardSchema, SchemaViolation } from './interfaces/library/standard-schema.ts';
export { HandlerFailure } from './engine/attempt.ts';
export { isFinal, LIFECYCLE, STATES, type Move, type State } from './domain/lifecycle.ts';
export type { Json, JsonObject } from './foundation/json.ts';
export type { Priority } from './domain/priority.ts';
