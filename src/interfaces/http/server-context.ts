/** Everything the server needs from the house, passed in: it opens no database and knows no workspace. */
import type { Log } from '../shared/log.ts';
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
import type { TokenRecord } from '../../stores/store.ts';
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
  /** Who waits with which token. */
  readonly tokens: TokenWatch;
  readonly denials: Denials;
  readonly capacity: Capacity;
  readonly hub: Hub;
  readonly tally: Counters;
  readonly notes: WorkNotes;
  readonly totals: Totals;
  readonly projects: { read(): Promise<readonly ProjectTrail[]> };
  readonly metrics: Metrics;
  readonly agents: Directory;
  /** Running agents of this workspace; null where there is no workspace. */
  readonly successions: Successions | null;
  readonly log: Log;
  /** Where the built dashboard lies. */
  readonly webFolder: string;
  /** Answers a request of the Model Context Protocol in the name of a caller. */
  readonly mcp: (request: Request, principal: Principal) => Promise<Response>;
  /** Files that could not be understood, with the reason. */
  readonly quarantine: (max: number) => Promise<readonly QuarantinedFile[]>;
  /** Aborted when the server is to end: whoever waits is told. */
  readonly stopping: AbortSignal;
}

/** What the server asks of running agents. */
interface Successions {
  readonly runtime: AgentRuntime;
  /** There is something to do for one of them. */
  nudge(): void;
  /** Tells an agent of work for it, at a hook that it has posted; null: there is nothing to tell. */
  wake(session: AgentSession, hook: HookCall): Promise<object | null>;
}

export type Scope = 'read' | 'write';

interface Access {
  /** Whose a token is, if it is good for this. */
  prove(secret: string, scope: Scope): Promise<Result<Proof, AccessRefusal>>;
  /** Whose a token is that is known by its id; null: it opens nothing any more. */
  ofToken(id: string): Promise<Proof | null>;
  /** A new one; its secret is known only now. */
  mint(wish: TokenWish, by: Principal): Promise<{ readonly secret: string; readonly record: TokenRecord }>;
}

interface TokenWish {
  /** Null: an operator's. */
  readonly agent: AgentId | null;
  readonly roles: readonly Role[];
  readonly scopes: readonly Scope[];
  readonly label: string | null;
  readonly lifeMs: number | null;
}

export interface Proof {
  readonly principal: Principal;
  readonly name: string;
  readonly scopes: readonly string[];
}

interface AccessRefusal {
  readonly code: 'token-needed' | 'token-refused' | 'scope-missing';
  readonly says: string;
  /** The id of the token that was shown, where it is known. */
  readonly token?: string | null;
}

/** The agents that the configuration names. */
interface Directory {
  readonly names: readonly AgentId[];
  readonly rolesOf: (agent: AgentId) => readonly Role[];
  readonly limitOf: (agent: AgentId) => AgentLimit;
  /** Whether this server itself works for it. */
  readonly worksHere: (agent: AgentId) => boolean;
}

export interface QuarantinedFile {
  readonly name: string;
  readonly place: string;
  readonly says: string;
  readonly at: string;
}
