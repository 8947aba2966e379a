import { lstatSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { agentArgument } from '../arguments.ts';
import { onInterrupt } from '../interrupt.ts';
import { mustBeOperator, openFor, type CommonOptions } from '../invocation.ts';
import { conflictText, planText, stepView } from '../migration-text.ts';
import type { Output } from '../output.ts';
import { faceProblem } from '../problem.ts';
import { counted, progressOf } from '../progress.ts';
import { displayLine } from '../../../foundation/display-text.ts';

interface MigrateOptions extends CommonOptions {
  readonly apply?: true;
  readonly newest?: true;
  readonly from?: string;
  readonly to?: string;
}

export async function migrate(args: readonly string[], options: MigrateOptions, output: Output): Promise<number> {
  const interrupts = onInterrupt(() => undefined);
  const house = await openFor(options);
  const scanning = progressOf('scanned', output.json);
  const doing = progressOf('migrated', output.json);
  try {
    await mustBeOperator(house, options, options.apply === true ? 'write' : 'read');
    const { workspace, configuration } = house;
    if (workspace === null) throw faceProblem('no-workspace', 'migrate needs a workspace; make one with: baton init');
    const asked = {
      workspace,
      below: belowOf(workspace.folder, args[0]),
      nowMs: house.around.store.nowMs(),
      offeredMs: configuration.documentTerms.offeredMs ?? null,
      from: options.from === undefined ? null : agentArgument(options.from, '--from'),
      to: options.to === undefined ? null : agentArgument(options.to, '--to'),
      newest: options.newest === true,
      limits: configuration.limits,
      progress: (what: 'scanned' | 'done', count: number) => (what === 'scanned' ? scanning : doing).show(count),
      signal: interrupts.stop,
    };
    const { applyToWorkspace, planWorkspace } = await import('../../../house/migration/migrate.ts');
    const planned = await planWorkspace(asked).finally(() => scanning.end());
    const applied =
      options.apply === true ? await applyToWorkspace(planned.steps, asked).finally(() => doing.end()) : null;
    // They are over, so nobody has to look at them first.
    const settled = applied === null ? undefined : await house.around.rules.documents?.adoptSettled(interrupts.stop);
    const { scanned, unclear } = planned.scanned;
    if (output.json) {
      const { steps, overLimit } = planned;
      output.answer({
        scanned,
        steps: steps.map(stepView),
        named_only: unclear,
        over_limit: overLimit,
        applied,
        ...settled,
      });
      return 0;
    }
    output.line(planText(planned, applied === null));
    for (const step of planned.steps) if (step.do === 'conflict') output.line(`\n${conflictText(step)}`);
    for (const says of planned.overLimit) output.warn(says);
    for (const { path, because } of applied?.left ?? []) output.warn(`${displayLine(path)} was left: ${because}`);
    if (applied !== null) {
      const { migrated, tasks, cleared } = applied;
      output.line(
        `\n${counted(migrated)} migrated, ${named(tasks, 'task')} made, ${named(cleared, 'old file')} cleared`,
      );
      if (settled !== undefined) output.line(`${named(settled.adopted, 'settled document')} taken into the database`);
      if (migrated > 0) output.note(adoptionNote(configuration.documentFolder));
    }
    return 0;
  } catch (error) {
    if (!interrupts.stop.aborted) throw error;
    // Whatever was under way has ended by now; what is done stays done.
    await setTimeout(0);
    output.note('stopped; run it again to go on');
    return interrupts.exitCode() ?? 1;
  } finally {
    await house.close();
  }
}

function named(count: number, thing: string): string {
  return `${counted(count)} ${thing}${count === 1 ? '' : 's'}`;
}

function adoptionNote(isKept: boolean): string {
  return isKept
    ? 'baton sync takes the open ones into the database; commit the change when you are content with it'
    : 'to work with them, set folders: { documents: on } in baton.yaml and run baton sync';
}

function belowOf(root: string, path: string | undefined): string {
  const below = relative(root, resolve(path ?? root)).replaceAll('\\', '/');
  if (below.startsWith('..')) throw faceProblem('bad-request', `${path} is not inside of ${root}`);
  if (path === '' || !isThere(join(root, below))) {
    throw faceProblem('bad-request', `there is nothing at ${JSON.stringify((path ?? '').slice(0, SHOWN_MAX))}`);
  }
  return below;
}

const SHOWN_MAX = 200;

/** A name that no file can have is that of a file that is not there. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
