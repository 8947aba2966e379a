import { openApp, type App } from '../../src/app/open-app.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import type { Body } from '../../src/domain/body.ts';
import type { AgentId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { runDuty } from '../../src/engine/duty.ts';
import { send, sendMany, type SendRequest } from '../../src/engine/handoffs/send.ts';
import { work } from '../../src/engine/work.ts';
import type { Json } from '../../src/foundation/json.ts';
import type { Contestant, Input } from './contestant.ts';
import { openCount } from './open-count.ts';

const FROM = 'sender' as AgentId;
const TO = 'worker' as AgentId;

const open = (url: string): Promise<App> => openApp({ database: { kind: 'postgres', url }, limits: NO_LIMITS });
const requestOf = (input: Input): SendRequest => ({ from: FROM, to: TO, input: input as unknown as Json });

export const batonPostgres: Contestant = {
  name: 'baton',
  keepsFinished: true,
  prepare: async (url) => (await open(url)).close(),
  openProducer: async (url) => {
    const { ctx, close } = await open(url);
    const unfinished = openCount(url, 'SELECT count(*)::int AS open FROM baton.handoff WHERE state < 5');
    const principal = agentPrincipal(FROM);
    const requireOk = (answer: { readonly ok: boolean }): void => {
      if (!answer.ok) throw new Error(`refused: ${JSON.stringify(answer)}`);
    };
    return {
      send: async (input) => requireOk(await send(ctx, principal, requestOf(input))),
      sendMany: async (inputs) => requireOk(await sendMany(ctx, principal, inputs.map(requestOf))),
      unfinished: unfinished.count,
      close: async () => {
        await unfinished.close();
        await close();
      },
    };
  },
  startWorker: async (url, concurrency, onStart) => {
    const { ctx, close } = await open(url);
    const stop = new AbortController();
    const duty = runDuty(ctx, stop.signal);
    const working = work(ctx, {
      agent: TO,
      concurrency,
      stop: stop.signal,
      handler: async ({ body }) => {
        await onStart((JSON.parse(body) as Body).input as unknown as Input);
        return null;
      },
    });
    return {
      stop: async () => {
        stop.abort();
        await Promise.all([working, duty]);
        await close();
      },
    };
  },
};
