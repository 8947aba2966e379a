import { lstatSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { agentArgument } from '../arguments.ts';
import { onInterrupt } from '../interrupt.ts';
import type { OpenWorkspace } from '../../../workspace/opened-workspace.ts';
import { withOperator, type CommonOptions, type Flags, type Texts } from '../with-workspace.ts';
import { conflictText, planText, stepView } from '../migration-text.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import { progressOf } from '../progress.ts';
import { counted } from '../../../foundation/count-text.ts';
import type { AppliedToWorkspace, Planned } from '../../../adapters/migration/migrate.ts';
import type { Undone } from '../../../adapters/migration/repository.ts';
import { canAsk, confirm } from '../confirm.ts';
import { displayLine } from '../../../foundation/display-text.ts';

type MigrateOptions = CommonOptions & Flags<'apply' | 'undo' | 'yes' | 'newest'> & Texts<'branch' | 'from' | 'to'>;

export async function migrate(args: readonly string[], options: MigrateOptions, output: Output): Promise<number> {
  checkOptions(options, args);
  const interrupts = onInterrupt(() => undefined);
  const scanning = progressOf('scanned', output.json);
  const doing = progressOf('migrated', output.json);
  const scope = options.apply === true || options.undo === true ? 'write' : 'read';
  const run = async ({ ctx, workspace, configuration }: OpenWorkspace): Promise<number> => {
    if (workspace === null) throw cliProblem('no-workspace', 'migrate needs a workspace; make one with: baton init');
    const { applyToWorkspace, planWorkspace, undoInWorkspace } = await import('../../../adapters/migration/migrate.ts');
    if (options.undo === true) return printUndone(await undoInWorkspace(workspace), output);
    const asked = {
      workspace,
      below: belowOf(workspace.folder, args[0]),
      nowMs: ctx.store.nowMs(),
      offeredMs: configuration.documentTerms.offeredMs ?? null,
      from: options.from === undefined ? null : agentArgument(options.from, '--from'),
      to: options.to === undefined ? null : agentArgument(options.to, '--to'),
      newest: options.newest === true,
      limits: configuration.limits,
      progress: (what: 'scanned' | 'done', count: number) => (what === 'scanned' ? scanning : doing).show(count),
      signal: interrupts.stop,
    };
    const planned = await planWorkspace(asked).finally(() => scanning.end());
    if (!output.json) showPlan(planned, options.apply !== true, output);
    if (!(await isWanted(planned, options, output, interrupts.stop))) return 0;
    const branch = options.branch ?? null;
    const applied =
      options.apply === true ? await applyToWorkspace(planned, asked, { branch }).finally(() => doing.end()) : null;
    // They are over, so nobody has to look at them first.
    const settled = applied === null ? undefined : await ctx.rules.documents?.adoptSettled(interrupts.stop);
    if (output.json) {
      const { steps, overLimit, scanned } = planned;
      output.answer({
        scanned: scanned.scanned,
        steps: steps.map(stepView),
        named_only: scanned.unclear,
        over_limit: overLimit,
        applied,
        ...settled,
      });
      return 0;
    }
    if (applied !== null) showApplied(applied, output);
    if (settled !== undefined) output.line(`${named(settled.adopted, 'settled document')} taken into the database`);
    if ((applied?.migrated ?? 0) > 0) output.note(adoptionNote(configuration.documentFolder));
    return 0;
  };
  try {
    return await withOperator(options, { scope }, run);
  } catch (error) {
    // By name, because its class comes with the migration.
    if (error instanceof Error && error.name === 'RepositoryProblem') throw cliProblem('bad-request', error.message);
    if (!interrupts.stop.aborted) throw error;
    // Whatever was under way has ended by now; what is done stays done.
    await setTimeout(0);
    output.note('stopped; run it again to continue');
    return interrupts.exitCode() ?? 1;
  }
}

function checkOptions({ apply, undo, branch, yes, newest, from, to }: MigrateOptions, args: readonly string[]): void {
  const others = [apply, branch, yes, newest, from, to].some((each) => each !== undefined) || args.length > 0;
  if (undo === true && others) throw cliProblem('bad-request', '--undo stands alone: it takes back a whole migration');
  if (apply !== true && (branch !== undefined || yes !== undefined))
    throw cliProblem('bad-request', '--branch and --yes go with --apply');
}

function showPlan(planned: Planned, isTrial: boolean, output: Output): void {
  output.line(planText(planned, isTrial));
  for (const step of planned.steps) if (step.do === 'conflict') output.line(`\n${conflictText(step)}`);
  for (const says of planned.overLimit) output.warn(says);
}

/** A person sees the plan and is asked; a program has said it with `--apply`. */
async function isWanted(
  { steps }: Planned,
  { apply, yes }: MigrateOptions,
  output: Output,
  signal: AbortSignal,
): Promise<boolean> {
  const isWork = steps.some((step) => step.do === 'migrate' || step.do === 'clear');
  if (apply !== true || yes === true || output.json || !isWork || !canAsk()) return true;
  if (await confirm('Carry out this plan?', signal)) return true;
  output.note('nothing was changed');
  return false;
}

function showApplied({ migrated, tasks, cleared, left, commit }: AppliedToWorkspace, output: Output): void {
  for (const { path, because } of left) output.warn(`${displayLine(path)} was left: ${because}`);
  output.line(`\n${counted(migrated)} migrated, ${named(tasks, 'task')} made, ${named(cleared, 'old file')} cleared`);
  if (commit === null) return;
  output.line(`committed as ${commit.slice(0, 12)}`);
  output.note(`look at it with: git show --stat ${commit.slice(0, 12)}; take it back with: baton migrate --undo`);
}

async function printUndone({ commit, reverted, files }: Undone, output: Output): Promise<number> {
  if (output.json) output.answer({ commit, reverted, files });
  else
    output.line(
      `migration ${reverted.slice(0, 12)} undone, ${named(files, 'file')} put back; committed as ${commit.slice(0, 12)}`,
    );
  output.note(
    'handoffs that baton sync has taken into the database since then stay there; end them with: baton cancel',
  );
  return 0;
}

function named(count: number, thing: string): string {
  return `${counted(count)} ${thing}${count === 1 ? '' : 's'}`;
}

function adoptionNote(isKept: boolean): string {
  return isKept
    ? 'take the open ones into the database with: baton sync'
    : 'to work with them, set folders: { documents: on } in baton.yaml and run baton sync';
}

function belowOf(root: string, path: string | undefined): string {
  const below = relative(root, resolve(path ?? root)).replaceAll('\\', '/');
  if (below.startsWith('..')) throw cliProblem('bad-request', `${path} is not inside of ${root}`);
  if (path === '' || !isThere(join(root, below))) {
    throw cliProblem('bad-request', `there is nothing at ${JSON.stringify((path ?? '').slice(0, SHOWN_MAX))}`);
  }
  return below;
}

const SHOWN_MAX = 200;

/** An impossible name counts as a missing file. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
