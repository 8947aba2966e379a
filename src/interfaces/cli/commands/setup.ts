/** Installs hooks, status line, MCP server and instructions for agent programs, or removes them. The change is shown first. */
import { relative, resolve } from 'node:path';
import {
  applyChange,
  checkSetup,
  diffOfChange,
  installedVendors,
  planSetup,
  type AgentState,
  type SetupPlan,
  type SetupRequest,
  type SetupState,
} from '../../../adapters/agent-setup/agent-setup.ts';
import { findProgram } from '../../../foundation/find-program.ts';
import { readVendor, VENDOR_TITLES, VENDORS, type Vendor } from '../../../domain/vendors.ts';
import { workspaceFor } from '../../../workspace/workspace.ts';
import { PROBLEMS } from '../../shared/problems.ts';
import { agentArgument } from '../arguments.ts';
import { confirm } from '../confirm.ts';
import { answerColours, isTerminal, type Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import type { CommonOptions, Flags } from '../with-workspace.ts';

type SetupOptions = CommonOptions & Flags<'user' | 'check' | 'dryRun' | 'remove' | 'yes'>;

export async function setup(args: readonly string[], options: SetupOptions, output: Output): Promise<number> {
  const request = requestFor(args, options);
  const plan = planSetup(request);
  if (!plan.ok) throw cliProblem('bad-request', `${plan.refusal}; nothing was changed`);
  if (options.check === true) {
    const state = await checkSetup(request, plan.value.files, request.project ?? process.cwd());
    return printState(state, plan.value, output);
  }
  const { changes } = plan.value;
  show(plan.value, output);
  const isWanted = changes.length > 0 && options.dryRun !== true && (await isAgreed(options, output));
  if (isWanted) for (const change of changes) applyChange(change);
  printChanges(request, plan.value, isWanted, output);
  return 0;
}

function requestFor(args: readonly string[], options: SetupOptions): SetupRequest {
  const vendors = vendorsFor(args, options);
  if (options.as !== undefined && vendors.length > 1) {
    throw cliProblem('usage', '--as names one agent: baton setup claude --as @planner');
  }
  const nameOf = (vendor: Vendor): string => (options.as === undefined ? vendor : agentArgument(options.as, '--as'));
  const folder = workspaceFor(options.workspace)?.folder ?? resolve(options.workspace ?? '.');
  return {
    agents: vendors.map((vendor) => ({ vendor, agent: `@${nameOf(vendor)}` })),
    project: options.user === true ? null : folder,
    how: options.remove === true ? 'remove' : 'install',
  };
}

/** The named vendors, or those whose program is installed. */
function vendorsFor(args: readonly string[], { remove }: SetupOptions): readonly Vendor[] {
  const named = args.map((name) => {
    const vendor = readVendor(name.toLowerCase());
    if (vendor !== null) return vendor;
    throw cliProblem('bad-request', `${JSON.stringify(name)} is not supported; expected ${VENDORS.join(', ')}`);
  });
  if (named.length > 0) return named;
  // Settings of a program that is gone can still be removed.
  const found = remove === true ? VENDORS : installedVendors();
  if (found.length > 0) return found;
  throw cliProblem(
    'bad-request',
    `none of ${VENDORS.join(', ')} is on the PATH; name one to set it up anyway: baton setup claude`,
  );
}

function show({ changes, folder }: SetupPlan, output: Output): void {
  if (output.json) return;
  for (const change of changes) {
    for (const line of diffOfChange(change, shownPath(change.path, folder))) output.line(coloured(line));
  }
}

function coloured(line: string): string {
  if (line.startsWith('+')) return answerColours.green(line);
  if (line.startsWith('-')) return answerColours.red(line);
  return line.startsWith('@@') ? answerColours.cyan(line) : line;
}

function shownPath(path: string, folder: string): string {
  const inside = relative(folder, path);
  return inside.startsWith('..') ? path : inside;
}

/** Where nobody can answer, the command itself is the agreement. */
async function isAgreed({ yes, json }: SetupOptions, output: Output): Promise<boolean> {
  if (yes === true || json === true || !isTerminal(0) || !isTerminal(1)) return true;
  const isYes = await confirm('Make these changes?');
  if (!isYes) output.note('nothing was changed');
  return isYes;
}

function printChanges({ agents, how }: SetupRequest, plan: SetupPlan, isWanted: boolean, output: Output): void {
  const paths = plan.changes.map(({ path }) => shownPath(path, plan.folder));
  const vendors = agents.map(({ vendor }) => vendor);
  if (output.json) {
    const changed = isWanted ? { changed: paths } : { wouldChange: paths };
    const approve = paths.length === 0 ? [] : plan.approve;
    output.answer({ vendors, ...changed, approve, leftAlone: plan.leftAlone });
    return;
  }
  if (paths.length === 0) {
    const titles = vendors.map((vendor) => VENDOR_TITLES[vendor]).join(', ');
    output.line(
      how === 'remove'
        ? 'nothing of Baton is installed here'
        : `${titles}: set up already; baton setup --check tells more`,
    );
  }
  if (!isWanted) {
    for (const line of plan.leftAlone) output.line(line);
    return;
  }
  output.line('');
  output.line(`${how === 'remove' ? 'taken out of' : 'set up in'} ${paths.join(', ')}`);
  if (findProgram('baton') === null && how === 'install') {
    output.warn('baton is not on the PATH: hooks and servers call it by that name (npm install -g batonpass)');
  }
  for (const line of plan.leftAlone) output.line(line);
  if (plan.approve.length > 0) output.line('What only you can approve:');
  for (const line of plan.approve) output.line(`- ${line}`);
}

/** The exit code is 0 if everything is installed, trusted and answers. */
function printState(state: SetupState, { folder }: SetupPlan, output: Output): number {
  const isWell = state.baton !== null && state.serverFlaw === null && state.agents.every(isWhole);
  if (output.json) output.answer({ ok: isWell, ...state });
  else printParts(state, folder, output);
  return isWell ? 0 : PROBLEMS['check-failed'].exitCode;
}

function isWhole({ version, installed, trust }: AgentState): boolean {
  return version !== null && installed.every(({ is }) => is) && trust.every(({ is }) => is === 'yes');
}

function printParts({ baton, serverFlaw, agents }: SetupState, folder: string, output: Output): void {
  const line = (isGood: boolean, text: string): void => output.line(`  ${isGood ? 'ok     ' : 'missing'}  ${text}`);
  output.line('Baton');
  line(baton !== null, baton === null ? 'command: baton is not on the PATH' : `command ${baton}`);
  line(serverFlaw === null, serverFlaw === null ? 'MCP server answers' : `MCP server: ${serverFlaw}`);
  for (const { vendor, program, version, installed, trust, leftAlone } of agents) {
    output.line(VENDOR_TITLES[vendor]);
    line(version !== null, version === null ? `program: ${program} does not answer` : `program ${version}`);
    for (const { what, path, is } of installed) {
      line(is, `${what} in ${shownPath(path, folder)}${is ? '' : `; baton setup ${vendor}`}`);
    }
    for (const text of leftAlone) output.line(`  yours    ${text}`);
    for (const { what, is, todo } of trust) line(is === 'yes', `${what}${todo === undefined ? '' : `; ${todo}`}`);
  }
}
