/** What others may build on; everything that is not named here can change. */
export { openBaton } from './house/open-baton.ts';
export type {
  ArtifactEntry,
  ArtifactOptions,
  ArtifactView,
  As,
  Baton,
  EvidenceOption,
  FactView,
  FeedItem,
  FeedOptions,
  Fenced,
  FindOptions,
  HandoffView,
  IngestAnswer,
  IngestOptions,
  IngestProblem,
  OpenBatonOptions,
  SendOptions,
  WholeView,
  WorkAttempt,
  Worker,
  WorkerOptions,
  WorkHandler,
} from './house/baton.ts';
export { BatonRefusal, BatonTimeout, HandoffNotCompleted } from './house/baton-errors.ts';
export { HandlerFailure } from './engine/attempt.ts';
export { LIFECYCLE, STATES, type Move, type State } from './domain/lifecycle.ts';
export type { Json, JsonObject } from './foundation/json.ts';
export type { Priority } from './domain/priority.ts';
