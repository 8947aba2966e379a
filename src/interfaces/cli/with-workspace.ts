/** What every command shares: finding the workspace, and finding out who asks. */
import { resolve } from 'node:path';
import { secretWarning } from '../../engine/secrets/warnings.ts';
import { displayLine } from '../../foundation/display-text.ts';
import type { AgentId } from '../../domain/names.ts';
import {
  agentPrincipal,
  OPERATOR,
  principalText,
  tokenIn,
  type Principal,
  type Speaker,
} from '../../domain/principal.ts';
import type { EngineEvent, Context } from '../../engine/context.ts';
import {
  DATABASE_RULE,
  databaseOfWorkspace,
  readDatabaseAddress,
  type DatabaseAddress,
} from '../../workspace/database-address.ts';
import type { Scope } from '../../workspace/identity.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';
import { theApp } from './app.ts';
import { agentArgument } from './arguments.ts';
import { workspaceFor, type Workspace } from '../../workspace/workspace.ts';
import { canAsk, confirm } from './confirm.ts';
import { cliProblem, type Problem } from './problem.ts';

/** Options without a value, as commander gives them. */
export type Flags<Names extends string> = { readonly [Name in Names]?: true };
/** Options with a value, which is not checked yet. */
export type Texts<Names extends string> = { readonly [Name in Names]?: string };

/** Options with a value that may be given several times. */
export type Lists<Names extends string> = { readonly [Name in Names]?: readonly string[] };

export type CommonOptions = Flags<'json'> & Texts<'workspace' | 'database' | 'as'>;

interface OpenWorkspaceOptions {
  readonly report?: ((event: EngineEvent) => void) | undefined;
  readonly onlyReads?: boolean | undefined;
  /** Whether to print that baton.yaml differs from the stored policy. @default true */
  readonly saysDifferences?: boolean;
}

export async function openFor(
  options: CommonOptions,
  { report, onlyReads = false, saysDifferences = true }: OpenWorkspaceOptions = {},
): Promise<OpenWorkspace> {
  const database = databaseOf(options);
  let why = '';
  const patience = setTimeout(
    () => warnAfter(options, `still waiting for the database to answer${why}`),
    WARN_AFTER_MS,
  );
  const app = await theApp()
    .openWorkspace({
      ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
      ...(database === null ? {} : { database }),
      onlyReads,
      report: (event) => {
        if (event.kind === 'store-waiting') printBeside(options, 'waiting', event.says);
        if (event.kind === 'store-read-only') printBeside(options, 'warning', event.says);
        if (event.kind === 'secret-found' && event.did !== 'refused')
          warnAfter(options, secretWarning(event, event.did));
        report?.(event);
      },
      waiting: ({ message }) => {
        why = ` (${message})`;
      },
    })
    .catch(rethrow)
    .finally(() => clearTimeout(patience));
  if (app === null) throw noWorkspace(options);
  if (app.isReplaced) {
    warnAfter(options, `${app.workspace?.databasePath} was missing; a new, empty database was created`);
  }
  const differs = saysDifferences ? app.policy.says : null;
  // Printed for programs too: other rules than those of the file apply to their request.
  if (differs !== null) process.stderr.write(`baton: ${displayLine(differs)}\n`);
  return app;
}

/** When to print that the command still waits for the database server. */
const WARN_AFTER_MS = 2_000;

function warnAfter({ json }: CommonOptions, says: string): void {
  if (json !== true) process.stderr.write(`baton: ${displayLine(says)}\n`);
}

/** Programs get the reason of a wait too, as a line of JSON. */
function printBeside({ json }: CommonOptions, what: 'waiting' | 'warning', says: string): void {
  process.stderr.write(
    json === true ? `${JSON.stringify({ [what]: { message: says } })}\n` : `baton: ${displayLine(says)}\n`,
  );
}

