/**
 * Traces for OpenTelemetry, derived from the trail: a span for each handoff when it is settled, and one for each attempt.
 * Only where the packages of an exporter are installed; they are not part of this package.
 */
import type { Attributes } from '@opentelemetry/api';
import { isFinal } from '../../domain/lifecycle.ts';
import type { Body } from '../../domain/body.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Context as EngineContext } from '../../engine/context.ts';
import { setNewest } from '../../interfaces/http/bounded-map.ts';
import type { HubEvent } from '../../interfaces/http/events/hub.ts';
import { readTraceparent, spanOf, traceOf, type TracePlace } from '../../interfaces/shared/trace-context.ts';
import type { ServerLog } from '../../interfaces/cli/app.ts';

export type Traces = ReturnType<typeof tracesBy>;

/** How many running attempts are remembered; beyond that the oldest get no span. */
const ATTEMPTS_MAX = 10_000;
const ROOTS_MAX = 1_000;

export async function openTraces(ctx: EngineContext, log: ServerLog): Promise<Traces | null> {
  try {
    const { ROOT_CONTEXT, SpanStatusCode, trace } = await import('@opentelemetry/api');
    const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    const ids = { next: { traceId: '', spanId: '' } };
    const provider = new NodeTracerProvider({
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
      idGenerator: { generateTraceId: () => ids.next.traceId, generateSpanId: () => ids.next.spanId },
    });
    log.info({}, 'exporting traces');
    const tracer = provider.getTracer('baton');
    const recordSpan = ({ place, parent, name, from, to, failed, attributes }: Span): void => {
      ids.next = place;
      const above = { traceId: place.traceId, spanId: parent ?? '', traceFlags: 1, isRemote: true };
      const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above);
      const span = tracer.startSpan(name, { startTime: from, attributes }, context);
      if (failed !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: failed });
      span.end(to);
    };
    return tracesBy(ctx, log, recordSpan, () => provider.shutdown());
  } catch (error) {
    const packages = ['api', 'sdk-trace-node', 'exporter-trace-otlp-http'].map((name) => `@opentelemetry/${name}`);
    log.warn({ error: String(error) }, `traces are off: install ${packages.join(' ')}`);
    return null;
  }
}

interface Span {
  readonly place: TracePlace;
  readonly parent: string | null;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Null: it went well. */
  readonly failed: string | null;
  readonly attributes: Attributes;
}

function tracesBy(ctx: EngineContext, log: ServerLog, recordSpan: (span: Span) => void, shutDown: () => Promise<void>) {
  const begun = new Map<HandoffId, number>();
  const roots = new Map<HandoffId, TracePlace | null>();
  let recording = Promise.resolve();

  /** The trace that a chain's first sender is in, if it said so. */
  const givenFor = async (root: HandoffId): Promise<TracePlace | null> => {
    const known = roots.get(root);
    if (known !== undefined) return known;
    const whole = await ctx.store.load(root);
    const given = whole === null ? null : readTraceparent((JSON.parse(whole.body) as Body).context?.['traceparent']);
    setNewest(roots, root, given, ROOTS_MAX);
    return given;
  };

  const addEvent = async ({ fact, handoff }: HubEvent): Promise<void> => {
    const { id, lineage } = handoff;
    const isStart = fact.deed === 'accept';
    const isEnd = fact.from === 'accepted' && fact.to !== 'accepted';
    if (isStart) setNewest(begun, id, fact.at, ATTEMPTS_MAX);
    if (!isEnd && !isFinal(fact.to)) return;
    const given = await givenFor(lineage.root ?? id);
    const traceId = given?.traceId ?? traceOf(lineage.root ?? id);
    const attributes = { 'baton.handoff': id, 'baton.from': `@${handoff.from}`, 'baton.to': `@${handoff.to}` };
    const from = begun.get(id);
    if (isEnd && from !== undefined) {
      begun.delete(id);
      recordSpan({
        place: { traceId, spanId: spanOf(`${id} ${fact.attempt}`) },
        parent: spanOf(id),
        name: `attempt ${fact.attempt}`,
        from,
        to: fact.at,
        failed: fact.deed === 'deliver' ? null : fact.deed,
        attributes: { ...attributes, 'baton.attempt': fact.attempt },
      });
    }
    if (!isFinal(fact.to)) return;
    const above = lineage.parent ?? lineage.retryOf;
    recordSpan({
      place: { traceId, spanId: spanOf(id) },
      parent: above === null ? (given?.spanId ?? null) : spanOf(above),
      name: `@${handoff.from} → @${handoff.to}`,
      from: handoff.createdAt,
      to: fact.at,
      failed: fact.to === 'completed' ? null : fact.to,
      attributes: {
        ...attributes,
        'baton.state': fact.to,
        'baton.attempts': fact.attempt,
        ...(handoff.task === null ? {} : { 'baton.task': handoff.task }),
      },
    });
  };

  return {
    addEvents: (events: readonly HubEvent[]) => {
      recording = recording
        .then(async () => {
          for (const each of events) await addEvent(each);
        })
        .catch((error: unknown) => log.warn({ error: String(error) }, 'a trace was not recorded'));
    },
    /** Sends what is left. */
    close: async () => {
      await recording;
      await shutDown().catch((error: unknown) => log.warn({ error: String(error) }, 'traces were not sent'));
    },
  };
}
