import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readVendor, VENDORS, type Vendor } from '../../../domain/vendors.ts';
import type { AgentId } from '../../../domain/names.ts';
import { agentPrincipal } from '../../../domain/principal.ts';
import { WEEK_SECONDS } from '../../../domain/record-values.ts';
import { AGENT_TERMS, RETRIES_MAX } from '../../../domain/retry-policy.ts';
import { runDuty } from '../../../engine/duty.ts';
import type { EngineEvent } from '../../../engine/context.ts';
import type { Handler, WorkOptions as EngineWorkOptions } from '../../../engine/work.ts';
import type { OpenWorkspace } from '../../../workspace/opened-workspace.ts';
import { workWithToken } from '../../../engine/work-with-token.ts';
import { PROBLEMS } from '../../shared/problems.ts';
import { displayText } from '../../../foundation/display-text.ts';
import { agentArgument, commandArgument, countArgument, secondsArgument } from '../arguments.ts';
import { printEvent } from '../event-text.ts';
import { mustBeAgent, openFor, principalFor, type CommonOptions, type Flags, type Texts } from '../with-workspace.ts';
import { keepReadingHookSpool, readHookSpool } from '../read-hook-spool.ts';
import { commandHandler, handoffEnvironment } from '../command-handler.ts';
import { onInterrupt } from '../interrupt.ts';
import { onClosedPipe, type Output } from '../output.ts';
import { cliProblem } from '../problem.ts';

type WorkOptions = CommonOptions &
  Flags<'once' | 'worktree' | 'text'> &
  Texts<'concurrency' | 'agent' | 'model' | 'cwd' | 'timeout' | 'retries'>;

const CONCURRENCY_MAX = 1_000;

export async function work(args: readonly string[], options: WorkOptions, output: Output): Promise<number> {
  const [agentText = '', ...command] = args;
  const agent = agentArgument(agentText, 'agent');
  const concurrency = countArgument(options.concurrency ?? '1', '--concurrency', 1, CONCURRENCY_MAX);
  const handlerIn = handlerFor(agent, command, options);
  const terms = termsOf(options);
  const app = await openFor(options, { report: (event) => printWorkEvent(event, output) });
  let running = 0;
  const interrupts = onInterrupt(() => {
    output.note(
      running === 0 ? 'stopping' : 'stopping when the running work is done; press Ctrl-C again to release it now',
    );
  });
  // Finish the running handoffs and take no new one: nobody would see its output.
  onClosedPipe(() => interrupts.requestStop());
  const over = new AbortController();
  const duty = runDuty(app.ctx, over.signal);
  const endReading = keepReadingHookSpool(app.workspace);
  try {
    const principal = await principalFor(app, options, agentPrincipal(agent));
    mustBeAgent(principal, agent);
    output.note(`working as @${agent} (${concurrency} at a time); Ctrl-C to stop`);
    const handler = await handlerIn(app);
    const done = await workWithToken(app.ctx, {
      agent,
      principal,
      handler: async (claimed, attempt) => {
        running += 1;
        try {
          return await handler(claimed, attempt);
        } finally {
          // A call of the agent's last hook may settle this handoff.
          await readHookSpool(app.workspace);
          running -= 1;
        }
      },
      concurrency,
      terms,
      ...(options.once === true ? { attemptsMax: 1 } : {}),
      stop: interrupts.stop,
      abort: interrupts.force,
    });
    if (done.tokenEnd !== null) throw cliProblem('token-refused', `${done.tokenEnd}: this worker has stopped`);
    if (options.once === true && done.refused > 0) return PROBLEMS['lease-lost'].exitCode;
    return interrupts.exitCode() ?? 0;
  } finally {
    endReading();
    over.abort();
    await duty;
    await app.close();
  }
}

/** The handler of the worker. Programs are looked up once, not for each handoff. */
function handlerFor(
  agent: AgentId,
  command: readonly string[],
  options: WorkOptions,
): (app: OpenWorkspace) => Promise<Handler> {
  const onError = (text: string): void => void process.stderr.write(displayText(text));
  const folder = options.cwd === undefined ? process.cwd() : folderArgument(options.cwd, '--cwd');
  if (options.agent !== undefined) {
    const agents = vendorsArgument(options.agent).map((vendor) => ({
      vendor,
      program: commandArgument(vendor),
    }));
    const model = options.model ?? null;
    const hasWorktree = options.worktree === true;
    return async ({ ctx, workspace }) => {
      if (hasWorktree && workspace === null) throw cliProblem('usage', '--worktree needs a workspace');
      const { agentHandler } = await import('../../../adapters/agent-runs/agent-handler.ts');
      return agentHandler({
        ctx,
        workspace,
        agents,
        model,
        extra: command,
        folder,
        hasWorktree,
        environment: handoffEnvironment,
        onError,
      });
    };
  }
  for (const [name, given] of [
    ['--model', options.model],
    ['--worktree', options.worktree],
  ] as const) {
    if (given !== undefined) throw cliProblem('usage', `${name} needs --agent: a command of yours is run as it is`);
  }
  const [program] = command;
  if (program === undefined) {
    throw cliProblem(
      'usage',
      `work needs an agent or a command, for example: baton work @${agent} --agent codex, or baton work @${agent} -- cat`,
    );
  }
  commandArgument(program);
  return async () => commandHandler(command, { onError, folder, isText: options.text === true });
}

function folderArgument(path: string, what: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return resolve(path);
  throw cliProblem('bad-request', `${what} ${JSON.stringify(path)}: there is no such folder`);
}

/** `claude`, or `claude,codex`: the second is used when the first is at its usage limit. */
function vendorsArgument(text: string): readonly Vendor[] {
  return text.split(',').map((name) => {
    const vendor = readVendor(name.trim());
    if (vendor !== null) return vendor;
    throw cliProblem('bad-request', `--agent ${JSON.stringify(name)}: expected ${VENDORS.join(', ')}`);
  });
}

/** AI agents work long and attempts are expensive, so they have their own default terms. */
function termsOf({ agent, timeout, retries }: WorkOptions): NonNullable<EngineWorkOptions['terms']> {
  return {
    ...(agent === undefined ? {} : AGENT_TERMS),
    ...(timeout === undefined ? {} : { attemptTimeoutMs: secondsArgument(timeout, '--timeout', 1, WEEK_SECONDS) }),
    ...(retries === undefined ? {} : { retriesMax: countArgument(retries, '--retries', 0, RETRIES_MAX) }),
  };
}

function printWorkEvent(event: EngineEvent, output: Output): void {
  if (!output.json) return printEvent(event, output);
  output.answer(event.kind === 'fault' ? { ...event, error: String(event.error) } : event);
}
