/** `baton serve`: the HTTP server of a workspace, with the duty and the configured workers. */
import { setMaxListeners } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { once } from '../../foundation/lazy-methods.ts';
import { codeOf } from '../../foundation/system-error-code.ts';
import { openProjects } from '../../engine/handoffs/projects.ts';
import { superviseAgents, type Supervisor } from '../../engine/succession/supervise.ts';
import type { AgentRuntime } from '../../engine/succession/agent-runtime.ts';
import { openAgents } from '../../adapters/agent-sessions/open-agents.ts';
import { answerPostedHook } from '../../adapters/agent-sessions/hook-announcements.ts';
import { runDuty } from '../../engine/duty.ts';
import { watchFeed } from '../../engine/feed-blockers.ts';
import { openTokenWatch } from '../../engine/token-watch.ts';
import { nameInLog } from '../../engine/handoffs/revoke-token.ts';
import { openCapacity } from '../../interfaces/http/capacity.ts';
import { DEFAULT_SERVER_LIMITS } from '../../workspace/server-limits.ts';
import { openDenials } from '../../interfaces/http/denials.ts';
import { openHub } from '../../interfaces/http/events/hub.ts';
import { openMetrics } from '../../interfaces/http/metrics.ts';
import { openLogins } from '../../interfaces/http/logins.ts';
import type { ServerContext } from '../../interfaces/http/server-context.ts';
import { startServer, type RunningServer } from '../../interfaces/http/server.ts';
import { openCounters } from '../../interfaces/http/counters.ts';
import { openTotals } from '../../interfaces/http/totals.ts';
import { openWorkNotes } from '../../interfaces/http/work-progress-cache.ts';
import type { Limits } from '../../domain/limits.ts';
import { localUser, makeSessionToken, mintToken, verifyToken, verifyTokenId } from '../../workspace/identity.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';
import type { ServerLog, Serving, ServingOptions } from '../../interfaces/cli/app.ts';
import type { Context } from '../../engine/context.ts';
import { quarantineIn } from './quarantine.ts';
import {
  AlreadyServing,
  claimServing,
  touchServingFile,
  leaveServing,
  readServingFile,
  servedBy,
  type ServingFile,
} from '../../workspace/serving-file.ts';
import { sessionFileOf } from '../../workspace/browser-sessions.ts';
import { startWorkers } from './workers.ts';

declare const __BATON_VERSION__: string;

export async function startServing(app: OpenWorkspace, options: ServingOptions): Promise<Serving> {
  const { ctx, workspace, configuration } = app;
  const { log } = options;
  const first = workspace === null ? null : servedBy(workspace, ctx.liveness);
  if (first !== null) throw new AlreadyServing(first);

  const stopping = new AbortController();
  // Every request that waits listens to it.
  setMaxListeners(0, stopping.signal);
  const agents = await agentsOf(app);
  const serverContext = await serverContextOf(app, log, stopping, agents);
  const traces = isTraced() ? await (await import('./traces.ts')).openTraces(ctx, log) : null;
  serverContext.hub.join(serverContext.hub.position(), ({ events }) => traces?.addEvents(events));
  const server = await startAt(serverContext, stopping, options).catch(async (error: unknown) => {
    await agents?.supervisor.close();
    throw error;
  });
  let file: ServingFile | null = null;
  try {
    file = await writeOwnServingFile(app, server.url);
    if (file !== null) serverContext.logins.serveAs(file.tokenId);
  } catch (error) {
    stopping.abort('over');
    await Promise.all([server.close(), serverContext.hub.close(), agents?.supervisor.close()]);
    throw error;
  }
  const resting = new AbortController();
  const duty = runDuty(ctx, resting.signal);
  const kept = workspace === null ? null : touchServingFile(workspace, ctx.timers, resting.signal);
  log.info({ url: server.url, version: __BATON_VERSION__ }, 'serving');

  return {
    url: server.url,
    link: `${server.url}/login?code=${serverContext.logins.newCode(options.startedWith ?? file?.tokenId ?? null)}`,
    where: configuration.project ?? workspace?.folder ?? 'the database',
    until: async (stop, insist) => {
      const workers = startWorkers(app, log, stop, insist);
      await untilAborted(stop);
      log.info({}, 'stopping');
      stopping.abort('over');
      await Promise.all([server.close(), workers, agents?.supervisor.close()]);
      await serverContext.denials.close();
      // The last facts, such as those of workers that have just ended.
      await serverContext.hub.poll().catch(() => undefined);
      await serverContext.hub.close();
      await traces?.close();
      resting.abort('over');
      await duty;
      await kept;
      if (file !== null && workspace !== null) {
        leaveServing(workspace, file);
        await ctx.store.tokens.revoke(file.tokenId, { by: localUser() });
      }
      log.info({}, 'stopped');
    },
  };
}

