/** Everything the server needs, passed in: the server opens no database and knows no workspace. */
import type * as z from 'zod';
import type { Log } from '../shared/log.ts';
import type { QuarantineShape } from '../shared/view-shapes.ts';
import type { Result } from '../../foundation/result.ts';
import type { AgentLimit } from '../../domain/limits.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Principal, Role } from '../../domain/principal.ts';
import type { ProjectTrail } from '../../domain/project-trail.ts';
import type { Context } from '../../engine/context.ts';
import type { AgentSession } from '../../domain/agent-session.ts';
import type { HookCall } from '../../agents/agent-host.ts';
import type { AgentRuntime } from '../../engine/succession/agent-runtime.ts';
import type { TokenWatch } from '../../engine/token-watch.ts';
import type { IdentityRefusal, Minted, ProvenToken, Scope, TokenRequest } from '../../workspace/identity.ts';
import type { Capacity } from './capacity.ts';
import type { Denials } from './denials.ts';
import type { Hub } from './events/hub.ts';
import type { Logins } from './logins.ts';
import type { Metrics } from './metrics.ts';
import type { Counters } from './counters.ts';
import type { Totals } from './totals.ts';
import type { WorkNotes } from './work-progress-cache.ts';

export interface ServerContext {
  readonly ctx: Context;
  readonly project: string | null;
  readonly version: string;
  readonly access: Access;
  readonly logins: Logins;
  /** Ends requests whose token has ended. */
  readonly tokens: TokenWatch;
  readonly denials: Denials;
  readonly capacity: Capacity;
  readonly hub: Hub;
  readonly counters: Counters;
  readonly notes: WorkNotes;
  readonly totals: Totals;
  readonly projects: { read(): Promise<readonly ProjectTrail[]> };
  readonly metrics: Metrics;
  readonly agents: Directory;
  /** Running agents of the workspace; null: the server has none. */
  readonly successions: Successions | null;
  readonly log: Log;
  /** The folder of the built dashboard. */
  readonly webFolder: string;
  /** Answers a request of the Model Context Protocol in the name of a caller. */
  readonly mcp: (request: Request, principal: Principal) => Promise<Response>;
  /** Files in quarantine, with the reason. */
  readonly quarantine: (max: number) => Promise<readonly QuarantinedFile[]>;
  /** Aborted when the server ends, so that waiting requests are answered. */
  readonly stopping: AbortSignal;
}

interface Successions {
  readonly runtime: AgentRuntime;
  /** Drives the successions now. */
  driveNow(): void;
  /** What to answer to a hook of an agent: the work that waits for it; null: there is none. */
  wake(session: AgentSession, hook: HookCall): Promise<object | null>;
}

interface Access {
  /** Whose token it is, if the token is good for this scope. */
  prove(secret: string, scope: Scope): Promise<Result<ProvenToken, IdentityRefusal>>;
  /** The same for the id of a token; null: the token has ended. */
  ofToken(id: string): Promise<ProvenToken | null>;
  /** Makes a token. Nothing stores its secret. */
  mint(request: TokenRequest, by: Principal): Promise<Minted>;
}

/** The agents that the configuration names. */
interface Directory {
  readonly names: readonly AgentId[];
  readonly rolesOf: (agent: AgentId) => readonly Role[];
  readonly limitOf: (agent: AgentId) => AgentLimit;
  /** Whether this server runs a worker for the agent. */
  readonly worksHere: (agent: AgentId) => boolean;
}

export type QuarantinedFile = z.output<typeof QuarantineShape>['items'][number];
