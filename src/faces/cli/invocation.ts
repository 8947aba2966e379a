/** What every command shares: its options, where the workspace is, who asks. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { NO_LIMITS } from '../../domain/limits.ts';
import {
  AGENT_NAME_RULE,
  HANDOFF_ID_RULE,
  readAgentId,
  readHandoffId,
  type AgentId,
  type HandoffId,
} from '../../domain/names.ts';
import { agentPrincipal, OPERATOR, type Principal } from '../../domain/principal.ts';
import type { EngineEvent, Surroundings } from '../../engine/surroundings.ts';
import type { DatabaseAddress } from '../../house/database-address.ts';
import { findWorkspace, workspaceAt, type Workspace } from '../../house/workspace.ts';
import { existsSync } from 'node:fs';
import { faceProblem } from './problem.ts';

export interface CommonOptions {
  readonly json?: true;
  readonly workspace?: string;
  readonly database?: string;
  readonly as?: string;
}

export function withCommonOptions(command: Command): Command {
  return command
    .option('--json', 'answer with JSON, for programs')
    .option('--workspace <dir>', 'the workspace (default: this folder or the nearest above it)')
    .option('--database <url>', 'postgres://… or a file (default: the workspace, or BATON_DATABASE)')
    .option('--as <agent>', 'in whose name to ask');
}

export interface Opened {
  readonly around: Surroundings;
  readonly workspace: Workspace | null;
  close(): Promise<void>;
}

export async function openFor(
  options: CommonOptions,
  report: (event: EngineEvent) => void = () => undefined,
): Promise<Opened> {
  const { workspace, database } = whereabouts(options);
  const configuration = workspace === null ? null : await configurationOf(workspace);
  const leaseMs = configuration?.leaseMs ?? null;
  const { openHouse } = await import('../../house/open-house.ts');
  const house = await openHouse({
    database,
    limits: configuration?.limits ?? NO_LIMITS,
    ...(leaseMs === null ? {} : { leaseMs }),
    report,
  });
  return { around: house.around, workspace, close: () => house.close() };
}

/** Which database is meant, before it is opened. */
export function whereabouts(options: CommonOptions): {
  readonly workspace: Workspace | null;
  readonly database: DatabaseAddress;
} {
  const workspace = workspaceOf(options);
  const { database, needsWorkspace } = databaseOf(options, workspace);
  if (needsWorkspace && workspace === null) {
    const where = resolve(options.workspace ?? '.');
    throw faceProblem('no-workspace', `no baton.yaml in ${where} or above it; make a workspace with: baton init`);
  }
  return { workspace, database };
}

function workspaceOf({ workspace }: CommonOptions): Workspace | null {
  if (workspace === undefined) return findWorkspace(process.cwd());
  const given = workspaceAt(workspace);
  return existsSync(given.configurationPath) ? given : null;
}

async function configurationOf(workspace: Workspace): Promise<{ limits: typeof NO_LIMITS; leaseMs: number | null }> {
  const { readConfiguration, ConfigurationProblem } = await import('../../house/configuration.ts');
  try {
    return readConfiguration(workspace.configurationPath);
  } catch (error) {
    if (error instanceof ConfigurationProblem) throw faceProblem('configuration', error.message);
    throw error;
  }
}

function databaseOf(
  options: CommonOptions,
  workspace: Workspace | null,
): { readonly database: DatabaseAddress; readonly needsWorkspace: boolean } {
  const given = options.database ?? process.env['BATON_DATABASE'];
  if (given === undefined || given === '') {
    return { database: { kind: 'sqlite', path: workspace?.databasePath ?? '' }, needsWorkspace: true };
  }
  return { database: databaseAddress(given), needsWorkspace: false };
}

export function databaseAddress(given: string): DatabaseAddress {
  if (/^postgres(?:ql)?:\/\//.test(given)) return { kind: 'postgres', url: given };
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(given)) {
    throw faceProblem('usage', '--database takes postgres://… or the path of a SQLite file');
  }
  return { kind: 'sqlite', path: resolve(given) };
}

export function agentArgument(text: string, what: string): AgentId {
  const agent = readAgentId(text);
  if (agent !== null) return agent;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(text)}: ${AGENT_NAME_RULE}`);
}

export function idArgument(text: string, what: string): HandoffId {
  const id = readHandoffId(text);
  if (id !== null) return id;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(text)}: ${HANDOFF_ID_RULE}`);
}

export function principalOf(options: CommonOptions, otherwise: Principal = OPERATOR): Principal {
  return options.as === undefined ? otherwise : agentPrincipal(agentArgument(options.as, '--as'));
}

/** Seconds on the command line, milliseconds inside. */
export function secondsArgument(text: string, what: string, minSeconds: number, maxSeconds: number): number {
  const seconds = Number(text);
  const sound = text.trim() !== '' && Number.isFinite(seconds) && seconds >= minSeconds && seconds <= maxSeconds;
  if (sound) return Math.round(seconds * 1000);
  throw faceProblem(
    'bad-request',
    `${what} ${JSON.stringify(text)}: a number of seconds from ${minSeconds} to ${maxSeconds}`,
  );
}

export function countArgument(text: string, what: string, min: number, max: number): number {
  const count = Number(text);
  if (/^[0-9]+$/.test(text) && count >= min && count <= max) return count;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(text)}: a whole number from ${min} to ${max}`);
}
