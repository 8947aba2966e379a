/** Classifies errors of statements and connections: only a lost answer leaves open whether a write was applied. */

/**
 * - `unsent`: there was no connection; nothing was applied.
 * - `lost`: the statement was sent and no answer came; it may have been applied.
 * - `again`: the server rolled back and can be tried again.
 * - `conflict`: a unique key is taken.
 * - `no-schema`: a table, column or function is missing.
 * - `text`: the database cannot store a text.
 * - `pooled`: a pooler has replaced the connection, and the state of the session is lost; nothing was applied.
 * - `fault`: anything else; nothing was applied, and a retry would not help.
 */
export type ConnectionErrorKind = 'unsent' | 'lost' | 'again' | 'conflict' | 'no-schema' | 'text' | 'pooled' | 'fault';

export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly kind: ConnectionErrorKind;
  readonly code: string;
  /** The key that is taken, when one is. */
  readonly constraint: string | null;

  /** Does not keep the error of the driver, which holds the statement and its parameters, and so the users' data. */
  constructor(kind: ConnectionErrorKind, error: unknown) {
    super(error instanceof Error && error.message !== '' ? error.message : codeOf(error));
    this.kind = kind;
    this.code = codeOf(error);
    this.constraint = textIn(error, 'constraint_name');
  }
}

/** Serialization failure, deadlock, lock or statement timeout, or a server that is read-only for now. */
const AGAIN = new Set(['40001', '40P01', '55P03', '57014', '25006']);
const NO_SCHEMA = new Set(['42P01', '3F000', '42703', '42883']);
/** U+0000 and halves of surrogate pairs. */
const TEXT = new Set(['22021', '22P05']);
/** A prepared statement is missing or exists already: the pooler has given us another connection. */
const POOLED = new Set(['26000', '42P05']);
/** The server shuts down, or ends this connection. */
const ENDING = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);

export function statementError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const code = codeOf(error);
  if (isConnection(code)) return new ConnectionError('lost', error);
  if (AGAIN.has(code)) return new ConnectionError('again', error);
  if (code === '23505') return new ConnectionError('conflict', error);
  if (NO_SCHEMA.has(code)) return new ConnectionError('no-schema', error);
  if (TEXT.has(code)) return new ConnectionError('text', error);
  if (POOLED.has(code)) return new ConnectionError('pooled', error);
  return new ConnectionError('fault', error);
}

/** Too many connections, or a name that does not resolve: the server starts, restarts or is overloaded. */
const NOT_YET = new Set(['53300', 'CONNECT_TIMEOUT', 'ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN']);

export function connectError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const code = codeOf(error);
  if (NO_SCHEMA.has(code)) return new ConnectionError('no-schema', error);
  // PgBouncer uses one code for everything, and this error is permanent.
  if (textIn(error, 'message')?.includes('unsupported startup parameter') === true)
    return new ConnectionError('pooled', error);
  return new ConnectionError(NOT_YET.has(code) || isConnection(code) ? 'unsent' : 'fault', error);
}

function isConnection(code: string): boolean {
  if (ENDING.has(code) || code.startsWith('08') || code.startsWith('CONNECTION_')) return true;
  return ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNABORTED'].includes(code);
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return textIn(error, 'code') ?? '';
}

function textIn(error: unknown, name: string): string | null {
  if (typeof error !== 'object' || error === null || !(name in error)) return null;
  const value: unknown = (error as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : null;
}
