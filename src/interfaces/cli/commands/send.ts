import { CONTEXT_FILES, contextKeyOf, contextPathOf } from '../../../engine/artifacts/context-files.ts';
import type { Context } from '../../../engine/context.ts';
import { agentPrincipal, type Principal } from '../../../domain/principal.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import { readHandoffId, type AgentId } from '../../../domain/names.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../../../domain/retry-policy.ts';
import { explainRemoved } from '../../../engine/retention/explain-removed.ts';
import { send as sendHandoff, type SendRequest } from '../../../engine/handoffs/send.ts';
import { send as operation, sendRequestOf, type SendInput } from '../../../operations/send.ts';
import { withWorkspace, type CommonOptions, type Flags, type Lists, type Texts } from '../with-workspace.ts';
import { inputFrom, wholeIds } from '../options.ts';
import { isTerminal, type Output } from '../output.ts';
import { adviceAbout } from '../../../engine/handoffs/recipient-advice.ts';
import { readText, secondsArgument } from '../arguments.ts';
import { cliProblem, problemOf } from '../problem.ts';
import { withSender } from '../sender.ts';
import { printCreated } from './created.ts';

export type SendOptions = CommonOptions &
  Flags<'wait'> &
  Texts<'request' | 'waitTimeout' | 'promptFile'> &
  Lists<'context'> & {
    readonly [name: string]: unknown;
  };

export async function send(_args: readonly string[], given: SendOptions, output: Output): Promise<number> {
  const options = given.request === undefined ? withPrompt(await withSender(given)) : given;
  const patience = waitTimeoutOf(options);
  const requested = options.request === undefined ? null : await requestIn(options.request, options);
  const input = requested === null ? sendInputFrom(withContextNames(options)) : null;
  const { from } = requested?.(DEFAULT_RETRY) ?? (input as SendInput);
  return withWorkspace(
    options,
    { defaultPrincipal: agentPrincipal(from) },
    async (ctx, principal, { configuration }) => {
      const asked =
        requested?.(ctx.rules.terms.queue?.retry ?? DEFAULT_RETRY) ??
        sendRequestOf(ctx, await wholeIds(operation, input as SendInput, ctx, principal));
      const handoff = await sendOrExplain(ctx, principal, asked);
      const { id, to, state } = handoff;
      if (state === 'offered') await advise(ctx, to, [...configuration.agents.keys()], output);
      if (options.wait === true || patience !== null) {
        const first = `${id} ${state === 'offered' ? `offered to @${to}` : state}; waiting`;
        const { waitAndPrint } = await import('./wait.ts');
        return waitAndPrint(ctx, principal, id, { first, ...patience }, output);
      }
      printCreated(handoff, output);
      return 0;
    },
  );
}

async function requestIn(file: string, options: SendOptions): Promise<(retry: RetryPolicy) => SendRequest> {
  return (await import('../request-file.ts')).wholeRequest(file, options);
}

/** Warns about a misspelled recipient. That nobody works for it yet is only a note, and only on a terminal. */
async function advise(ctx: Context, to: AgentId, configured: readonly AgentId[], output: Output): Promise<void> {
  if (output.json) return;
  const advice = await adviceAbout(ctx, to, configured);
  if (advice?.isSlip === true) output.warn(advice.says);
  else if (advice !== null && isTerminal(2)) output.note(advice.says);
}

function waitTimeoutOf({ waitTimeout }: SendOptions): { readonly timeoutMs: number } | null {
  if (waitTimeout === undefined) return null;
  return { timeoutMs: secondsArgument(waitTimeout, '--wait-timeout', 0, YEAR_SECONDS) };
}

const YEAR_SECONDS = 366 * 24 * 60 * 60;

/** `--prompt-file` stands for `--text` with the content of the file. */
export function withPrompt<Options extends { readonly promptFile?: string; readonly [name: string]: unknown }>(
  options: Options,
): Options {
  const { promptFile } = options;
  if (promptFile === undefined) return options;
  if (options['text'] !== undefined) throw cliProblem('usage', 'say either --text or --prompt-file');
  return { ...options, text: readText(promptFile, '--prompt-file') };
}

/** A handoff that a worker's command sends gets the worker's handoff as its parent. */
export function sendInputFrom(options: Readonly<Record<string, unknown>>, more: Partial<SendInput> = {}): SendInput {
  const own = readHandoffId(process.env['BATON_HANDOFF_ID'] ?? '');
  const parent = own === null || options['parent'] !== undefined ? {} : { parent: own };
  return inputFrom(operation, [], options, { ...parent, ...more });
}

/** The name of a shared context file stands for its content at the time of sending. */
function withContextNames(options: SendOptions): SendOptions {
  const { context } = options;
  if (context === undefined) return options;
  const texts = context.map((text) => {
    const name = CONTEXT_FILES.find((each) => each === text);
    return name === undefined ? text : JSON.stringify({ [contextKeyOf(name)]: contextPathOf(name) });
  });
  return { ...options, context: texts };
}

export async function sendOrExplain(ctx: Context, principal: Principal, request: SendRequest): Promise<Handoff> {
  const sent = await sendHandoff(ctx, principal, request);
  if (sent.ok) return sent.value;
  // The parent of the environment may belong to another workspace or to other agents: send without it.
  const { refusal } = sent;
  const isNotTheirs = refusal.code === 'not-entitled' && refusal.op === 'follow';
  const isStray = refusal.code === 'no-such-handoff' || isNotTheirs;
  const { parent, ...alone } = request;
  const isOfEnvironment = isStray && refusal.id === parent && parent === process.env['BATON_HANDOFF_ID'];
  if (!isOfEnvironment) throw problemOf(await explainRemoved(ctx, principal, refusal));
  return sendOrExplain(ctx, principal, alone);
}