/** The agents of this workspace, looked after for as long as the server runs. */
interface SupervisedAgents {
  readonly runtime: AgentRuntime;
  readonly supervisor: Supervisor;
}

async function agentsOf(app: OpenWorkspace): Promise<SupervisedAgents | null> {
  const { ctx, workspace } = app;
  if (workspace === null) return null;
  const runtime = openAgents(workspace, app);
  return { runtime, supervisor: superviseAgents(ctx, runtime) };
}

async function serverContextOf(
  app: OpenWorkspace,
  log: ServerLog,
  stopping: AbortController,
  agents: SupervisedAgents | null,
): Promise<ServerContext> {
  const { ctx, workspace, configuration } = app;
  // Asked each time: the stored policy may change while the server runs.
  const limits = (): Limits => app.configuration.limits;
  const hub = await openHub(ctx, (error) => log.error({ error: String(error) }, 'following the trail'));
  const counters = await openCounters(ctx);
  const notes = openWorkNotes(ctx);
  hub.join(hub.position(), ({ events }) => {
    counters.addEvents(events);
    notes.addEvents(events);
  });
  return {
    ctx,
    project: configuration.project,
    version: __BATON_VERSION__,
    access: {
      prove: (secret, scope) => verifyToken(ctx, secret, scope),
      ofToken: (id) => verifyTokenId(ctx, id),
      mint: (wish, by) => mintToken(ctx, wish, { by: nameInLog(by) }),
    },
    logins: openLogins(ctx, workspace === null ? null : sessionFileOf(workspace)),
    tokens: openTokenWatch(ctx),
    denials: openDenials(ctx.store.tokens, ctx.clock, (error) =>
      log.error({ error: String(error) }, 'writing the token log'),
    ),
    capacity: openCapacity(configuration.server ?? DEFAULT_SERVER_LIMITS, ctx.clock),
    hub,
    counters,
    notes,
    totals: openTotals(ctx.store, ctx.clock),
    projects: openProjects(ctx),
    metrics: openMetrics(counters, ctx.clock, watchFeed(ctx, stopping.signal)),
    agents: {
      get names() {
        return [...app.configuration.agents.keys()];
      },
      rolesOf: ctx.rules.rolesOf,
      limitOf: (agent) => limits().agents.get(agent) ?? limits().everyone,
      worksHere: (agent) => (configuration.agents.get(agent) ?? null) !== null,
    },
    successions:
      agents === null || workspace === null
        ? null
        : {
            runtime: agents.runtime,
            driveNow: () => agents.supervisor.nudge(),
            wake: (session, hook) => answerPostedHook(app, workspace, session, hook),
          },
    log,
    mcp: lazyMcp(ctx, log, stopping.signal),
    webFolder: webFolder(),
    quarantine: (max) => quarantineIn(workspace, max),
    stopping: stopping.signal,
  };
}

/** Loaded with the first request: most servers never see one. */
function lazyMcp(ctx: Context, log: ServerLog, stopping: AbortSignal): ServerContext['mcp'] {
  const open = once(async () => {
    const mcp = (await import('../mcp/mcp-over-http.ts')).openMcpOverHttp(ctx, log);
    stopping.addEventListener('abort', () => void mcp.close(), { once: true });
    return mcp;
  });
  return async (request, principal) => (await open()).answer(request, principal);
}

async function startAt(
  serverContext: ServerContext,
  stopping: AbortController,
  options: ServingOptions,
): Promise<RunningServer> {
  try {
    return await startServer(serverContext, options);
  } catch (error) {
    const tryAnother = options.orAnyPort && codeOf(error) === 'EADDRINUSE';
    if (tryAnother) return startServer(serverContext, { ...options, port: 0 });
    stopping.abort('over');
    await serverContext.hub.close();
    throw error;
  }
}

/** Writes the file that names this server, and revokes the token of a server that died without doing so. */
async function writeOwnServingFile({ ctx, workspace }: OpenWorkspace, url: string): Promise<ServingFile | null> {
  if (workspace === null) return null;
  const left = readServingFile(workspace);
  const { id, secret, save } = makeSessionToken(ctx, null, `baton serve, process ${process.pid}`);
  await save();
  const file = { url, process: ctx.liveness.self, token: secret, tokenId: id };
  const first = claimServing(workspace, ctx.liveness, file);
  if (first !== null) {
    await ctx.store.tokens.revoke(id, { by: localUser() });
    throw new AlreadyServing(first);
  }
  if (left !== null) await ctx.store.tokens.revoke(left.tokenId, { by: localUser() });
  return file;
}

/** By the variables that OpenTelemetry itself reads. */
function isTraced(): boolean {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  return names.some((name) => (process.env[name] ?? '') !== '');
}

/** Beside the command when it is built, and in `dist/` when the sources run as they are. */
function webFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [join(here, '..', 'web'), join(here, 'web'), join(here, '../../../dist/web')];
  return places.find((place) => existsSync(join(place, 'index.html'))) ?? (places[0] as string);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
