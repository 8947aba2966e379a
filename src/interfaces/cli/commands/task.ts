import { textArgument, agentArgument } from '../arguments.ts';
import { withWorkspace, type CommonOptions, type Texts } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';

type TaskOptions = CommonOptions & Texts<'title' | 'owner'>;

export async function newTask(_args: readonly string[], options: TaskOptions, output: Output): Promise<void> {
  if (options.title === undefined) throw cliProblem('usage', 'task new needs a --title');
  const title = textArgument(options.title, '--title');
  const owner = options.owner === undefined ? null : agentArgument(options.owner, '--owner');
  return withWorkspace(options, {}, async ({ rules }) => {
    if (rules.tasks === null) {
      throw cliProblem('configuration', 'this workspace keeps no tasks; write into baton.yaml: tasks: { keep: on }');
    }
    const id = await rules.tasks.create({ title, owner });
    if (output.json) output.answer({ id, file: `tasks/${id}.md` });
    else output.line(id);
  });
}
