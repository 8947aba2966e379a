/** MCP on standard input and output, for one agent, as long as its program keeps the pipe open. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { openAgentSession } from '../../engine/agent-session.ts';
import type { Principal } from '../../domain/principal.ts';
import { mcpServerFor } from '../../interfaces/mcp/server.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';
import type { ServeMcpOptions } from '../../interfaces/cli/app.ts';

declare const __BATON_VERSION__: string;

/** Resolves when the client has closed the pipe, or `stop` is aborted; held handoffs are released. */
export async function serveMcp(
  { ctx }: OpenWorkspace,
  principal: Principal,
  { parent, onFault, stop }: ServeMcpOptions,
): Promise<void> {
  const agent = principal.kind === 'agent' ? principal.agent : null;
  // A token may end while the agent runs: its handoffs are then held by lease, which ends with the token.
  const isProven = principal.kind === 'agent' && 'token' in principal && principal.token !== undefined;
  const session = agent === null || isProven ? null : openAgentSession(ctx, principal, agent);
  const asking = { ctx, principal, agent, session, parent };
  const ended = new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    process.stdin.once('end', resolve).once('close', resolve);
    if (stop.aborted) resolve();
  });
  const serving = serveStdio(() => mcpServerFor({ asking, version: __BATON_VERSION__, onFault }), {
    onerror: (error) => onFault(error, 'transport'),
  });
  await ended;
  await serving.close();
  await session?.close();
}
