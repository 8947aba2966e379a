import { agentPrincipal } from '../../../domain/principal.ts';
import { standDuty } from '../../../engine/duty.ts';
import type { EngineEvent, FailedAttempt } from '../../../engine/surroundings.ts';
import { workWithToken } from '../../../engine/work-with-token.ts';
import { PROBLEMS } from '../../shared/problems.ts';
import { displayText } from '../../../foundation/display-text.ts';
import { wordingOf } from '../../shared/wording.ts';
import { agentArgument, countArgument } from '../arguments.ts';
import { tellOfDocument } from '../document-events.ts';
import { mustBe, openFor, whoAsks, type CommonOptions } from '../invocation.ts';
import { commandHandler, findCommand } from '../command-handler.ts';
import { onInterrupt } from '../interrupt.ts';
import { whenNobodyReads, type Output } from '../output.ts';
import { faceProblem } from '../problem.ts';

interface WorkOptions extends CommonOptions {
  readonly concurrency?: string;
  readonly once?: true;
}

const CONCURRENCY_MAX = 1_000;

export async function work(args: readonly string[], options: WorkOptions, output: Output): Promise<number> {
  const [agentText = '', ...command] = args;
  const agent = agentArgument(agentText, 'agent');
  const concurrency = countArgument(options.concurrency ?? '1', '--concurrency', 1, CONCURRENCY_MAX);
  const [program] = command;
  if (program === undefined) {
    throw faceProblem('usage', `work needs a command after --, for example: baton work @${agent} -- cat`);
  }
  if (findCommand(program) === null) {
    throw faceProblem('bad-request', `cannot find the command ${JSON.stringify(program)}, or it is not executable`);
  }
  const house = await openFor(options, (event) => tell(event, output));
  let running = 0;
  const interrupts = onInterrupt(() => {
    output.note(running === 0 ? 'stopping' : 'stopping when the running work is done; once more to give it back now');
  });
  // What runs is finished; the next one is for a worker that somebody can hear.
  whenNobodyReads(() => interrupts.ask());
  const over = new AbortController();
  const duty = standDuty(house.around, over.signal);
  try {
    const principal = await whoAsks(house, options, agentPrincipal(agent));
    mustBe(principal, agent);
    output.note(`@${agent} is at work (${concurrency} at a time); Ctrl-C to stop`);
    const handler = commandHandler(command, (text) => process.stderr.write(displayText(text)));
    const done = await workWithToken(house.around, {
      agent,
      principal,
      handler: async (claimed, attempt) => {
        running += 1;
        return handler(claimed, attempt).finally(() => {
          running -= 1;
        });
      },
      concurrency,
      ...(options.once === true ? { attemptsMax: 1 } : {}),
      stop: interrupts.stop,
      abort: interrupts.insist,
    });
    if (done.tokenEnd !== null) throw faceProblem('token-refused', `${done.tokenEnd}: this worker has stopped`);
    if (options.once === true && done.refused > 0) return PROBLEMS['lease-lost'].exitCode;
    return interrupts.exitCode() ?? 0;
  } finally {
    over.abort();
    await duty;
    await house.close();
  }
}

function tell(event: EngineEvent, output: Output): void {
  if (output.json) {
    output.answer(event.kind === 'fault' ? { ...event, error: String(event.error) } : event);
    return;
  }
  switch (event.kind) {
    case 'attempt-started':
      output.note(`${event.id} attempt ${event.attempt}`);
      break;
    case 'attempt-settled':
      output.note(`${event.id} ${event.failed === undefined ? event.state : failureText(event.failed)}`);
      break;
    case 'result-refused':
      output.warn(`${event.refusal.code}: ${wordingOf(event.refusal)}`);
      break;
    case 'session-lost':
      output.warn('this worker was silent for too long: what it held was given to others');
      break;
    case 'handoff-recovered':
      output.note(`${event.id} taken back: ${event.says}`);
      break;
    case 'clock-jumped':
      output.warn(`the clock was set by ${Math.round(event.byMs / 1000)} s; expiry pauses for one round`);
      break;
    case 'policy-changed':
      output.note(`follows version ${event.version} of the policy from now on`);
      break;
    case 'feed-held':
      output.warn(`${event.says}; ${event.todo}`);
      break;
    case 'feed-free':
      output.note('no open transaction keeps facts back any more');
      break;
    case 'effect-postponed':
      output.note(`${event.effect} ${event.key} has to wait: ${event.says}`);
      break;
    case 'effect-dropped':
      output.warn(`${event.effect} ${event.key} is given up: ${event.says}`);
      break;
    case 'file-adopted':
      output.note(`${event.id} taken in from ${event.place}/`);
      break;
    case 'file-quarantined':
      output.warn(`${event.place}/${event.name} is in quarantine: ${event.says}`);
      break;
    case 'document-adopted':
    case 'document-refused':
    case 'document-left':
    case 'document-late':
    case 'document-over-limit':
    case 'documents-paused':
      tellOfDocument(event, output);
      break;
    case 'task-left':
      output.warn(`tasks/${event.task}.md is left as it is: ${event.says}`);
      break;
    case 'store-waiting':
    case 'store-read-only':
    case 'secret-found':
      // Told where the workspace was opened, for every command.
      break;
    case 'fault':
      output.warn(`${event.doing}: ${event.error instanceof Error ? event.error.message : String(event.error)}`);
      break;
  }
}

/** The message may be a whole trace; the record has it, a terminal gets its first line. */
function failureText({ attempt, code, message, againInMs }: FailedAttempt): string {
  const [line = ''] = message.split('\n', 1);
  const next = againInMs === null ? 'not tried again' : `again in ${Math.round(againInMs / 1000)} s`;
  return `failed attempt ${attempt}: ${code}: ${line}; ${next}`;
}
