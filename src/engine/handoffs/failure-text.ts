/** Writes the outcome of a handoff as JSON text. */
import type { Json, JsonText } from '../../foundation/json.ts';
import type { Failure } from '../../domain/handoff.ts';
import type { Outcome } from '../../domain/outcome.ts';

export function failureText(failure: Failure): JsonText {
  const outcome: Outcome = { kind: 'failure', ...failure };
  return JSON.stringify(outcome) as JsonText;
}

export function resultText(result: Json): JsonText {
  const outcome: Outcome = { kind: 'result', result };
  return JSON.stringify(outcome) as JsonText;
}

const CODE_MAX = 128;
/** Enough for the end of a stack trace; the whole of it belongs in an artifact. */
const MESSAGE_MAX = 16_384;

export function printableFailure({ code, message }: Failure): { readonly code: string; readonly message: string } {
  return { code: printable(code, CODE_MAX), message: printable(message, MESSAGE_MAX) };
}

/** Replaces characters that no database can store, so that a failure is never refused for its message. */
export function printable(text: string, max: number): string {
  return text
    .slice(0, max)
    .replaceAll('\u0000', '\uFFFD')
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
