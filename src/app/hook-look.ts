/**
 * The look of an agent's hook into a SQLite database, without the whole command: that would cost the agent twice as much.
 * Whatever is out of the ordinary (another database, a `baton.yaml` that nobody has read yet, a token that is not good)
 * is the whole command's business.
 */
import { existsSync } from 'node:fs';
import { systemClock } from '../foundation/clock.ts';
import { flawOfOwnFile } from '../foundation/own-file.ts';
import { systemRandom } from '../foundation/random.ts';
import { NO_LIMITS } from '../domain/limits.ts';
import type { AgentId } from '../domain/names.ts';
import { agentPrincipal, principalText } from '../domain/principal.ts';
import { lookForWork, postponeLook, type WakeRequest, type WakeSource } from '../adapters/agents/wake-look.ts';
import { workWaitingFor } from '../engine/wake.ts';
import { openSqliteStore } from '../stores/sqlite/open-sqlite-store.ts';
import type { Store } from '../stores/store.ts';
import { databaseOfWorkspace } from '../workspace/database-address.ts';
import { provenBy } from '../workspace/identity.ts';
import { keptConfiguration } from '../workspace/kept-configuration.ts';
import { privateFiles, workspaceAt, type Workspace } from '../workspace/workspace.ts';

/** What the agent's program is told (`told: null` is nothing); null: ask the whole command. */
export async function lookHere(folder: string, request: WakeRequest): Promise<{ readonly told: object | null } | null> {
  const workspace = workspaceAt(folder);
  try {
    return await withSource(workspace, request.agent, async (source) => ({
      told: await lookForWork(source, workspace, request),
    }));
  } catch {
    // The database does not answer: the next turns are not kept waiting for it as well.
    postponeLook(folder, request.agent);
    return { told: null };
  }
}

/** How many handoffs the agent could take now; null: that is not known here. */
export function countHere(folder: string, agent: AgentId): Promise<number | null> {
  return withSource(workspaceAt(folder), agent, async ({ store, hooks }) =>
    hooks === 'on' ? (await workWaitingFor({ store }, agent)).ready.length : 0,
  );
}

async function withSource<Answer>(
  workspace: Workspace,
  agent: AgentId,
  act: (source: WakeSource) => Promise<Answer>,
): Promise<Answer | null> {
  if ((process.env['BATON_DATABASE'] ?? '') !== '') return null;
  if (privateFiles(workspace).some((file) => flawOfOwnFile(file) !== null)) return null;
  const { text } = keptConfiguration(workspace);
  if (text === null) return null;
  const database = databaseOfWorkspace(workspace, text);
  if (database.kind !== 'sqlite' || !existsSync(database.path)) return null;
  const store = openSqliteStore({
    path: database.path,
    limits: NO_LIMITS,
    clock: systemClock,
    random: systemRandom,
    // Only sessions of workers need it, and a look has none.
    boot: '',
    readOnly: () => undefined,
  });
  try {
    if (!(await mayRead(store, agent))) return null;
    return await act({ store, database, hooks: text.wake?.hooks ?? 'on' });
  } finally {
    await store.close();
  }
}

/** Reading needs no token, but one that is shown has to be good, and the agent's own. */
async function mayRead(store: Store, agent: AgentId): Promise<boolean> {
  const token = process.env['BATON_TOKEN'] ?? '';
  if (token === '') return true;
  const proven = await provenBy({ store, rules: { rolesOf: () => [] } }, token, 'read');
  return proven.ok && principalText(proven.value.principal) === principalText(agentPrincipal(agent));
}
