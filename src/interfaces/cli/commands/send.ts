import { CONTEXT_FILES, contextKeyOf, contextPathOf } from '../../../engine/artifacts/context-files.ts';
import type { Context } from '../../../engine/context.ts';
import { agentPrincipal, type Principal } from '../../../domain/principal.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import { readHandoffId } from '../../../domain/names.ts';
import { DEFAULT_RETRY } from '../../../domain/retry.ts';
import { send as sendHandoff, type SendRequest } from '../../../engine/handoffs/send.ts';
import { send as operation, sendRequestOf, type SendInput } from '../../../operations/send.ts';
import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import { inputFrom } from '../options.ts';
import type { Output } from '../output.ts';
import { problemOf } from '../problem.ts';
import { wholeRequest } from '../request-file.ts';
import { tellCreated } from './operate.ts';
import { waitAndTell } from './wait.ts';

export interface SendOptions extends CommonOptions {
  readonly context?: readonly string[];
  readonly request?: string;
  readonly wait?: true;
  readonly [name: string]: unknown;
}

export async function send(_args: readonly string[], options: SendOptions, output: Output): Promise<number> {
  const requested = options.request === undefined ? null : await wholeRequest(options.request, options);
  const input = requested === null ? sendInputFrom(withContextNames(options)) : null;
  const { from } = requested?.(DEFAULT_RETRY) ?? (input as SendInput);
  return withWorkspace(options, { otherwise: agentPrincipal(from) }, async (ctx, principal) => {
    const asked = requested?.(ctx.rules.terms.queue?.retry ?? DEFAULT_RETRY) ?? sendRequestOf(ctx, input as SendInput);
    const handoff = await sendOrSay(ctx, principal, asked);
    const { id, to, state } = handoff;
    if (options.wait === true) {
      const first = `${id} ${state === 'offered' ? `offered to @${to}` : state}; waiting`;
      return waitAndTell(ctx, principal, id, { first }, output);
    }
    tellCreated(handoff, output);
    return 0;
  });
}

/** What a worker's command sends belongs to the chain of what it works on. */
export function sendInputFrom(options: Readonly<Record<string, unknown>>, more: Partial<SendInput> = {}): SendInput {
  const own = readHandoffId(process.env['BATON_HANDOFF_ID'] ?? '');
  const parent = own === null || options['parent'] !== undefined ? {} : { parent: own };
  return inputFrom(operation, [], options, { ...parent, ...more });
}

/** The name of a shared file stands for what is in it when it is sent. */
function withContextNames(options: SendOptions): SendOptions {
  const { context } = options;
  if (context === undefined) return options;
  const texts = context.map((text) => {
    const name = CONTEXT_FILES.find((each) => each === text);
    return name === undefined ? text : JSON.stringify({ [contextKeyOf(name)]: contextPathOf(name) });
  });
  return { ...options, context: texts };
}

export async function sendOrSay(ctx: Context, principal: Principal, request: SendRequest): Promise<Handoff> {
  const sent = await sendHandoff(ctx, principal, request);
  if (sent.ok) return sent.value;
  // A parent that only the environment names may belong to another workspace, or to others than the sender.
  const { refusal } = sent;
  const isNotTheirs = refusal.code === 'not-entitled' && refusal.op === 'follow';
  const isStray = refusal.code === 'no-such-handoff' || isNotTheirs;
  const parent = isStray && refusal.id === process.env['BATON_HANDOFF_ID'] ? refusal.id : null;
  if (parent === null || request.parent !== parent) throw problemOf(refusal);
  return sendOrSay(ctx, principal, withoutParent(request));
}

function withoutParent(request: SendRequest): SendRequest {
  const alone: { -readonly [Name in keyof SendRequest]: SendRequest[Name] } = { ...request };
  delete alone.parent;
  return alone;
}
