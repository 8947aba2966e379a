/** Other endpoints of operations: a single project, and clearing an inbox. */
import * as z from 'zod';
import { inbox } from '../../../operations/inbox.ts';
import { workflow } from '../../../operations/workflow.ts';
import { WorkflowShape } from '../../shared/report/shapes.ts';
import { workflowView } from '../../shared/report/view.ts';
import { endpoint, json } from '../contract.ts';
import { runOperation } from './operations.ts';

export const CLEAR_INBOX = endpoint({
  method: 'delete',
  path: '/api/inbox/{agent}',
  scope: 'write',
  summary: 'Mark all notifications of an inbox as read',
  operation: inbox,
  answers: { 200: '{ cleared }' },
  responseShape: z.strictObject({ cleared: z.int() }),
  answer: async (asked) => json({ cleared: (await runOperation(inbox, asked, { clear: true })).entries.length }),
});

export const ONE_WORKFLOW = endpoint({
  method: 'get',
  path: '/api/workflows/{project}',
  scope: 'read',
  summary: 'Show a project',
  operation: workflow,
  answers: { 200: 'The project.' },
  responseShape: WorkflowShape.nullable(),
  answer: async (asked) => {
    const [flow] = await runOperation(workflow, asked);
    return json(flow === undefined ? null : workflowView(flow));
  },
});
