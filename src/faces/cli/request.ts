/** What `send` and `create` share: the options that say what is asked for. */
import { readHandoffId } from '../../domain/names.ts';
import type { Terms } from '../../domain/handoff.ts';
import { PRIORITIES, type Priority } from '../../domain/priority.ts';
import type { SendRequest } from '../../engine/verbs/send.ts';
import { agentArgument, idArgument, textArgument } from './arguments.ts';
import type { CommonOptions } from './invocation.ts';
import { faceProblem } from './problem.ts';

export interface RequestOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly title?: string;
  readonly task?: string;
  readonly priority?: string;
  readonly deliverable?: readonly string[];
  readonly criterion?: readonly string[];
  readonly verifier?: readonly string[];
  readonly depends?: readonly string[];
  readonly parent?: string;
  readonly queue?: true;
  readonly requestId?: string;
}

const LIST_MAX = 100;

export function requestOf(command: string, options: RequestOptions, own: Partial<Terms>): Omit<SendRequest, 'input'> {
  const { from, to, parent } = options;
  if (from === undefined || to === undefined) {
    throw faceProblem(
      'usage',
      `${command} needs --from and --to, for example: baton ${command} --from @me --to @react …`,
    );
  }
  const terms: Partial<Terms> = { ...own, ...termsOf(options) };
  const leg = parent === undefined ? parentFromWorker() : { parent: idArgument(parent, '--parent') };
  return {
    from: agentArgument(from, '--from'),
    to: agentArgument(to, '--to'),
    ...(options.title === undefined ? {} : { title: textArgument(options.title, '--title') }),
    ...(options.task === undefined ? {} : { task: textArgument(options.task, '--task') }),
    ...(options.priority === undefined ? {} : { priority: readPriority(options.priority) }),
    ...(options.requestId === undefined ? {} : { requestId: textArgument(options.requestId, '--request-id') }),
    ...(options.queue === true ? { queue: true } : {}),
    ...leg,
    ...(Object.keys(terms).length === 0 ? {} : { terms }),
  };
}

function termsOf({ deliverable, criterion, verifier, depends }: RequestOptions): Partial<Terms> {
  return {
    ...(deliverable === undefined ? {} : { deliverables: distinct(deliverable, '--deliverable') }),
    ...(criterion === undefined ? {} : { criteria: distinct(criterion, '--criterion') }),
    ...(verifier === undefined ? {} : { verifiers: verifier.map((name) => agentArgument(name, '--verifier')) }),
    ...(depends === undefined ? {} : { dependsOn: depends.map((id) => idArgument(id, '--depends')) }),
  };
}

/** Evidence names them, so each stands for itself. */
function distinct(texts: readonly string[], what: string): readonly string[] {
  const sound = texts.map((text) => textArgument(text, what));
  if (sound.length > LIST_MAX) throw faceProblem('bad-request', `${what}: at most ${LIST_MAX} of them`);
  const twice = sound.find((text, index) => sound.indexOf(text) !== index);
  if (twice === undefined) return sound;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(twice)} stands there twice`);
}

/** What a worker's command sends belongs to the chain of what it works on. */
function parentFromWorker(): Pick<SendRequest, 'parent'> {
  const id = readHandoffId(process.env['BATON_HANDOFF_ID'] ?? '');
  return id === null ? {} : { parent: id };
}

function readPriority(text: string): Priority {
  const priority = PRIORITIES.find((each) => each === text.toLowerCase());
  if (priority !== undefined) return priority;
  throw faceProblem('bad-request', `--priority ${JSON.stringify(text)}: one of ${PRIORITIES.join(', ')}`);
}
