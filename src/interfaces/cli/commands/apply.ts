/** Stores what `baton.yaml` says as the next version of the policy that all processes follow, or shows what is stored. */
import { displayLine } from '../../../foundation/display-text.ts';
import { instantText } from '../../../foundation/instant-text.ts';
import { principalText } from '../../../domain/principal.ts';
import { keysIn } from '../../../workspace/agent-keys.ts';
import { differencesBetween, type Difference } from '../../../workspace/configuration-settings.ts';
import type { OpenWorkspace } from '../../../workspace/opened-workspace.ts';
import { schemasIn } from '../../../workspace/registered-schemas.ts';
import { policyIn, policyTextOf } from '../../../workspace/policy.ts';
import type { PolicyRecord } from '../../../stores/store.ts';
import { policyView } from '../../shared/policy-view.ts';
import { withOperator, type CommonOptions, type Flags } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem, Problem } from '../problem.ts';
import { printTable } from '../table.ts';

type ApplyOptions = CommonOptions & Flags<'dryRun' | 'show' | 'history'>;

const HISTORY_MAX = 1_000;

export async function apply(_args: readonly string[], options: ApplyOptions, output: Output): Promise<void> {
  const looks = options.show === true || options.history === true;
  if ([options.dryRun, options.show, options.history].filter((each) => each === true).length > 1) {
    throw cliProblem('usage', 'one of --dry-run, --show and --history');
  }
  return withOperator(options, { scope: looks ? 'read' : 'write', saysDifferences: false }, async (app, principal) => {
    if (options.show === true) return show(app, output);
    if (options.history === true) return printHistory(app, output);
    return store(app, principalText(principal), options, output);
  });
}

async function store({ policy, ctx }: OpenWorkspace, by: string, options: ApplyOptions, output: Output): Promise<void> {
  if (policy.file === null) {
    throw cliProblem('no-workspace', 'there is no baton.yaml here whose policy could be stored');
  }
  const { version, differences } = policy;
  const isWritten = differences.length > 0 && options.dryRun !== true;
  const stored = isWritten
    ? await ctx.store.policy.put(policyTextOf(policy.file, await ctx.store.policy.current()), version, by)
    : null;
  if (isWritten && stored === null) {
    throw new Problem('contended', `another process has stored a version after ${version}; look at it and apply again`);
  }
  if (output.json)
    return output.answer({ version: stored?.version ?? version, changed: differences, stored: stored !== null });
  for (const difference of differences) output.line(lineOf(difference));
  if (differences.length === 0)
    output.line(`nothing to change: baton.yaml says what version ${version} of the policy says`);
  else if (stored === null)
    output.line(`not stored; without --dry-run this becomes version ${version + 1} of the policy`);
  else output.line(`stored as version ${stored.version} of the policy`);
}

async function show({ ctx }: OpenWorkspace, output: Output): Promise<void> {
  const current = await ctx.store.policy.current();
  if (current === null)
    throw cliProblem('configuration', 'no policy is stored in this database; store one with: baton apply');
  if (!output.json) output.note(`version ${current.version}, stored by ${current.by} at ${instantText(current.at)}`);
  output.answer(output.json ? policyView(current) : policyIn(current));
}

async function printHistory({ ctx }: OpenWorkspace, output: Output): Promise<void> {
  const versions = await ctx.store.policy.history(HISTORY_MAX);
  const changes = versions.map((each, index) => {
    const before = versions[index + 1];
    return differencesBetween(before === undefined ? {} : policyIn(before), policyIn(each));
  });
  const rows = versions.map((each, index) => [
    String(each.version),
    instantText(each.at),
    each.by,
    [...(changes[index] ?? []).map(({ key }) => key), ...otherChanges(each, versions[index + 1])].join(', '),
  ]);
  const view = versions.map((each, index) => ({ ...policyView(each), changed: changes[index] }));
  printTable(output, view, [['version', 'stored', 'by', 'changed'], ...rows], 'no policy is stored yet');
}

/** `baton key` and workers that register schemas store versions too. */
function otherChanges(record: PolicyRecord, before: PolicyRecord | undefined): readonly string[] {
  const differ = (of: (record: PolicyRecord | null) => unknown): boolean =>
    JSON.stringify(of(record)) !== JSON.stringify(of(before ?? null));
  return [
    ...(differ(keysIn) ? ['keys'] : []),
    ...(differ((each) => [...schemasIn(each)]) ? ['registered schemas'] : []),
  ];
}

function lineOf({ key, before, after }: Difference): string {
  return displayLine(`${key}: ${valueText(before)} → ${valueText(after)}`);
}

function valueText(value: unknown): string {
  return value === null ? 'not set' : JSON.stringify(value);
}
