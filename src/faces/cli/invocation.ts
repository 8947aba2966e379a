/** What every command shares: where the workspace is, and who asks. */
import { resolve } from 'node:path';
import { secretWarning } from '../../engine/secrets/found.ts';
import { displayLine } from '../../foundation/display-text.ts';
import type { AgentId } from '../../domain/names.ts';
import { agentPrincipal, OPERATOR, principalText, type Principal } from '../../domain/principal.ts';
import type { EngineEvent, Surroundings } from '../../engine/surroundings.ts';
import { DATABASE_RULE, readDatabaseAddress, type DatabaseAddress } from '../../house/database-address.ts';
import type { Scope } from '../../house/identity.ts';
import type { OpenWorkspace } from '../../house/open-workspace.ts';
import { agentArgument } from './arguments.ts';
import { workspaceFor, type Workspace } from '../../house/workspace.ts';
import { faceProblem, type Problem } from './problem.ts';

export interface CommonOptions {
  readonly json?: true;
  readonly workspace?: string;
  readonly database?: string;
  readonly as?: string;
}

export async function openFor(
  options: CommonOptions,
  report: (event: EngineEvent) => void = () => undefined,
  {
    onlyReads = false,
    saysDifferences = true,
  }: { readonly onlyReads?: boolean; readonly saysDifferences?: boolean } = {},
): Promise<OpenWorkspace> {
  const database = databaseOf(options);
  const { openWorkspace } = await import('../../house/open-workspace.ts');
  let why = '';
  const patience = setTimeout(() => tell(options, `still waiting for the database to answer${why}`), TELL_AFTER_MS);
  const house = await openWorkspace({
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    ...(database === null ? {} : { database }),
    onlyReads,
    report: (event) => {
      if (event.kind === 'store-waiting') tellBeside(options, 'waiting', event.says);
      if (event.kind === 'store-read-only') tellBeside(options, 'warning', event.says);
      if (event.kind === 'secret-found' && event.did !== 'refused') tell(options, secretWarning(event, event.did));
      report(event);
    },
    waiting: ({ message }) => {
      why = ` (${message})`;
    },
  })
    .catch(rethrow)
    .finally(() => clearTimeout(patience));
  if (house === null) throw noWorkspace(options);
  if (house.isReplaced) {
    tell(options, `${house.workspace?.databasePath} was gone; a new, empty database was made in its place`);
  }
  const differs = saysDifferences ? house.policy.says : null;
  // Said to programs too: what they asked for may follow other rules than the file in front of them.
  if (differs !== null) process.stderr.write(`baton: ${displayLine(differs)}\n`);
  return house;
}

/** A server that is not there is waited for; whoever sits before it should know. */
const TELL_AFTER_MS = 2_000;

function tell({ json }: CommonOptions, says: string): void {
  if (json !== true) process.stderr.write(`baton: ${displayLine(says)}\n`);
}

/** Nobody waits without knowing why: programs are told as well, in a line of their own. */
function tellBeside({ json }: CommonOptions, what: 'waiting' | 'warning', says: string): void {
  process.stderr.write(
    json === true ? `${JSON.stringify({ [what]: { message: says } })}\n` : `baton: ${displayLine(says)}\n`,
  );
}

/** Which database is meant, before it is opened. */
export function whereabouts(options: CommonOptions): {
  readonly workspace: Workspace | null;
  readonly database: DatabaseAddress;
} {
  const workspace = workspaceFor(options.workspace);
  const database = databaseOf(options);
  if (database !== null) return { workspace, database };
  if (workspace === null) throw noWorkspace(options);
  return { workspace, database: { kind: 'sqlite', path: workspace.databasePath } };
}

function noWorkspace(options: CommonOptions): Problem {
  const where = resolve(options.workspace ?? '.');
  return faceProblem('no-workspace', `no baton.yaml in ${where} or above it; make a workspace with: baton init`);
}

/** Opens, asks who it is, does it, closes: the frame of nearly every command. */
export async function inHouse<Answer>(
  options: CommonOptions,
  asking: {
    readonly otherwise?: Principal;
    readonly scope?: Scope;
    readonly onlyReads?: boolean;
    readonly report?: (event: EngineEvent) => void;
  },
  act: (around: Surroundings, principal: Principal, house: OpenWorkspace) => Promise<Answer>,
): Promise<Answer> {
  const house = await openFor(options, asking.report, { onlyReads: asking.onlyReads === true });
  try {
    const principal = await whoAsks(house, options, asking.otherwise ?? OPERATOR, asking.scope ?? 'write');
    return await act(house.around, principal, house);
  } finally {
    await house.close();
  }
}

export async function whoAsks(
  { around, configuration }: OpenWorkspace,
  options: CommonOptions,
  otherwise: Principal,
  scope: Scope = 'write',
): Promise<Principal> {
  const token = process.env['BATON_TOKEN'] ?? '';
  const as = options.as === undefined ? null : agentArgument(options.as, '--as');
  const { identity } = configuration;
  if (token === '' && identity === 'local') return named(around, as === null ? otherwise : agentPrincipal(as));
  const { identify } = await import('../../house/identity.ts');
  const known = await identify(around, identity, { as, token: token === '' ? null : token, otherwise }, scope);
  if (known.ok) return known.value;
  throw faceProblem(known.refusal.code, known.refusal.says);
}

/** With the roles that the configuration gives. */
function named({ rules }: Surroundings, principal: Principal): Principal {
  return principal.kind === 'agent' ? agentPrincipal(principal.agent, rules.rolesOf(principal.agent)) : principal;
}

/** What concerns the whole database is the operator's business. */
export async function mustBeOperator(house: OpenWorkspace, options: CommonOptions, scope: Scope): Promise<Principal> {
  const principal = await whoAsks(house, options, OPERATOR, scope);
  const strict = house.configuration.identity === 'strict';
  const proven = !strict || (process.env['BATON_TOKEN'] ?? '') !== '';
  if (principal.kind === 'operator' && proven) return principal;
  throw faceProblem('token-needed', "this is the operator's business: show an operator's token in BATON_TOKEN");
}

/** What is offered to an agent is for that agent: somebody else would wait for ever. */
export function mustBe(principal: Principal, agent: AgentId): void {
  if (principal.kind === 'agent' && principal.agent === agent) return;
  throw faceProblem('not-yours', `${principalText(principal)} cannot take what is offered to @${agent}`);
}

/** Inside a worker's command, whoever speaks about the handoff is the worker's agent. */
export function insideWorker(id: string): { readonly otherwise: Principal } {
  const agent = process.env['BATON_AGENT'];
  if (agent === undefined || process.env['BATON_HANDOFF_ID'] !== id) return { otherwise: OPERATOR };
  return { otherwise: agentPrincipal(agentArgument(agent, 'BATON_AGENT')) };
}

function databaseOf(options: CommonOptions): DatabaseAddress | null {
  const given = options.database ?? process.env['BATON_DATABASE'];
  return given === undefined || given === '' ? null : databaseAddress(given);
}

export function databaseAddress(given: string): DatabaseAddress {
  const address = readDatabaseAddress(given);
  if (address !== null) return address;
  throw faceProblem('usage', `--database takes ${DATABASE_RULE}`);
}

function rethrow(error: unknown): never {
  // By name, because its class comes with the parser of the configuration, which is not always loaded.
  if (error instanceof Error && error.name === 'ConfigurationProblem') {
    throw faceProblem('configuration', error.message);
  }
  throw error;
}
