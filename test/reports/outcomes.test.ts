/** How a project stands, and what a pipeline hears of it. */
import { describe, expect, it } from 'vitest';
import { reportOn } from '../../src/domain/project-report.ts';
import { workflowOf, type Workflow } from '../../src/domain/workflow.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { OPERATOR } from '../../src/domain/principal.ts';
import { projects } from '../../src/engine/handoffs/projects.ts';
import { cancel } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { retry } from '../../src/engine/handoffs/retry.ts';
import { present } from '../../src/foundation/assert.ts';
import { reportHtml } from '../../src/interfaces/shared/report/html.ts';
import { reportJunit } from '../../src/interfaces/shared/report/junit.ts';
import { reportMarkdown } from '../../src/interfaces/shared/report/markdown.ts';
import { reportView } from '../../src/interfaces/shared/report/view.ts';
import { drawWorkflow } from '../../src/interfaces/cli/workflow-drawing.ts';
import { agentOf, summaryWorld, type Said, type SummaryWorld } from '../engine/summaries/summary-world.ts';

async function flowOf(world: SummaryWorld): Promise<Workflow> {
  return workflowOf(present((await projects(world.ctx, 'shop'))[0], 'there is a project'));
}

async function after(...said: readonly Said[]): Promise<Workflow> {
  const world = summaryWorld();
  for (const block of said) await world.say(block);
  return flowOf(world);
}

const BUILT = { from: '@builder', phase: 'Implementation' };

