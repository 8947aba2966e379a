/** One function per move of a handoff that is there: arguments in, verb, answer out. */
import type { Handoff } from '../../../domain/handoff.ts';
import type { HandoffId } from '../../../domain/names.ts';
import type { Principal } from '../../../domain/principal.ts';
import { WEEK_SECONDS } from '../../../domain/record-values.ts';
import type { Result } from '../../../foundation/result.ts';
import type { Surroundings } from '../../../engine/surroundings.ts';
import { accept as acceptHandoff, renew as renewHandoff } from '../../../engine/verbs/accept.ts';
import { activate as activateHandoff } from '../../../engine/verbs/activate.ts';
import { block as blockHandoff, unblock as unblockHandoff } from '../../../engine/verbs/block.ts';
import { deliver as deliverHandoff } from '../../../engine/verbs/deliver.ts';
import { cancel as cancelHandoff, reject as rejectHandoff } from '../../../engine/verbs/end.ts';
import { fail as failAttempt } from '../../../engine/verbs/fail.ts';
import { progress as tellProgress } from '../../../engine/verbs/progress.ts';
import { release as releaseHandoff } from '../../../engine/verbs/release.ts';
import { retry as retryHandoff } from '../../../engine/verbs/retry.ts';
import type { SendRefusal } from '../../../engine/verbs/send.ts';
import { sendBack, verify as verifyHandoff } from '../../../engine/verbs/verify.ts';
import { handoffView } from '../../shared/views.ts';
import {
  agentArgument,
  evidenceArgument,
  fenceArgument,
  fractionArgument,
  idArgument,
  jsonArgument,
  LONG_TEXT_MAX,
  secondsArgument,
  textArgument,
} from '../arguments.ts';
import { criteriaMet } from '../criteria.ts';
import { inHouse, insideWorker, type CommonOptions } from '../invocation.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Output } from '../output.ts';
import { faceProblem } from '../problem.ts';
import { sendProblem } from './send.ts';

interface FenceOptions extends CommonOptions {
  readonly fence?: string;
}

type Args = readonly string[];
type Verb = (around: Surroundings, principal: Principal, id: HandoffId) => Promise<Result<Handoff, SendRefusal>>;

/** Asks, and says in one line where the handoff is now. */
async function move(args: Args, options: CommonOptions, output: Output, verb: Verb): Promise<number> {
  const id = idArgument(args[0], 'id');
  const moved = await inHouse(options, insideWorker(id), async (around, principal) => verb(around, principal, id));
  if (!moved.ok) throw sendProblem(moved.refusal);
  const { state, fence } = moved.value;
  const view = handoffView(moved.value);
  if (output.json) output.answer(view);
  else output.line(`${moved.value.id} ${state}${state === 'accepted' ? ` (fence ${fence})` : ''}`);
  if (view.until !== undefined) output.note(`held until ${view.until}`);
  return 0;
}

export async function activate(args: Args, options: CommonOptions, output: Output): Promise<number> {
  return move(args, options, output, activateHandoff);
}

export async function accept(
  args: Args,
  options: CommonOptions & { readonly notes?: string; readonly lease?: string },
  output: Output,
): Promise<number> {
  const { notes, lease } = options;
  const wish = {
    ...(notes === undefined ? {} : { notes: textArgument(notes, '--notes', LONG_TEXT_MAX) }),
    ...leaseOf(lease),
  };
  return move(args, options, output, (around, principal, id) => acceptHandoff(around, principal, id, wish));
}

export async function reject(
  args: Args,
  options: FenceOptions & { readonly type?: string; readonly reason?: string },
  output: Output,
): Promise<number> {
  const rejection = {
    type: textArgument(needed(options.type, 'reject', '--type'), '--type'),
    reason: textArgument(needed(options.reason, 'reject', '--reason'), '--reason', LONG_TEXT_MAX),
  };
  return move(args, options, output, (around, principal, id) =>
    rejectHandoff(around, principal, id, { ...rejection, fence: fenceArgument(options.fence, id) }),
  );
}

export async function release(args: Args, options: FenceOptions, output: Output): Promise<number> {
  return move(args, options, output, (around, principal, id) =>
    releaseHandoff(around, principal, id, fenceArgument(options.fence, id)),
  );
}

export async function renew(
  args: Args,
  options: FenceOptions & { readonly lease?: string },
  output: Output,
): Promise<number> {
  const { leaseMs } = leaseOf(options.lease);
  return move(args, options, output, (around, principal, id) =>
    renewHandoff(around, principal, id, fenceArgument(options.fence, id), leaseMs),
  );
}

export async function progress(
  args: Args,
  options: FenceOptions & { readonly at?: string; readonly says?: string },
  output: Output,
): Promise<number> {
  const { at, says } = options;
  if (at === undefined && says === undefined) throw faceProblem('usage', 'progress needs --at or --says');
  const told = {
    fraction: at === undefined ? null : fractionArgument(at, '--at'),
    says: says === undefined ? null : textArgument(says, '--says', LONG_TEXT_MAX),
  };
  return move(args, options, output, (around, principal, id) =>
    tellProgress(around, principal, id, fenceArgument(options.fence, id), told),
  );
}

