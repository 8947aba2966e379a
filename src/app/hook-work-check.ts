/**
 * The look of an agent's hook into a SQLite database, without the whole command: that would cost the agent twice as much.
 * A server, and whatever is out of the ordinary (a database by BATON_DATABASE, a `baton.yaml` that no command has read
 * since it was changed, a token that is not good), is left to `baton hook --later`.
 */
import { existsSync } from 'node:fs';
import { systemClock } from '../foundation/clock.ts';
import { ownershipProblem } from '../foundation/file-ownership.ts';
import type { AgentId } from '../domain/names.ts';
import { agentPrincipal, principalText } from '../domain/principal.ts';
import { checkForWork, postponeWorkCheck, type WakeSource } from '../adapters/agent-sessions/check-for-work.ts';
import type { WakeRequest } from '../agents/journal/announce-work.ts';
import { workWaitingFor } from '../engine/wake.ts';
import type { OfferReader } from '../stores/offer-reader.ts';
import { openOfferReader } from '../stores/sqlite/open-offer-reader.ts';
import type { ConfigurationText } from '../workspace/configuration-shape.ts';
import { databaseOfWorkspace } from '../workspace/database-address.ts';
import { verifyToken } from '../workspace/identity.ts';
import { readCachedConfiguration, mayAffectWorkCheck } from '../workspace/configuration-cache-file.ts';
import { privateFiles, workspaceAt, type Workspace } from '../workspace/workspace.ts';

/** Short, because the agent waits for its hook, and a person for the agent. */
const CHECK_TIMEOUT_MS = 10_000;

export interface WorkCheck {
  /** The JSON for the program of the agent; null: nothing to announce. */
  readonly output: object | null;
  /** The database has not answered. The open request would keep this process, and with it the agent, alive. */
  readonly isLate?: true;
}

/** Null: the background process has to look. What is not announced now is announced at a later turn or session start. */
export async function checkForWorkHere(folder: string, request: WakeRequest): Promise<WorkCheck | null> {
  const workspace = workspaceAt(folder);
  const postponed = (): WorkCheck => {
    // The next turns must not wait for the database as well.
    postponeWorkCheck(folder, request.agent);
    return { output: null };
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<WorkCheck>((resolve) => {
    timer = setTimeout(() => resolve({ ...postponed(), isLate: true }), CHECK_TIMEOUT_MS);
  });
  const check = withSource(workspace, request.agent, async (source) => ({
    output: await checkForWork(source, workspace, request),
  })).catch(postponed);
  const first = await Promise.race([check, late]);
  clearTimeout(timer);
  return first;
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
  if (privateFiles(workspace).some((file) => ownershipProblem(file) !== null)) return null;
  const text = settingsOf(workspace);
  if (text === null) return null;
  const database = databaseOfWorkspace(workspace, text);
  // The driver and the connection alone take longer than an agent should wait.
  if (database.kind !== 'sqlite') return null;
  const store = existsSync(database.path) ? openOfferReader(database.path, systemClock) : null;
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
  const { text, source } = readCachedConfiguration(workspace);
  return text === null && !mayAffectWorkCheck(source) ? {} : text;
}

/** Reading needs no token, but one that is shown has to be good, and the agent's own. */
async function mayRead(store: OfferReader, agent: AgentId): Promise<boolean> {
  const token = process.env['BATON_TOKEN'] ?? '';
  if (token === '') return true;
  const proven = await verifyToken({ store, rules: { rolesOf: () => [] } }, token, 'read');
  return proven.ok && principalText(proven.value.principal) === principalText(agentPrincipal(agent));
}
