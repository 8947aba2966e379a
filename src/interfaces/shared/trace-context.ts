/**
 * Where a handoff stands in a trace, as W3C Trace Context writes it. A chain is one trace and a leg is one span; both
 * follow from ids, so that whoever tells the trace need not have been there when it began. A sender who has a trace of
 * its own puts it into the handoff's context, and the chain becomes part of that one.
 */
import { hexDigestOf } from '../../foundation/digest.ts';
import type { Json, JsonObject } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';

export interface TracePlace {
  /** 32 digits of hexadecimal. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Null: it is none. */
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

/** For whoever works on it: what it calls becomes part of the same trace. */
export function traceparentFor({ id, lineage }: Handoff, context: JsonObject | undefined): string {
  const given = readTraceparent(context?.['traceparent']);
  return writeTraceparent({ traceId: given?.traceId ?? traceOf(lineage.root ?? id), spanId: spanOf(id) });
}

function digest(text: string, length: number): string {
  return hexDigestOf(text).slice(0, length);
}
