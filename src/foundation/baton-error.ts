/** The base of every error that Baton throws at users of the library. */
export abstract class BatonError extends Error {
  /** What went wrong, in a word that does not change, such as `no-such-handoff`, `timed-out` or `PROCESSING_ERROR`. */
  abstract readonly code: string;
}
