/** Lines of JSON for whoever looks after the server. What others have written cannot move a cursor or look like ours. */
import { pino, type DestinationStream } from 'pino';
import type { EngineEvent } from '../../engine/surroundings.ts';
import type { Log } from '../../faces/http/premises.ts';
import { displayText } from '../../foundation/display-text.ts';
import { wordingOf } from '../../faces/shared/wording.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface ServerLog extends Log {
  event(event: EngineEvent): void;
}

export function openLog(level: LogLevel, write: (text: string) => void): ServerLog {
  // Every escape made here is one of JSON too: programs read the same value.
  const destination: DestinationStream = { write: (line) => write(displayText(line)) };
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino({ level, base: null, formatters, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const at =
    (name: LogLevel): Log[LogLevel] =>
    (facts, says) =>
      logger[name](facts, says);
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { ...log, event: (event) => tell(log, event) };
}

function tell(log: Log, event: EngineEvent): void {
  const { kind, ...facts } = event;
  switch (event.kind) {
    case 'attempt-started':
    case 'attempt-settled':
      return log.debug(facts, kind);
    case 'handoff-recovered':
    case 'effect-postponed':
    case 'file-adopted':
    case 'document-adopted':
    case 'documents-paused':
    case 'policy-changed':
    case 'feed-free':
      return log.info(facts, kind);
    case 'result-refused':
      return log.warn({ id: event.id, code: event.refusal.code, says: wordingOf(event.refusal) }, kind);
    case 'secret-found':
    case 'session-lost':
    case 'clock-jumped':
    case 'store-waiting':
    case 'store-read-only':
    case 'feed-held':
    case 'effect-dropped':
    case 'file-quarantined':
    case 'task-left':
    case 'document-refused':
    case 'document-left':
    case 'document-late':
    case 'document-over-limit':
      return log.warn(facts, kind);
    case 'fault':
      return log.error({ doing: event.doing, error: textOf(event.error) }, kind);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
