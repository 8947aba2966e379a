/** MCP over HTTP: a new server answers each request, with the rights of the request's token. */
import { createMcpHandler, type AuthInfo } from '@modelcontextprotocol/server';
import { stackOf } from '../../foundation/error-message.ts';
import { principalText, type Principal } from '../../domain/principal.ts';
import type { Context } from '../../engine/context.ts';
import { mcpServerFor } from '../../interfaces/mcp/server.ts';
import type { Log } from '../../interfaces/shared/log.ts';

declare const __BATON_VERSION__: string;

export type McpOverHttp = ReturnType<typeof openMcpOverHttp>;

export function openMcpOverHttp(ctx: Context, log: Log) {
  const onFault = (error: unknown, incident: string): void => log.error({ incident, error: stackOf(error) }, 'MCP');
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const principal = principalIn(authInfo);
      const agent = principal.kind === 'agent' ? principal.agent : null;
      // What is claimed over HTTP is held by lease: the caller may disappear at any time.
      const asking = { ctx, principal, agent, session: null, parent: null };
      return mcpServerFor({ asking, version: __BATON_VERSION__, onFault });
    },
    // Refused requests are the caller's business; they are answered.
    { onerror: (error) => log.debug({ error: error.message }, 'MCP') },
  );
  return {
    answer: (request: Request, principal: Principal) =>
      handler.fetch(request, {
        authInfo: { token: '', clientId: principalText(principal), scopes: [], extra: { principal } },
      }),
    close: () => handler.close(),
  };
}

function principalIn(authInfo: AuthInfo | undefined): Principal {
  const principal = authInfo?.extra?.['principal'] as Principal | undefined;
  if (principal === undefined) throw new Error('a request without a principal reached MCP');
  return principal;
}
