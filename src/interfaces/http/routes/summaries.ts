/** One project by its name; all of them are an operation. */
import { workflow } from '../../../operations/workflow.ts';
import { WorkflowShape } from '../../shared/report/shapes.ts';
import { workflowView } from '../../shared/report/view.ts';
import { endpoint, json, type Endpoint } from '../contract.ts';
import { runOperation } from './operations.ts';

export const SUMMARY_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/workflows/{project}',
    scope: 'read',
    summary: 'One project',
    operation: workflow,
    answers: { 200: 'The project.' },
    gives: WorkflowShape.nullable(),
    answer: async (asked) => {
      const [flow] = await runOperation(workflow, asked);
      return json(flow === undefined ? null : workflowView(flow));
    },
  }),
];
