/**
 * The look of an agent's hook into a SQLite database, without the whole command: that would cost the agent twice as much.
 * A server, and whatever is out of the ordinary (a database by BATON_DATABASE, a `baton.yaml` that no command has read
 * since it was changed, a token that is not good), is left to `baton hook --later`.
 */
import { existsSync } from 'node:fs';
import { systemClock } from '../foundation/clock.ts';
import { flawOfOwnFile } from '../foundation/own-file.ts';
import type { AgentId } from '../domain/names.ts';
import { agentPrincipal, principalText } from '../domain/principal.ts';
import { lookForWork, postponeLook, type WakeSource } from '../adapters/agent-sessions/wake-look.ts';
import type { WakeRequest } from '../agents/journal/announce-work.ts';
import { workWaitingFor } from '../engine/wake.ts';
import type { LookStore } from '../stores/look-store.ts';
import { openToLook } from '../stores/sqlite/open-to-look.ts';
import type { ConfigurationText } from '../workspace/configuration-shape.ts';
import { databaseOfWorkspace } from '../workspace/database-address.ts';
import { provenBy } from '../workspace/identity.ts';
import { keptConfiguration, mayConcernLook } from '../workspace/kept-configuration.ts';
import { privateFiles, workspaceAt, type Workspace } from '../workspace/workspace.ts';

/** A person waits for the agent, and the agent for its hook. */
const LOOK_MAX_MS = 10_000;

export interface Looked {
  /** What the agent's program is told; null: nothing. */
  readonly told: object | null;
  /** The database has not answered: what still waits for it would keep this process, and with it the agent. */
  readonly isLate?: true;
}

/** Null: the background process has to look. What is not announced now is announced at a later turn or session start. */
export async function lookHere(folder: string, request: WakeRequest): Promise<Looked | null> {
  const workspace = workspaceAt(folder);
  const postponed = (): Looked => {
    // The next turns must not wait for the database as well.
    postponeLook(folder, request.agent);
    return { told: null };
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Looked>((resolve) => {
    timer = setTimeout(() => resolve({ ...postponed(), isLate: true }), LOOK_MAX_MS);
  });
  const look = withSource(workspace, request.agent, async (source) => ({
    told: await lookForWork(source, workspace, request),
  })).catch(postponed);
  const looked = await Promise.race([look, late]);
  clearTimeout(timer);
  return looked;
}

/** How many handoffs the agent could take now; null: that is not known here. A status line is drawn all the time. */
export function countHere(folder: string, agent: AgentId): Promise<number | null> {
  return withSource(workspaceAt(folder), agent, async ({ store, hooks }) =>
    hooks === 'on' ? (await workWaitingFor(store, agent)).ready.length : 0,
  );
}

async function withSource<Answer>(
  workspace: Workspace,
  agent: AgentId,
  act: (source: WakeSource) => Promise<Answer>,
): Promise<Answer | null> {
  if ((process.env['BATON_DATABASE'] ?? '') !== '') return null;
  if (privateFiles(workspace).some((file) => flawOfOwnFile(file) !== null)) return null;
  const text = settingsOf(workspace);
  if (text === null) return null;
  const database = databaseOfWorkspace(workspace, text);
  // The driver and the connection alone take longer than an agent should wait.
  if (database.kind !== 'sqlite') return null;
  const store = existsSync(database.path) ? openToLook(database.path, systemClock) : null;
  if (store === null) return null;
  try {
    if (!(await mayRead(store, agent))) return null;
    return await act({ store, database, hooks: text.wake?.hooks ?? 'on' });
  } finally {
    await store.close();
  }
}

/** Null: the file has changed since a command parsed it; parsing it here would take a fifth of the hook's time. */
function settingsOf(workspace: Workspace): Pick<ConfigurationText, 'database' | 'wake'> | null {
  const { text, source } = keptConfiguration(workspace);
  return text === null && !mayConcernLook(source) ? {} : text;
}

/** Reading needs no token, but one that is shown has to be good, and the agent's own. */
async function mayRead(store: LookStore, agent: AgentId): Promise<boolean> {
  const token = process.env['BATON_TOKEN'] ?? '';
  if (token === '') return true;
  const proven = await provenBy({ store, rules: { rolesOf: () => [] } }, token, 'read');
  return proven.ok && principalText(proven.value.principal) === principalText(agentPrincipal(agent));
}
