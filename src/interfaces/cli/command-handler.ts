/** Runs any program as a worker: the handoff as JSON on standard input, the answer as JSON or text on standard output. */
import { parseExact, printExact } from '../../foundation/exact-json.ts';
import { KEEPING_INTEGERS, JSON_BYTES_MAX, readJson, type Json } from '../../foundation/json.ts';
import { HandlerFailure } from '../../engine/attempt.ts';
import type { Handler } from '../../engine/work.ts';
import type { Claimed } from '../../stores/store.ts';
import { traceparentFor } from '../shared/trace-context.ts';
import { carriedView } from '../shared/views.ts';
import type { Body } from '../../domain/body.ts';
import { withoutEvidence } from '../../adapters/processes/answer-evidence.ts';
import { failureText, runGated } from '../../adapters/processes/gated-process.ts';

export interface CommandOptions {
  readonly onError: (text: string) => void;
  /** @default the current folder */
  readonly folder?: string;
  /** Takes the output as text even if it is JSON. */
  readonly isText?: boolean;
}

export function commandHandler(
  command: readonly string[],
  { onError, folder = process.cwd(), isText = false }: CommandOptions,
): Handler {
  return async (claimed, attempt) => {
    const { handoff, body } = claimed;
    const view = carriedView(handoff, parseExact(body) as Body);
    const answer = collected();
    const ended = await runGated(
      {
        command,
        environment: handoffEnvironment(claimed),
        folder,
        input: printExact(view) ?? '',
        onOutput: answer.take,
        onError,
      },
      attempt,
    );
    // First, because this handler itself has ended a program that printed too much.
    const output = answer.whole();
    if (ended.code !== 0) {
      throw new HandlerFailure('PROCESSING_ERROR', failureText(command[0] ?? 'the command', ended));
    }
    const result = readAnswer(output, isText);
    return handoff.terms.deliverables.length === 0 ? result : withoutEvidence(result, attempt.evidence);
  };
}

/** The environment of a program that works on a handoff. */
export function handoffEnvironment({ handoff, body }: Claimed): Readonly<Record<string, string>> {
  return {
    BATON_HANDOFF_ID: handoff.id,
    BATON_FENCE: String(handoff.fence),
    BATON_AGENT: handoff.to,
    TRACEPARENT: traceparentFor(handoff, (JSON.parse(body) as Body).context),
  };
}

function collected(): { take(chunk: Buffer): boolean; whole(): Buffer } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    take: (chunk) => {
      bytes += chunk.length;
      if (bytes <= JSON_BYTES_MAX) chunks.push(chunk);
      return bytes <= JSON_BYTES_MAX;
    },
    whole: () => {
      if (bytes <= JSON_BYTES_MAX) return Buffer.concat(chunks);
      throw new HandlerFailure('PROCESSING_ERROR', `more than ${JSON_BYTES_MAX} bytes on standard output`);
    },
  };
}

/** Output that is no JSON becomes `{ "text": … }`. */
function readAnswer(output: Buffer, isText: boolean): Json {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(output);
  } catch {
    throw new HandlerFailure('PROCESSING_ERROR', 'standard output is not UTF-8 text');
  }
  if (text.trim() === '') return null;
  const read = isText ? null : readJson(text, KEEPING_INTEGERS);
  return read?.ok === true ? (parseExact(read.value.text, read.value.value) as Json) : { text: text.trim() };
}
