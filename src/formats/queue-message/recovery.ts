/** Recovery actions for a failed file, with the commands to type. */
import type { Failure, Handoff } from '../../domain/handoff.ts';

const FIELDS_MAX = 10;

export function recoveryActions({ id, to, terms }: Handoff, failure: Failure): readonly string[] {
  const again = `baton retry ${id}`;
  const fields = (failure.violations ?? []).slice(0, FIELDS_MAX).map(({ field, says }) => `Correct ${field}: ${says}`);
  switch (failure.code) {
    case 'SCHEMA_VALIDATION_FAILED':
      return [...fields, `Send the corrected input: ${again} --input FILE`];
    case 'VALIDATION_FAILED':
      return [...fields, `Let the worker produce what the schema asks for, then: ${again}`];
    case 'TIMEOUT': {
      const seconds = terms.attemptTimeoutMs === null ? null : Math.round(terms.attemptTimeoutMs / 1000);
      return seconds === null
        ? [`See whether anybody works for @${to}, then: ${again}`]
        : [`Give it more than ${seconds} s: ${again} --timeout ${seconds * 2}`];
    }
    case 'DEPENDENCY_MISSING':
      return [`Provide what is missing (${firstLine(failure.message)}), then: ${again}`];
    case 'ID_COLLISION':
      return [`It has an id of its own now; send it with that: ${again}`];
    case 'REJECTED':
      return [`Answer the reason (${firstLine(failure.message)}), then send it anew: ${again} --input FILE`];
    case 'CANCELLED':
      return ['Nothing: its sender no longer wants it'];
    case 'WORKER_LOST':
      return [`See why its worker ended, then: ${again}`];
    default:
      return [`Look into: ${firstLine(failure.message)}`, `Then try again: ${again}`];
  }
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
