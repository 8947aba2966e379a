/** Checks the workspace, prints one line for each check, and changes nothing. */
import { messageOf } from '../../../foundation/error-message.ts';
import { StoreFault } from '../../../foundation/store-fault.ts';
import * as engine from '../../../engine/health-checks.ts';
import type { HealthCheck } from '../../../engine/health-checks.ts';
import { examineFeed } from '../../../engine/feed-blockers.ts';
import type { DatabaseAddress } from '../../../workspace/database-address.ts';
import type { OpenWorkspace } from '../../../workspace/opened-workspace.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { onInterrupt, type Interrupts } from '../interrupt.ts';
import { openFor, locateWorkspace, type CommonOptions } from '../with-workspace.ts';
import { answerColours, type Output } from '../output.ts';
import { progressOf } from '../progress.ts';

const COLOURS = { ok: answerColours.green, warning: answerColours.yellow, problem: answerColours.red } as const;
const VERDICT_WIDTH = 'problem'.length;

type OrProblem = <Answer>(name: string, look: () => Promise<Answer>) => Promise<Answer | HealthCheck>;

interface Telling {
  readonly printCheck: (check: HealthCheck) => void;
  readonly orProblem: OrProblem;
}

export async function doctor(_args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const interrupts = onInterrupt(() => undefined);
  const { workspace, database } = await locateWorkspace(options, { evenIfBroken: true });
  const checks: HealthCheck[] = [];
  const tell = (check: HealthCheck): void => {
    checks.push(check);
    if (!output.json) output.line(lineOf(check));
  };
  const { remedyOf } = await import('../../../adapters/doctor/examine-before-opening.ts');
  const orProblem = problemsWith(await remedyOf(database));
  const isReadable = await examinePlace(workspace, database, { printCheck: tell, orProblem });
  if (isReadable && !interrupts.stop.aborted)
    await examineInside(options, interrupts, output, { printCheck: tell, orProblem });
  const ok = checks.every(({ verdict }) => verdict !== 'problem');
  if (output.json) output.answer({ ok, checks });
  return interrupts.exitCode() ?? (ok ? 0 : 1);
}

function lineOf({ name, verdict, says, todo }: HealthCheck): string {
  const colour = COLOURS[verdict];
  const line = `${colour(verdict.padEnd(VERDICT_WIDTH))}  ${name}: ${displayLine(says)}`;
  return todo === null ? line : `${line}\n${' '.repeat(VERDICT_WIDTH)}  → ${displayLine(todo)}`;
}

/** Whether the database can be opened without making or changing it. */
async function examinePlace(
  workspace: Workspace | null,
  database: DatabaseAddress,
  { printCheck: tell, orProblem }: Telling,
): Promise<boolean> {
  const { examineDatabase, examineFolder, examineOwnFiles } =
    await import('../../../adapters/doctor/examine-before-opening.ts');
  const configuration = await examineConfiguration(workspace);
  tell(configuration);
  const own = await examineOwnFiles(workspace, database);
  for (const check of own) tell(check);
  const found = await orProblem('database', () => examineDatabase(database));
  tell(found);
  if (found.verdict === 'problem') return false;
  if (database.kind === 'sqlite') for (const check of await examineFolder(database.path)) tell(check);
  // A workspace that other users can change is not opened.
  return [configuration, ...own].every(({ verdict }) => verdict === 'ok');
}

async function examineConfiguration(workspace: Workspace | null): Promise<HealthCheck> {
  if (workspace === null) return engine.healthy('configuration', 'no workspace: the database was named');
  const { readConfiguration } = await import('../../../workspace/configuration.ts');
  try {
    readConfiguration(workspace.configurationPath);
    return engine.healthy('configuration', `${workspace.configurationPath} is readable`);
  } catch (error) {
    const says = messageOf(error);
    return { name: 'configuration', verdict: 'problem', says, todo: 'correct the file; no command works until then' };
  }
}

async function examineInside(
  options: CommonOptions,
  { stop }: Interrupts,
  output: Output,
  { printCheck: tell, orProblem }: Telling,
): Promise<void> {
  const opened = await orProblem('opening', () => openFor(options, { onlyReads: true, saysDifferences: false }));
  if ('verdict' in opened) return tell(opened);
  const { ctx, close } = opened;
  const progress = progressOf('looked at', output.json);
  const looks: readonly [string, () => Promise<HealthCheck>][] = [
    ['policy', async () => policyCheck(opened)],
    ['clock', () => engine.examineClock(ctx)],
    ['workers', () => engine.examineSessions(ctx)],
    ['duty', () => engine.examineDuty(ctx)],
    ['feed', () => examineFeed(ctx, stop)],
    ['deadlines', () => engine.examineOverdue(ctx)],
    ['dependencies', () => engine.examineDependencies(ctx)],
    ['schedules', () => engine.examineSchedules(ctx)],
    ['outbox', () => engine.examineEffects(ctx, stop)],
    ['audit', () => engine.examineDamage(ctx)],
    ['trails', () => engine.examineTrails(ctx, { signal: stop, progress: (count) => progress.show(count) })],
  ];
  try {
    for (const [name, look] of looks) {
      if (stop.aborted) return;
      const check = await orProblem(name, look);
      progress.end();
      tell(check);
    }
    const { queue } = ctx.rules;
    if (stop.aborted) return;
    if (queue === null) {
      const { examineUnusedQueueFolder: examineUnkeptQueue } =
        await import('../../../adapters/doctor/examine-before-opening.ts');
      const unkept = await examineUnkeptQueue((await locateWorkspace(options)).workspace);
      if (unkept !== null) tell(unkept);
      return;
    }
    const seen = await orProblem('queue folders', async () => queue.examine(stop));
    for (const check of 'verdict' in seen ? [seen] : seen) tell(check);
  } finally {
    await close();
  }
}

function policyCheck({ policy }: OpenWorkspace): HealthCheck {
  if (policy.says !== null) {
    const keys = policy.differences.map(({ key }) => key).join(', ');
    const says = `baton.yaml differs from version ${policy.version} of the stored policy in ${keys}`;
    return {
      name: 'policy',
      verdict: 'warning',
      says,
      todo: 'the stored policy is in force; to store the file, run: baton apply',
    };
  }
  if (policy.version === 0) return engine.healthy('policy', 'none is stored yet');
  return engine.healthy(
    'policy',
    `version ${policy.version} is stored${policy.file === null ? '' : ', as baton.yaml says'}`,
  );
}

/** An unreadable database is a result of the check, not the end of it. */
function problemsWith(remedy: string): OrProblem {
  return async (name, look) => {
    try {
      return await look();
    } catch (error) {
      const says = messageOf(error);
      const isOurs = error instanceof StoreFault;
      return { name, verdict: 'problem', says, todo: isOurs ? remedy : 'examine the file by hand' };
    }
  };
}
