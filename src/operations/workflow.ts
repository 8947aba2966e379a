import { err, ok } from '../foundation/result.ts';
import { workflowOf } from '../domain/workflow.ts';
import { projects } from '../engine/handoffs/projects.ts';
import { text } from './field.ts';
import { defineOperation } from './operation.ts';

export const workflow = defineOperation({
  name: 'workflow',
  summary: 'Projects by phase: progress, time, open legs, order of tasks',
  example: 'workflow shop',
  permission: 'operator',
  scope: 'read',
  subject: 'project',
  route: { method: 'get', path: '/api/workflows' },
  input: { project: text('Only this one') },
  result: 'workflows',
  run: async (ctx, _principal, { project }, { readProjects = () => projects(ctx, null) }) => {
    const trails = (await readProjects()).filter((trail) => project === undefined || trail.project === project);
    if (project !== undefined && trails.length === 0) {
      return err({ code: 'no-such-project', says: `there is no summary of a project ${JSON.stringify(project)}` });
    }
    return ok(trails.map(workflowOf));
  },
});
