import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';

/** The index follows from the documents. A correct index is not written again. */
export async function index(_args: readonly string[], options: CommonOptions, output: Output): Promise<void> {
  return withWorkspace(options, { scope: 'read' }, async ({ rules: { documents } }) => {
    if (documents === null) {
      throw cliProblem(
        'configuration',
        'this workspace keeps no documents; write into baton.yaml: folders: { documents: on }',
      );
    }
    const written = await documents.writeIndex();
    if (output.json) output.answer({ file: '_handoffs/_index.yaml', written });
    else output.line(written ? 'wrote _handoffs/_index.yaml' : '_handoffs/_index.yaml is up to date');
  });
}
