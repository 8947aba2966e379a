/** Runs the agents that have a command in the configuration, with the same runner as `baton work`. */
import { agentPrincipal } from '../../domain/principal.ts';
import { work } from '../../engine/work.ts';
import { findProgram } from '../../foundation/find-program.ts';
import { commandHandler } from '../../interfaces/cli/command-handler.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';
import type { ServerLog } from '../../interfaces/cli/app.ts';

/** Ends when all of them have. */
export async function startWorkers(
  { ctx, workspace, configuration }: OpenWorkspace,
  log: ServerLog,
  stop: AbortSignal,
  abort: AbortSignal,
): Promise<void> {
  const wanted = [...configuration.agents].flatMap(([agent, own]) => (own === null ? [] : [{ agent, ...own }]));
  const running = wanted.map(async ({ agent, command, concurrency }) => {
    const name = `@${agent}`;
    if (findProgram(command[0] ?? '') === null) {
      log.error(
        { agent: name, command: command[0] },
        'its command cannot be found, so this server runs no worker for it',
      );
      return;
    }
    log.info({ agent: name, concurrency }, 'at work');
    try {
      await work(ctx, {
        agent,
        principal: agentPrincipal(agent, ctx.rules.rolesOf(agent)),
        handler: commandHandler(command, {
          onError: (text) => log.info({ agent: name, says: text.trimEnd() }, 'said'),
          ...(workspace === null ? {} : { folder: workspace.folder }),
        }),
        concurrency,
        stop,
        abort,
      });
    } catch (error) {
      log.error({ agent: name, error: String(error) }, 'stopped working');
    }
  });
  await Promise.all(running);
}
