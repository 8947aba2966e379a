import { agentPrincipal } from '../../../domain/principal.ts';
import type { Context } from '../../../engine/context.ts';
import type { SendRequest } from '../../../engine/handoffs/send.ts';
import { LONG_TEXT_MAX, textArgument } from '../arguments.ts';
import { withWorkspace, type CommonOptions, type Flags, type Lists, type Texts } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem, Problem } from '../problem.ts';
import { send as operation, sendRequestOf } from '../../../operations/send.ts';
import { wholeIds } from '../options.ts';
import { withSender } from '../sender.ts';
import { sendInputFrom, sendOrExplain } from './send.ts';
import { printCreated } from './created.ts';

type CreateOptions = CommonOptions &
  Flags<'document'> &
  Texts<'title' | 'task' | 'purpose' | 'context' | 'meeting' | 'skill' | 'targetCompletion'> &
  Lists<'deliverable' | 'criterion'>;

export async function create(_args: readonly string[], given: CreateOptions, output: Output): Promise<void> {
  const options = await withSender(given);
  if (options.document !== true) {
    throw cliProblem('usage', 'create makes documents and needs --document; to send a message, use baton send');
  }
  if (options.title === undefined) throw cliProblem('usage', 'create --document needs a --title');
  const { context, ...rest } = options;
  void context;
  const input = sendInputFrom(rest, { kind: 'document', input: inputOf(options) });
  return withWorkspace(options, { defaultPrincipal: agentPrincipal(input.from) }, async (ctx, principal) => {
    if (ctx.rules.documents !== null) requireLinks(options, output);
    const request = sendRequestOf(ctx, await wholeIds(operation, input, ctx, principal));
    const handoff = await sendOrExplain(ctx, principal, request).catch(asDocumentRefusal);
    const { id, state } = handoff;
    printCreated(handoff, output);
    await warnOfTask(ctx, request, output);
    warnOfGaps(options, output);
    if (state === 'blocked')
      output.note(
        'it is Created and waits for room under the limit, without a file until then: what lies in active/ counts. ' +
          'It becomes Active, with its file, by itself',
      );
    if (state === 'draft') output.note(`created as a draft; offer it with: baton activate ${id} --as @${request.from}`);
  });
}

async function warnOfTask({ rules }: Context, { task }: SendRequest, output: Output): Promise<void> {
  if (rules.tasks === null || task === undefined || (await rules.tasks.has(task))) return;
  output.warn(`there is no file tasks/${task}.md that could follow this handoff; make one with: baton task new`);
}

/** Warns about fields that the recipient and the verifier need. */
function warnOfGaps({ purpose, context, deliverable = [], criterion = [] }: CreateOptions, output: Output): void {
  const gaps = [
    purpose === undefined ? 'purpose (--purpose)' : '',
    context === undefined ? 'context (--context)' : '',
    deliverable.length === 0 ? 'deliverables (--deliverable)' : '',
    criterion.length === 0 ? 'verification criteria (--criterion)' : '',
  ].filter(Boolean);
  if (gaps.length > 0) output.warn(`the document is missing: ${gaps.join(', ')}`);
}

/** Documents have their own code for a reached limit. */
function asDocumentRefusal(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'limit-reached') throw error;
  const says = `LIMIT_EXCEEDED: ${error.message}, or create it with --wait-for-capacity`;
  throw new Problem(error.code, says, { ...error.facts, documentCode: 'LIMIT_EXCEEDED' });
}

/** The name of a document's file contains its task. Meeting and skill are fields of the document. */
function requireLinks({ task, meeting, skill }: CreateOptions, output: Output): void {
  if (task === undefined) throw cliProblem('usage', 'create --document needs a --task: the file is named after it');
  const absent = [meeting === undefined ? '--meeting' : '', skill === undefined ? '--skill' : ''].filter(Boolean);
  if (absent.length > 0) output.warn(`${absent.join(' and ')} not given: the field is null in the document`);
}

function inputOf(options: CreateOptions): { readonly [name: string]: string | null } {
  return {
    purpose: longText(options.purpose, '--purpose'),
    context: longText(options.context, '--context'),
    meeting: options.meeting === undefined ? null : textArgument(options.meeting, '--meeting'),
    skill: options.skill === undefined ? null : textArgument(options.skill, '--skill'),
    target_completion: options.targetCompletion === undefined ? null : dateOf(options.targetCompletion),
  };
}

function longText(text: string | undefined, what: string): string | null {
  return text === undefined ? null : textArgument(text, what, LONG_TEXT_MAX);
}

/** A day, or an instant with its zone. The day must exist. */
function dateOf(text: string): string {
  const day = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text)?.[1];
  const midnight = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day ?? '');
  if (exists && !Number.isNaN(Date.parse(text))) return text;
  const rule = 'a date like 2026-11-30, or an instant like 2026-11-30T17:00:00Z';
  throw cliProblem('bad-request', `--target-completion ${JSON.stringify(text)}: ${rule}`);
}
