/** `baton serve`: the HTTP face on a workspace, with the duty and the workers that the configuration asks for. */
import { setMaxListeners } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { yes, refuse } from '../../foundation/result.ts';
import { codeOf } from '../../foundation/error-code.ts';
import { openProjects } from '../../engine/verbs/projects.ts';
import { standDuty } from '../../engine/duty.ts';
import { watchFeed } from '../../engine/feed-holders.ts';
import { openTokenWatch, whyNotGood } from '../../engine/token-watch.ts';
import { nameInLog } from '../../engine/verbs/revoke-token.ts';
import { openCapacity } from '../../faces/http/capacity.ts';
import { DEFAULT_SERVER_LIMITS } from '../../faces/http/server-limits.ts';
import { openDenials } from '../../faces/http/denials.ts';
import { openHub } from '../../faces/http/events/hub.ts';
import { openMetrics } from '../../faces/http/metrics.ts';
import { openLogins } from '../../faces/http/logins.ts';
import type { Premises } from '../../faces/http/premises.ts';
import { startServer, type RunningServer } from '../../faces/http/server.ts';
import { openTally } from '../../faces/http/tally.ts';
import type { Limits } from '../../domain/limits.ts';
import { localUser, mintServerToken, mintToken, provenBy, SCOPES } from '../identity.ts';
import type { OpenWorkspace } from '../open-workspace.ts';
import type { ServerLog } from './log.ts';
import { quarantineIn } from './quarantine.ts';
import {
  claimServing,
  keepServing,
  leaveServing,
  readServingFile,
  servedBy,
  type ServingFile,
} from './serving-file.ts';
import { startWorkers } from './workers.ts';

declare const __BATON_VERSION__: string;

export interface ServingOptions {
  readonly host: string;
  readonly port: number;
  /** When that port is taken, any other will do. */
  readonly orAnyPort: boolean;
  readonly allowHosts: readonly string[];
  readonly log: ServerLog;
  /** The id of the operator token that was shown to start it: its first login link ends with that token. */
  readonly startedWith?: string | null;
}

export interface Serving {
  readonly url: string;
  /** Opens the dashboard, once. */
  readonly link: string;
  /** What is served, for people. */
  readonly where: string;
  /** Ends when the first signal is aborted and everything has come to its end; the second hurries it. */
  until(stop: AbortSignal, insist: AbortSignal): Promise<void>;
}

export class AlreadyServing extends Error {
  override readonly name = 'AlreadyServing';
  readonly first: ServingFile;

  constructor(first: ServingFile) {
    super(`served already at ${first.url}`);
    this.first = first;
  }
}

export async function startServing(house: OpenWorkspace, options: ServingOptions): Promise<Serving> {
  const { around, workspace, configuration } = house;
  const { log } = options;
  const first = workspace === null ? null : servedBy(workspace, around.liveness);
  if (first !== null) throw new AlreadyServing(first);

  const stopping = new AbortController();
  // Every request that waits listens to it.
  setMaxListeners(0, stopping.signal);
  const premises = await premisesOf(house, log, stopping);
  const traces = isTraced() ? await (await import('./traces.ts')).openTraces(around, log) : null;
  premises.hub.join(premises.hub.position(), ({ told }) => traces?.hear(told));
  const server = await startAt(premises, stopping, options);
  let file: ServingFile | null = null;
  try {
    file = await announce(house, server.url);
  } catch (error) {
    stopping.abort('over');
    await Promise.all([server.close(), premises.hub.close()]);
    throw error;
  }
  const resting = new AbortController();
  const duty = standDuty(around, resting.signal);
  const kept = workspace === null ? null : keepServing(workspace, around.timers, resting.signal);
  log.info({ url: server.url, version: __BATON_VERSION__ }, 'serving');

  return {
    url: server.url,
    link: `${server.url}/login?code=${premises.logins.newCode(options.startedWith ?? file?.tokenId ?? null)}`,
    where: configuration.project ?? workspace?.folder ?? 'the database',
    until: async (stop, insist) => {
      const workers = startWorkers(house, log, stop, insist);
      await untilAborted(stop);
      log.info({}, 'stopping');
      stopping.abort('over');
      await Promise.all([server.close(), workers]);
      await premises.denials.close();
      // The last facts, such as those of workers that have just ended.
      await premises.hub.look().catch(() => undefined);
      await premises.hub.close();
      await traces?.close();
      resting.abort('over');
      await duty;
      await kept;
      if (file !== null && workspace !== null) {
        leaveServing(workspace, file);
        await around.store.tokens.revoke(file.tokenId, { by: localUser() });
      }
      log.info({}, 'stopped');
    },
  };
}