export async function deliver(
  args: Args,
  options: FenceOptions & { readonly artifact?: string; readonly evidence?: readonly string[] },
  output: Output,
): Promise<number> {
  const evidence = (options.evidence ?? []).map(evidenceArgument);
  const result = options.artifact === undefined ? null : jsonArgument(options.artifact, '--artifact');
  const { stop } = onInterrupt(() => undefined);
  return move(args, options, output, (around, principal, id) =>
    deliverHandoff(around, principal, {
      target: id,
      fence: fenceArgument(options.fence, id),
      result,
      evidence,
      signal: stop,
    }),
  );
}

export async function fail(
  args: Args,
  options: FenceOptions & { readonly code?: string; readonly message?: string },
  output: Output,
): Promise<number> {
  const failure = {
    code: textArgument(needed(options.code, 'fail', '--code'), '--code'),
    message: textArgument(needed(options.message, 'fail', '--message'), '--message', LONG_TEXT_MAX),
  };
  return move(args, options, output, (around, principal, id) =>
    failAttempt(around, principal, { target: id, fence: fenceArgument(options.fence, id), failure }),
  );
}

export async function block(
  args: Args,
  options: FenceOptions & { readonly question?: string },
  output: Output,
): Promise<number> {
  const question = textArgument(needed(options.question, 'block', '--question'), '--question', LONG_TEXT_MAX);
  return move(args, options, output, (around, principal, id) =>
    blockHandoff(around, principal, id, fenceArgument(options.fence, id), question),
  );
}

export async function unblock(
  args: Args,
  options: CommonOptions & { readonly answer?: string },
  output: Output,
): Promise<number> {
  const answer = options.answer === undefined ? null : textArgument(options.answer, '--answer', LONG_TEXT_MAX);
  return move(args, options, output, (around, principal, id) => unblockHandoff(around, principal, id, answer));
}

export async function verify(
  args: Args,
  options: CommonOptions & {
    readonly notes?: string;
    readonly check?: readonly string[];
    readonly refuse?: string;
    readonly rework?: true;
  },
  output: Output,
): Promise<number> {
  const { notes, check = [], refuse, rework } = options;
  if (rework === true && refuse === undefined) throw faceProblem('usage', '--rework needs --refuse with the reason');
  if (refuse !== undefined && check.length > 0) throw faceProblem('usage', '--check and --refuse exclude each other');
  const said = notes === undefined ? {} : { notes: textArgument(notes, '--notes', LONG_TEXT_MAX) };
  const reason = refuse === undefined ? '' : textArgument(refuse, '--refuse', LONG_TEXT_MAX);
  const { stop } = onInterrupt(() => undefined);
  return move(args, options, output, async (around, principal, id) => {
    if (rework === true) return sendBack(around, principal, id, reason);
    if (refuse !== undefined) return rejectHandoff(around, principal, id, { type: 'verification', reason });
    const criteria = check.length === 0 ? [] : await criteriaMet(around, id, check);
    return verifyHandoff(around, principal, { id, criteria, ...said }, stop);
  });
}

export async function cancel(
  args: Args,
  options: CommonOptions & { readonly reason?: string },
  output: Output,
): Promise<number> {
  const reason = options.reason === undefined ? null : textArgument(options.reason, '--reason', LONG_TEXT_MAX);
  return move(args, options, output, (around, principal, id) => cancelHandoff(around, principal, id, reason));
}

export async function retry(
  args: Args,
  options: CommonOptions & {
    readonly input?: string;
    readonly timeout?: string;
    readonly requestId?: string;
    readonly queue?: true;
    readonly to?: string;
  },
  output: Output,
): Promise<number> {
  const { input, timeout, requestId, queue, to } = options;
  const request = {
    id: idArgument(args[0], 'id'),
    ...(to === undefined ? {} : { to: agentArgument(to, '--to') }),
    ...(input === undefined ? {} : { input: jsonArgument(input, '--input') }),
    ...(timeout === undefined ? {} : { attemptTimeoutMs: secondsArgument(timeout, '--timeout', 1, WEEK_SECONDS) }),
    ...(requestId === undefined ? {} : { requestId: textArgument(requestId, '--request-id') }),
    ...(queue === true ? { queue: true } : {}),
  };
  const made = await inHouse(options, {}, async (around, principal) => retryHandoff(around, principal, request));
  if (!made.ok) throw sendProblem(made.refusal);
  const { id, state } = made.value;
  if (output.json) output.answer({ id, state, retryOf: request.id });
  else output.line(id);
  return 0;
}

function leaseOf(text: string | undefined): { readonly leaseMs?: number } {
  return text === undefined ? {} : { leaseMs: secondsArgument(text, '--lease', 1, WEEK_SECONDS) };
}

function needed(text: string | undefined, command: string, option: string): string {
  if (text !== undefined) return text;
  throw faceProblem('usage', `${command} needs ${option}; see: baton ${command} --help`);
}