/** Finds the database without opening it. `evenIfBroken`: an unreadable `baton.yaml` means the workspace's own. */
export async function locateWorkspace(
  options: CommonOptions,
  { evenIfBroken = false }: { readonly evenIfBroken?: boolean } = {},
): Promise<{
  readonly workspace: Workspace | null;
  readonly database: DatabaseAddress;
}> {
  const workspace = workspaceFor(options.workspace);
  const database = databaseOf(options);
  if (database !== null) return { workspace, database };
  if (workspace === null) throw noWorkspace(options);
  const { cachedConfiguration } = await import('../../workspace/configuration-cache.ts');
  try {
    const { text } = await cachedConfiguration(workspace);
    return { workspace, database: databaseOfWorkspace(workspace, text) };
  } catch (error) {
    if (evenIfBroken) return { workspace, database: databaseOfWorkspace(workspace, {}) };
    return rethrow(error);
  }
}

function noWorkspace(options: CommonOptions): Problem {
  const where = resolve(options.workspace ?? '.');
  return cliProblem('no-workspace', `no baton.yaml in ${where} or above it; make a workspace with: baton init`);
}

/** Opens the workspace, acts, closes it. `act` finds out itself who asks. */
export async function withOpened<Answer>(
  options: CommonOptions,
  act: (app: OpenWorkspace) => Promise<Answer>,
  opening: OpenWorkspaceOptions = {},
): Promise<Answer> {
  const app = await openFor(options, opening);
  try {
    return await act(app);
  } finally {
    await app.close();
  }
}

/** The same for the operator only. `explicitAs` names an act that needs `--as operator` or a confirmation. */
export async function withOperator<Answer>(
  options: CommonOptions,
  {
    scope,
    explicitAs = null,
    ...opening
  }: OpenWorkspaceOptions & { readonly scope: Scope; readonly explicitAs?: string | null },
  act: (app: OpenWorkspace, principal: Principal) => Promise<Answer>,
): Promise<Answer> {
  const asked = async (app: OpenWorkspace): Promise<Answer> =>
    act(app, await mustBeOperator(app, options, scope, explicitAs));
  return withOpened(options, asked, opening);
}

/** Opens the workspace, finds out who asks, acts, closes it. Nearly every command runs in this frame. */
export async function withWorkspace<Answer>(
  options: CommonOptions,
  asking: OpenWorkspaceOptions & {
    readonly defaultPrincipal?: Principal;
    readonly scope?: Scope;
    /** Names an act that needs `--as operator` or a confirmation. */
    readonly explicitAs?: string;
  },
  act: (ctx: Context, principal: Principal, app: OpenWorkspace) => Promise<Answer>,
): Promise<Answer> {
  const { defaultPrincipal = OPERATOR, scope, explicitAs, ...opening } = asking;
  const asked = async (app: OpenWorkspace): Promise<Answer> => {
    const principal = await principalFor(app, options, defaultPrincipal, scope);
    if (explicitAs !== undefined) await requireExplicitPrincipal(options, principal, explicitAs);
    return act(app.ctx, principal, app);
  };
  return withOpened(options, asked, opening);
}

export async function principalFor(
  { ctx, configuration }: OpenWorkspace,
  options: CommonOptions,
  defaultPrincipal: Principal,
  scope: Scope = 'write',
): Promise<Principal> {
  const token = process.env['BATON_TOKEN'] ?? '';
  const said = namedPrincipal(options);
  const { identity } = configuration;
  const signing = (principal: Principal): Promise<Principal> => signingIn(ctx, principal, scope);
  if (token === '' && identity === 'local') return signing(named(ctx, said ?? defaultPrincipal));
  const { identify } = await import('../../workspace/identity.ts');
  const claimant = { as: said, token: token === '' ? null : token, defaultPrincipal };
  const known = await identify(ctx, identity, claimant, scope);
  if (known.ok) return signing(known.value);
  throw cliProblem(known.refusal.code, known.refusal.says);
}

async function signingIn({ rules }: Context, principal: Principal, scope: Scope): Promise<Principal> {
  if (scope === 'read' || (process.env['BATON_KEY_FILE'] ?? '') === '') return principal;
  const { withSigner } = await import('../../workspace/signing-key.ts');
  const signing = withSigner(rules, principal);
  if (signing.ok) return signing.value;
  throw cliProblem(signing.refusal.code, signing.refusal.says);
}

