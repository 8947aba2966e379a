/** A chain is one trace: told to whoever collects them, and carried in what is handed over. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HandoffView, WholeView } from '../../src/interfaces/shared/views.ts';
import { until } from '../support/processes.ts';
import { served } from './served.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status: { readonly code: number };
}

/** Collects spans as a collector would, and sets the variable that names it. */
async function collector(): Promise<readonly Span[]> {
  const spans: Span[] = [];
  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(pieces).toString()) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)));
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await until('the collector listens', () => server.listening);
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    server.close();
    server.closeAllConnections();
  });
  return spans;
}

describe('traces', () => {
  it('go through a chain, from the trace of whoever began it', async () => {
    const spans = await collector();
    const server = await served();
    const [me, dev, qa] = [await server.tokenFor('@me'), await server.tokenFor('@dev'), await server.tokenFor('@qa')];
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const send = async (token: string, body: object, headers = {}): Promise<string> =>
      ((await server.ask('POST', '/api/handoffs', { token, body, headers })).json as HandoffView).id;
    const first = await send(me, { to: '@dev' }, { traceparent });
    const taken = (await server.ask('POST', '/api/claims', { token: dev, body: {} })).json as WholeView;
    expect(taken.context).toEqual({ traceparent });
    const second = await send(dev, { to: '@qa', parent: first });
    await server.ask('POST', '/api/claims', { token: qa, body: {} });
    await server.ask('POST', `/api/handoffs/${second}/deliver`, { token: qa, body: { fence: 1 } });
    await server.ask('POST', `/api/handoffs/${first}/deliver`, { token: dev, body: { fence: 1 } });
    const alone = await send(me, { to: '@dev' });
    await server.ask('POST', `/api/handoffs/${alone}/cancel`, { token: me, body: {} });
    await server.stop();

    const named = (name: string): Span => spans.find((span) => span.name === name) as Span;
    const [leg, next] = [named('@me → @dev'), named('@dev → @qa')];
    expect(spans.map(({ name }) => name).toSorted()).toEqual([
      '@dev → @qa',
      '@me → @dev',
      '@me → @dev',
      'attempt 1',
      'attempt 1',
    ]);
    expect([leg.traceId, leg.parentSpanId]).toEqual(['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']);
    expect([next.traceId, next.parentSpanId]).toEqual([leg.traceId, leg.spanId]);
    const other = spans.find((span) => span.traceId !== leg.traceId);
    expect([other?.name, other?.status.code]).toEqual(['@me → @dev', 2]);
  });

  it('are not told where nobody collects them', async () => {
    const server = await served();
    expect(server.logged()).not.toContain('exporting traces');
  });
});
