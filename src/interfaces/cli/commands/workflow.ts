import type { Results } from '../../../operations/operation.ts';
import { workflowView } from '../../shared/report/view.ts';
import { drawWorkflow } from '../workflow-drawing.ts';
import type { Telling } from './run-operation.ts';

export function tellWorkflows(flows: Results['workflows'], { output, nowMs }: Telling): void {
  if (output.json) output.answer({ projects: flows.map(workflowView) });
  else if (flows.length === 0) output.note('no summary was told yet');
  else output.line(flows.map((flow) => drawWorkflow(flow, nowMs)).join('\n\n'));
}
