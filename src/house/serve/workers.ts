/** Agents whose command stands in the configuration are served here, by the same runner as `baton work`. */
import { agentPrincipal } from '../../domain/principal.ts';
import { work } from '../../engine/work.ts';
import { commandHandler, findCommand } from '../../faces/cli/command-handler.ts';
import type { OpenWorkspace } from '../open-workspace.ts';
import type { ServerLog } from './log.ts';

/** Ends when all of them have. */
export async function startWorkers(
  { around, workspace, configuration }: OpenWorkspace,
  log: ServerLog,
  stop: AbortSignal,
  abort: AbortSignal,
): Promise<void> {
  const wanted = [...configuration.agents].flatMap(([agent, own]) => (own === null ? [] : [{ agent, ...own }]));
  const running = wanted.map(async ({ agent, command, concurrency }) => {
    const name = `@${agent}`;
    if (findCommand(command[0] ?? '') === null) {
      log.error({ agent: name, command: command[0] }, 'its command cannot be found; nobody works for it here');
      return;
    }
    log.info({ agent: name, concurrency }, 'at work');
    try {
      await work(around, {
        agent,
        principal: agentPrincipal(agent, around.rules.rolesOf(agent)),
        handler: commandHandler(
          command,
          (text) => log.info({ agent: name, says: text.trimEnd() }, 'said'),
          workspace?.folder,
        ),
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