async function premisesOf(house: OpenWorkspace, log: ServerLog, stopping: AbortController): Promise<Premises> {
  const { around, workspace, configuration } = house;
  // Asked each time: the stored policy may change while the server runs.
  const limits = (): Limits => house.configuration.limits;
  const hub = await openHub(around, (error) => log.error({ error: String(error) }, 'following the trail'));
  const tally = await openTally(around);
  hub.join(hub.position(), ({ told }) => tally.hear(told));
  return {
    around,
    project: configuration.project,
    version: __BATON_VERSION__,
    access: {
      prove: async (secret, scope) => {
        const proven = await provenBy(around, secret, scope);
        if (!proven.ok) return refuse(proven.refusal);
        const { principal, record } = proven.value;
        return yes({ principal, name: record.id, scopes: record.scopes });
      },
      isGood: async (token) => {
        const [record] = await around.store.tokens.byIds([token]);
        return whyNotGood(record ?? null, around.store.nowMs()) === null;
      },
      mint: (wish, by) => mintToken(around, wish, { by: nameInLog(by) }),
    },
    logins: openLogins(around),
    tokens: openTokenWatch(around),
    denials: openDenials(around.store.tokens, around.clock, (error) =>
      log.error({ error: String(error) }, 'writing the token log'),
    ),
    capacity: openCapacity(configuration.server ?? DEFAULT_SERVER_LIMITS, around.clock),
    hub,
    tally,
    projects: openProjects(around),
    metrics: openMetrics(tally, around.clock, watchFeed(around, stopping.signal)),
    agents: {
      get names() {
        return [...house.configuration.agents.keys()];
      },
      rolesOf: around.rules.rolesOf,
      limitOf: (agent) => limits().agents.get(agent) ?? limits().everyone,
      worksHere: (agent) => (configuration.agents.get(agent) ?? null) !== null,
    },
    log,
    webFolder: webFolder(),
    quarantine: (max) => quarantineIn(workspace, max),
    stopping: stopping.signal,
  };
}

async function startAt(premises: Premises, stopping: AbortController, options: ServingOptions): Promise<RunningServer> {
  try {
    return await startServer(premises, options);
  } catch (error) {
    const tryAnother = options.orAnyPort && codeOf(error) === 'EADDRINUSE';
    if (tryAnother) return startServer(premises, { ...options, port: 0 });
    stopping.abort('over');
    await premises.hub.close();
    throw error;
  }
}

/** Writes down who serves; the token of one that died without putting it away is worth nothing any more. */
async function announce({ around, workspace }: OpenWorkspace, url: string): Promise<ServingFile | null> {
  if (workspace === null) return null;
  const left = readServingFile(workspace);
  const { secret, record } = await mintServerToken(around, {
    agent: null,
    roles: [],
    scopes: SCOPES,
    label: `baton serve, process ${process.pid}`,
    lifeMs: null,
  });
  const file = { url, process: around.liveness.self, token: secret, tokenId: record.id };
  const first = claimServing(workspace, around.liveness, file);
  if (first !== null) {
    await around.store.tokens.revoke(record.id, { by: localUser() });
    throw new AlreadyServing(first);
  }
  if (left !== null) await around.store.tokens.revoke(left.tokenId, { by: localUser() });
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