/** The value of `--as` for the operator. An agent has an `@` before its name. */
const AS_OPERATOR = 'operator';

/** Whom the options name; null: nobody. Inside a worker's command every call belongs to its agent. */
function namedPrincipal(options: CommonOptions): Speaker | null {
  const inside = process.env['BATON_AGENT'] ?? '';
  const said =
    options.as === undefined
      ? null
      : options.as === AS_OPERATOR
        ? OPERATOR
        : agentPrincipal(agentArgument(options.as, '--as'));
  if (inside === '') return said;
  const worker = agentPrincipal(agentArgument(inside, 'BATON_AGENT'));
  if (said === null || principalText(said) === principalText(worker)) return worker;
  const says = `this runs inside the worker of ${principalText(worker)} (BATON_AGENT), so it cannot act as ${principalText(said)}`;
  throw cliProblem('not-yours', says);
}

/** The operator without a token, where no token exists yet or the last one is lost; never inside a worker. */
export function unprovenOperator(options: CommonOptions, what: string): Speaker {
  const principal = namedPrincipal(options) ?? OPERATOR;
  if (principal.kind === 'operator') return principal;
  throw cliProblem('not-yours', `only an operator may ${what}`);
}

/**
 * Judging work, ending handoffs of others, importing records and making tokens need `--as operator`, an operator's token, or
 * a person at a terminal who confirms it. Nobody becomes the operator by default.
 */
export async function requireExplicitPrincipal(
  options: CommonOptions,
  principal: Principal,
  what: string,
): Promise<void> {
  if (principal.kind !== 'operator' || tokenIn(principal) !== null || options.as === AS_OPERATOR) return;
  if (options.json !== true && canAsk() && (await confirm(`baton: ${what} as the operator?`))) return;
  throw cliProblem('say-who', `to ${what}, say who you are: --as AGENT, or --as operator`);
}

/** Adds the roles of the configuration. */
function named({ rules }: Context, principal: Principal): Principal {
  return principal.kind === 'agent' ? agentPrincipal(principal.agent, rules.rolesOf(principal.agent)) : principal;
}

/** Commands about the whole database are for the operator. */
export async function mustBeOperator(
  app: OpenWorkspace,
  options: CommonOptions,
  scope: Scope,
  explicitAs: string | null = null,
): Promise<Principal> {
  const principal = await principalFor(app, options, OPERATOR, scope);
  if (explicitAs !== null) await requireExplicitPrincipal(options, principal, explicitAs);
  const strict = app.configuration.identity === 'strict';
  const proven = !strict || (process.env['BATON_TOKEN'] ?? '') !== '';
  if (principal.kind === 'operator' && proven) return principal;
  throw cliProblem('token-needed', "only an operator may do this: set BATON_TOKEN to an operator's token");
}

/** Only the agent itself gets its offers. Anybody else would wait forever. */
export function mustBeAgent(principal: Principal, agent: AgentId): void {
  if (principal.kind === 'agent' && principal.agent === agent) return;
  throw cliProblem('not-yours', `${principalText(principal)} cannot take what is offered to @${agent}`);
}

function databaseOf(options: CommonOptions): DatabaseAddress | null {
  const given = options.database ?? process.env['BATON_DATABASE'];
  return given === undefined || given === '' ? null : databaseAddress(given);
}

export function databaseAddress(given: string): DatabaseAddress {
  const address = readDatabaseAddress(given);
  if (address !== null) return address;
  throw cliProblem('usage', `--database takes ${DATABASE_RULE}`);
}

/** Tells what is wrong with baton.yaml as a problem of the configuration. */
export function rethrow(error: unknown): never {
  // By name, because the class comes with the parser, which is not always loaded.
  if (error instanceof Error && error.name === 'ConfigurationProblem') {
    throw cliProblem('configuration', error.message);
  }
  throw error;
}
