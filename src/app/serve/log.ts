/** The server's log as lines of JSON. Text of others in it cannot move the cursor or imitate a line. */
import { pino, type DestinationStream } from 'pino';
import type { EngineEvent } from '../../engine/context.ts';
import type { ServerLog } from '../../interfaces/cli/app.ts';
import type { Log, LogLevel } from '../../interfaces/shared/log.ts';
import { stackOf } from '../../foundation/error-message.ts';
import { displayText } from '../../foundation/display-text.ts';
import { refusalText } from '../../interfaces/shared/refusal-text.ts';

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
  return { ...log, event: (event) => logEvent(log, event) };
}

function logEvent(log: Log, event: EngineEvent): void {
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
    case 'pruned':
    case 'feed-free':
      return log.info(facts, kind);
    case 'result-refused':
      return log.warn({ id: event.id, code: event.refusal.code, says: refusalText(event.refusal) }, kind);
    case 'secret-found':
    case 'schema-not-registered':
    case 'session-lost':
    case 'clock-jumped':
    case 'store-waiting':
    case 'store-read-only':
    case 'feed-held':
    case 'effect-dropped':
    case 'file-warning':
    case 'file-quarantined':
    case 'task-left':
    case 'document-refused':
    case 'document-left':
    case 'document-late':
    case 'document-over-limit':
      return log.warn(facts, kind);
    case 'fault':
      return log.error({ doing: event.doing, error: stackOf(event.error) }, kind);
  }
}