describe('the outcome of a project', () => {
  it('S8: nothing told, nothing to report on', async () => {
    expect(reportOn(await projects(summaryWorld().ctx, null))).toEqual({ outcome: null, projects: [] });
  });

  it('S8: complete when every leg is', async () => {
    const flow = await after({ to: '@builder' }, { ...BUILT, to: 'None' });
    expect(flow).toMatchObject({ outcome: 'complete', progress: 1, open: [], trouble: [] });
  });

  it('S6, S8: unfinished while a leg is open, and it is shown with who has it', async () => {
    const flow = await after({ to: '@builder', context: { task: 'task-1' } });
    expect(flow).toMatchObject({ outcome: 'unfinished', progress: 0.5, trouble: [] });
    expect(flow.open).toMatchObject([
      { from: 'research', to: 'builder', task: 'task-1', standing: 'offered', phase: null },
    ]);
    const taken = await after({ to: '@builder' }, { ...BUILT, status: 'in_progress' });
    expect(taken.open).toMatchObject([{ to: 'builder', standing: 'working', phase: 'Implementation' }]);
    const drafted = await after({ to: '@builder', status: 'pending' });
    expect(drafted).toMatchObject({ outcome: 'unfinished', open: [{ standing: 'draft' }] });
  });

  it('S8: failed when nobody took a failure over, and not when somebody did', async () => {
    const alone = await after({ to: '@builder' }, { ...BUILT, status: 'failed' });
    expect(alone).toMatchObject({ outcome: 'failed', trouble: [{ to: 'builder', standing: 'failed' }] });
    const route = { route_to: '@fixer' };
    const routed = await after(
      { to: '@builder' },
      { ...BUILT, status: 'failed', on_failure: route },
      { from: '@fixer', phase: 'Implementation' },
    );
    expect(routed).toMatchObject({ outcome: 'complete', progress: 1, routes: 1, legs: { 'passed-on': 1, done: 2 } });
    const retried = await after(
      { to: '@builder' },
      { ...BUILT, status: 'failed', on_failure: { retry: 1 } },
      { ...BUILT, status: 'complete' },
    );
    expect(retried).toMatchObject({ outcome: 'complete', retries: 1, legs: { all: 2, done: 2 } });
  });

  it('S8: a failed leg that was routed is never green in JUnit', async () => {
    const world = summaryWorld();
    await world.say({ to: '@builder' });
    await world.say({
      ...BUILT,
      status: 'failed',
      on_failure: { route_to: '@fixer', context: 'the tests need <care>' },
    });
    await world.say({ from: '@fixer', phase: 'Implementation' });
    const junit = reportJunit(reportOn(await projects(world.ctx, 'shop')));
    const routed = junit.split('\n').filter((line) => line.includes('@research → @builder'));
    expect(routed).toEqual([
      expect.stringContaining(
        '<skipped message="@research → @builder: passed on after a failure (the tests need &lt;care&gt;)"/>',
      ),
    ]);
    expect(junit).toMatch(/<testsuite [^>]*tests="3" failures="0" skipped="1"/);
  });

  it('S8: every report says why something is blocked or has failed', async () => {
    const world = summaryWorld();
    await world.say({ to: '@builder', on_failure: { context: 'ask the lead' } });
    await world.say({ ...BUILT, status: 'blocked', waits_for: 'the key of the server' });
    await world.say({ from: '@tester', phase: 'Testing', status: 'failed', metrics: { tests_failed: 3 } });
    const [alone] = await world.tell(
      '# QA\n\nThe page is blank.\n\n```yaml\nhandoff:\n  phase: QA\n  from: "@qa"\n  to: None\n  status: failed\n```\n',
    );
    expect(alone?.fate).toBe('done');
    const why = { builder: 'the key of the server', tester: 'tests_failed is 3', qa: 'The page is blank.' };
    const flow = await flowOf(world);
    expect(Object.fromEntries(flow.trouble.map((leg) => [leg.to, leg.why]))).toEqual(why);
    const report = reportOn(await projects(world.ctx, 'shop'));
    const written = {
      markdown: reportMarkdown(report).replaceAll('\\', ''),
      html: reportHtml(report),
      junit: reportJunit(report),
      json: JSON.stringify(reportView(report)),
      drawing: drawWorkflow(flow, Date.now()),
    };
    for (const [format, text] of Object.entries(written)) {
      for (const reason of Object.values(why))
        expect([format, text]).toEqual([format, expect.stringContaining(reason)]);
    }
  });

  it('S4, S8: a leg that was retried by hand is judged by the new one', async () => {
    const world = summaryWorld();
    await world.say({ to: '@builder', context: { task: 'task-7' }, on_failure: { route_to: '@fixer' } });
    await world.say({ ...BUILT, status: 'failed', on_failure: { retry: 0 } });
    const failed = present((await flowOf(world)).trouble[0], 'it has failed');
    const again = await retry(world.ctx, OPERATOR, { id: failed.id as HandoffId, to: agentOf('second') });
    expect(again.ok).toBe(true);
    expect(await flowOf(world)).toMatchObject({
      outcome: 'unfinished',
      trouble: [],
      open: [{ from: 'research', to: 'second', task: 'task-7', standing: 'offered' }],
    });
    await world.say({ from: '@second', phase: 'Implementation' });
    expect(await flowOf(world)).toMatchObject({ outcome: 'complete', legs: { all: 3, done: 2, 'passed-on': 1 } });
  });

  it('S8: a retry that fails too is a failure, and so is each that nobody has retried', async () => {
    const world = summaryWorld();
    await world.say({ to: '@builder' });
    await world.say({ ...BUILT, status: 'failed' });
    const failed = present((await flowOf(world)).trouble[0], 'it has failed');
    await retry(world.ctx, OPERATOR, { id: failed.id as HandoffId });
    await world.say({ ...BUILT, status: 'failed' });
    const flow = await flowOf(world);
    expect(flow).toMatchObject({ outcome: 'failed', legs: { failed: 1, 'passed-on': 1 } });
    expect(flow.trouble.map(({ id }) => id)).not.toContain(failed.id);
  });

  it('S8: an agent that only talks of a retry hides no failure', async () => {
    const world = summaryWorld();
    await world.say({ to: '@builder' });
    await world.say({ ...BUILT, status: 'failed' });
    const failed = present((await flowOf(world)).trouble[0], 'it has failed');
    await world.say({ to: '@other', status: 'pending', context: { retryOf: failed.id }, retryOf: failed.id });
    expect(await flowOf(world)).toMatchObject({ outcome: 'failed', told: 3, legs: { draft: 1, failed: 1 } });
  });

  it('S8: blocked is a reason to look, and no longer when it goes on', async () => {
    const blocked = { ...BUILT, status: 'blocked', context: { waits_for: 'the key' } };
    const stuck = await after({ to: '@builder' }, blocked);
    expect(stuck).toMatchObject({
      outcome: 'failed',
      trouble: [{ standing: 'blocked' }],
      open: [{ standing: 'blocked' }],
    });
    const going = await after({ to: '@builder' }, blocked, { ...BUILT, status: 'in_progress' });
    expect(going).toMatchObject({ outcome: 'unfinished', trouble: [] });
  });

  it('S6: a leg that waits for another task is unfinished, and says what for', async () => {
    const flow = await after(
      { from: '@planner', to: '@research', status: 'in_progress', phase: 'Planning', context: { task: 'task-1' } },
      { from: '@planner', to: '@builder', phase: 'Planning', dependencies: ['task-1'], context: { task: 'task-2' } },
    );
    expect(flow.outcome).toBe('unfinished');
    expect(flow.open.find(({ to }) => to === 'builder')).toMatchObject({ standing: 'waiting', task: 'task-2' });
    expect(flow.tasks.find(({ task }) => task === 'task-2')).toMatchObject({ needs: ['task-1'], waitsFor: ['task-1'] });
    expect(flow.criticalPath).toEqual(['task-1', 'task-2']);
  });

  it('S6: tasks that wait for each other are named', async () => {
    const flow = await after(
      { dependencies: ['task-2'], context: { task: 'task-1' } },
      { dependencies: ['task-1'], context: { task: 'task-2' } },
    );
    expect(flow.circles).toEqual([['task-1', 'task-2']]);
    expect(new Set(flow.criticalPath).size).toBe(flow.criticalPath.length);
  });

  it('S8: what an operator cancels is nobody’s work any more', async () => {
    const world = summaryWorld();
    await world.say({ to: '@builder' });
    const [open] = await world.openLegs();
    await cancel(world.ctx, OPERATOR, open?.id as HandoffId, 'not needed');
    expect(await flowOf(world)).toMatchObject({ outcome: 'complete', progress: 1, legs: { dropped: 1 } });
  });

  it('S6: times are the trail’s where agents say none, or say them in no order', async () => {
    const world = summaryWorld();
    await world.say({ timestamp: '2026-01-02T00:00:00Z' });
    await world.say({ timestamp: '2026-01-01T00:00:00Z' });
    const flow = await flowOf(world);
    const facts = await world.facts();
    expect(flow).toMatchObject({ clock: 'trail', beganAt: facts[0]?.at, lastAt: facts.at(-1)?.at });
  });

  it('S6: phases of others are kept beside the known ones, and projects apart', async () => {
    const world = summaryWorld();
    await world.say({ phase: 'Deployment' });
    await world.say({ phase: 'QA' });
    await world.say({ phase: 'QA' }, { project: 'other' });
    expect((await flowOf(world)).phases.filter(({ told }) => told > 0).map(({ phase }) => phase)).toEqual([
      'QA',
      'Deployment',
    ]);
    expect((await projects(world.ctx, null)).map(({ project }) => project)).toEqual(['other', 'shop']);
    expect(await projects(world.ctx, 'nobody’s')).toEqual([]);
  });
});
