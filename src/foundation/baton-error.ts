/** The base of every error that Baton throws at users of the library. */
export abstract class BatonError extends Error {
  /** A stable code for what went wrong, such as `no-such-handoff`, `timed-out` or `PROCESSING_ERROR`. */
  abstract readonly code: string;
}
