/** A server as its clients use it: every actor has its own token, and every call goes over HTTP. */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../foundation/error-message.ts';
import type { FactView, HandoffView } from '../../shared/views.ts';
import { cliProblem } from '../problem.ts';

export type DemoServer = ReturnType<typeof openDemoServer>;

export interface DemoAgent {
  readonly name: string;
  send(body: object): Promise<HandoffView>;
  /** Accepts the handoff as soon as its delay is over. */
  take(id: string): Promise<HandoffView>;
  move(id: string, move: string, body?: object): Promise<HandoffView>;
}

const TOKEN_SECONDS = 900;
const POLL_MS = 100;
const TAKE_MAX_MS = 30_000;

export function openDemoServer(url: string, operator: string) {
  const tokens: string[] = [];

  const ask = async <Answer>(token: string, method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw cliProblem('fault', `${url} does not respond: ${causeOf(error)}`);
    });
    const said = (await answer.json().catch(() => ({}))) as Answer & {
      readonly detail?: string;
      readonly code?: string;
    };
    if (answer.ok) return said;
    if (said.code === 'too-early') throw new NotYetAvailable();
    throw cliProblem(
      answer.status === 401 ? 'token-refused' : 'fault',
      `${url} answered ${answer.status}: ${said.detail ?? ''}`,
    );
  };

  return {
    /** An agent with this name. A verifier needs its role. */
    async actor(name: string, roles: readonly string[] = []): Promise<DemoAgent> {
      const request = { agent: name, roles, label: 'baton demo', expiresSeconds: TOKEN_SECONDS };
      const { token, id: tokenId } = await ask<{ token: string; id: string }>(operator, 'POST', '/api/tokens', request);
      tokens.push(tokenId);
      return {
        name,
        send: (body) => ask(token, 'POST', '/api/handoffs', body),
        take: async (id) => {
          for (const beganMs = performance.now(); ; await pause(POLL_MS)) {
            try {
              return await ask<HandoffView>(token, 'POST', `/api/handoffs/${encodeURIComponent(id)}/accept`, {});
            } catch (error) {
              if (!(error instanceof NotYetAvailable) || performance.now() - beganMs > TAKE_MAX_MS) throw error;
            }
          }
        },
        move: (id, move, body = {}) => ask(token, 'POST', `/api/handoffs/${encodeURIComponent(id)}/${move}`, body),
      };
    },
    facts: async (id: string) =>
      (await ask<{ items: readonly FactView[] }>(operator, 'GET', `/api/handoffs/${encodeURIComponent(id)}/facts`))
        .items,
    /** Revokes the tokens of all actors. */
    close: async () => {
      for (const id of tokens.splice(0)) await ask(operator, 'DELETE', `/api/tokens/${id}`).catch(() => undefined);
    },
  };
}

/** The delay of a retry is not over yet. */
class NotYetAvailable extends Error {}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return messageOf(cause);
}
