import { projects } from '../../../engine/verbs/projects.ts';
import { workflowOf } from '../../../domain/workflow.ts';
import { workflowView } from '../../shared/report/view.ts';
import { mustBeOperator, openFor, type CommonOptions } from '../invocation.ts';
import type { Output } from '../output.ts';
import { faceProblem } from '../problem.ts';
import { drawWorkflow } from '../workflow-drawing.ts';

export async function workflow(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const [project = null] = args;
  const house = await openFor(options, undefined, { onlyReads: true });
  try {
    await mustBeOperator(house, options, 'read');
    const trails = await projects(house.around, project);
    if (project !== null && trails.length === 0) {
      throw faceProblem('no-such-project', `no summary was told about a project ${JSON.stringify(project)}`);
    }
    const flows = trails.map(workflowOf);
    if (output.json) output.answer({ projects: flows.map(workflowView) });
    else if (flows.length === 0) output.note('no summary was told yet');
    else output.line(flows.map((flow) => drawWorkflow(flow, house.around.store.nowMs())).join('\n\n'));
    return 0;
  } finally {
    await house.close();
  }
}
