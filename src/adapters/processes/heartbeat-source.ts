/**
 * The heartbeat thread as text. The build of the library puts it here, because a program that bundles the library has no
 * file of the thread beside it. Null elsewhere: there the thread is a file.
 */
export const HEARTBEAT_SOURCE: string | null = null;
