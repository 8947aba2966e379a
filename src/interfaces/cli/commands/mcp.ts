/** Agents start this command. Standard output belongs to the protocol; everything else goes to standard error. */
import { messageOf } from '../../../foundation/error-message.ts';
import { agentPrincipal, OPERATOR, type Principal } from '../../../domain/principal.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { theApp } from '../app.ts';
import { agentArgument } from '../arguments.ts';
import { onInterrupt } from '../interrupt.ts';
import type { OpenWorkspace } from '../../../workspace/opened-workspace.ts';
import { principalFor, withOpened, type CommonOptions } from '../with-workspace.ts';
import type { Output } from '../output.ts';

export async function mcp(_args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const worker = process.env['BATON_HANDOFF_ID'] ?? '';
  const own = process.env['BATON_AGENT'] ?? '';
  // Inside a worker's command the environment names the agent, whatever the settings of the program say.
  const inWorker = worker !== '' && own !== '';
  const asked = inWorker ? { ...options, as: own } : options;
  const interrupts = onInterrupt(() => undefined);
  const serve = async (app: OpenWorkspace): Promise<number> => {
    const defaultPrincipal: Principal = own === '' ? OPERATOR : agentPrincipal(agentArgument(own, 'BATON_AGENT'));
    const principal = await principalFor(app, asked, defaultPrincipal);
    await theApp().serveMcp(app, principal, {
      parent: worker === '' ? null : worker,
      stop: interrupts.stop,
      onFault: (error, incident) => output.warn(displayLine(`${incident}: ${messageOf(error)}`)),
    });
    return interrupts.exitCode() ?? 0;
  };
  return withOpened(asked, serve, { saysDifferences: false });
}
