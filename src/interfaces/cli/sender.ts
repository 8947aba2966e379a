/** The default sender: the agent of the worker that runs the command, or `me` in baton.yaml. */
import { workspaceFor } from '../../workspace/workspace.ts';
import { agentArgument } from './arguments.ts';
import type { CommonOptions } from './with-workspace.ts';

export async function withSender<Options extends CommonOptions>(options: Options): Promise<Options> {
  if ((options as { readonly from?: unknown }).from !== undefined) return options;
  const inside = process.env['BATON_AGENT'] ?? '';
  const from = inside === '' ? await configuredSender(options) : agentArgument(inside, 'BATON_AGENT');
  return from === null ? options : { ...options, from };
}

async function configuredSender({ workspace: place }: CommonOptions): Promise<string | null> {
  const workspace = workspaceFor(place);
  if (workspace === null) return null;
  const { cachedConfiguration } = await import('../../workspace/configuration-cache.ts');
  try {
    const { me } = (await cachedConfiguration(workspace)).text;
    return me === undefined ? null : agentArgument(me, 'me in baton.yaml');
  } catch (error) {
    // Opening the workspace reports the problem of the file.
    if (error instanceof Error && error.name === 'ConfigurationProblem') return null;
    throw error;
  }
}
