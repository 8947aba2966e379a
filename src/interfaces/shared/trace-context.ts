/**
 * The place of a handoff in a trace (W3C Trace Context). A chain is one trace and a leg is one span. Both ids follow from the
 * ids of handoffs, so any process can compute them. A sender with its own trace puts it into the context of the handoff, and
 * the chain joins that trace.
 */
import { hexDigestOf } from '../../foundation/digest.ts';
import type { Json, JsonObject } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';

export interface TracePlace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Null: the text is no traceparent. */
export function readTraceparent(text: Json | undefined): TracePlace | null {
  const found = typeof text === 'string' ? TRACEPARENT.exec(text) : null;
  const [, traceId, spanId] = found ?? [];
  return traceId === undefined || spanId === undefined ? null : { traceId, spanId };
}

function writeTraceparent({ traceId, spanId }: TracePlace): string {
  return `00-${traceId}-${spanId}-01`;
}

export function traceOf(root: string): string {
  return digest(`trace ${root}`, 32);
}

export function spanOf(id: string): string {
  return digest(`span ${id}`, 16);
}

/** For the worker: its calls become part of the same trace. */
export function traceparentFor({ id, lineage }: Handoff, context: JsonObject | undefined): string {
  const given = readTraceparent(context?.['traceparent']);
  return writeTraceparent({ traceId: given?.traceId ?? traceOf(lineage.root ?? id), spanId: spanOf(id) });
}

function digest(text: string, length: number): string {
  return hexDigestOf(text).slice(0, length);
}
