import { ok } from '../foundation/result.ts';
import { reportOn } from '../domain/project-report.ts';
import { projects } from '../engine/handoffs/projects.ts';
import { text } from './field.ts';
import { defineOperation } from './operation.ts';

export const report = defineOperation({
  name: 'report',
  summary: 'Report on projects, for people and CI',
  example: 'report --ci --format junit -o baton.xml',
  permission: 'operator',
  scope: 'read',
  route: { method: 'get', path: '/api/report' },
  input: { project: text('Only this one') },
  result: 'report',
  run: async (ctx, _principal, { project }, { readProjects = () => projects(ctx, null) }) => {
    const trails = await readProjects();
    return ok(reportOn(project === undefined ? trails : trails.filter((trail) => trail.project === project)));
  },
});
