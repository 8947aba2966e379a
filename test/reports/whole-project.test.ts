/** A project of 200 summaries: the workflow, every format of the report and the trail say the same numbers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { measuresIn } from '../../src/domain/metrics.ts';
import { reportOn, type Report } from '../../src/domain/project-report.ts';
import { PHASES, SUMMARY_STATUSES, type Summary } from '../../src/domain/summary.ts';
import type { Fact } from '../../src/domain/facts.ts';
import { auditTrail, projects } from '../../src/engine/handoffs/projects.ts';
import { auditCsvLine, auditJsonLine, auditRow, CSV_HEAD } from '../../src/interfaces/shared/report/audit.ts';
import { durationText } from '../../src/interfaces/shared/report/format-numbers.ts';
import { reportHtml } from '../../src/interfaces/shared/report/html.ts';
import { reportJunit } from '../../src/interfaces/shared/report/junit.ts';
import { reportMarkdown } from '../../src/interfaces/shared/report/markdown.ts';
import { reportView } from '../../src/interfaces/shared/report/view.ts';
import { drawWorkflow } from '../../src/interfaces/cli/workflow-drawing.ts';
import { summaryWorld } from '../engine/summaries/summary-world.ts';
import { PROJECT_AGENTS, summaryProject } from '../support/summary-project.ts';
import { htmlTable, markdownTable, readCsv, readXml } from './formats.ts';

describe.each([1, 2, 3])('a project of 200 summaries by eight agents (seed %i)', (seed) => {
  const { summaries, expected, project } = summaryProject(seed);
  let report: Report;
  let facts: readonly Fact[];
  let told: readonly Summary[];
  let audit: ReturnType<typeof auditRow>[];

  beforeAll(async () => {
    const world = summaryWorld();
    for (const { name, text } of summaries) await world.tell(text, { source: { file: name }, project });
    report = reportOn(await projects(world.ctx, null));
    facts = await world.facts();
    told = await world.summaries();
    audit = [];
    for await (const entries of auditTrail(world.ctx, project)) {
      for (const entry of entries) audit.push(auditRow(entry, audit.length + 1));
    }
  });

  const workflow = () => {
    const [only] = report.projects;
    if (only === undefined || report.projects.length !== 1) throw new Error('one project');
    return only.workflow;
  };
  const count = (wanted: (each: (typeof summaries)[number]) => boolean): number => summaries.filter(wanted).length;

  it('S6: the workflow counts what was told', () => {
    const flow = workflow();
    expect(flow).toMatchObject({ project, told: 200, ...expected, open: [], circles: [] });
    expect(Object.values(flow.statuses).reduce((sum, number) => sum + number)).toBe(200);
    for (const status of SUMMARY_STATUSES) expect(flow.statuses[status]).toBe(count((each) => each.status === status));
    for (const phase of PHASES) {
      const own = flow.phases.find((each) => each.phase === phase);
      expect(own?.told).toBe(count((each) => each.phase === phase));
    }
    for (const agent of PROJECT_AGENTS) {
      const own = flow.agents.find((each) => each.agent === agent);
      expect(own?.told).toBe(count((each) => each.from === agent));
    }
    const handoffs = new Set(facts.map(({ handoff }) => handoff));
    expect(flow.legs.all).toBe(handoffs.size);
    expect(flow.phases.reduce((sum, { legs }) => sum + legs.all, 0)).toBe(handoffs.size);
    expect(flow.agents.reduce((sum, { legs }) => sum + legs.all, 0)).toBe(handoffs.size);
  });

  it('S6: the time of the phases is the time of the project, and so is that of the agents', () => {
    const { phases, agents, beganAt, lastAt, clock } = workflow();
    expect(clock).toBe('told');
    expect(beganAt).toBe(told[0]?.toldAt);
    expect(lastAt).toBe(told.at(-1)?.toldAt);
    expect(phases.reduce((sum, { timeMs }) => sum + timeMs, 0)).toBe(lastAt - beganAt);
    expect(agents.reduce((sum, { timeMs }) => sum + timeMs, 0)).toBe(lastAt - beganAt);
  });

  it('S6: a task that depends on another comes after it', () => {
    const { tasks } = workflow();
    const order = tasks.map(({ task }) => task);
    expect(order.indexOf('task-3.1')).toBeLessThan(order.indexOf('task-3.2'));
    expect(tasks.find(({ task }) => task === 'task-3.2')).toMatchObject({ needs: ['task-3.1'], waitsFor: [] });
    expect(order.indexOf('task-2')).toBeLessThan(order.indexOf('task-10'));
  });

  it('S8: the loop that was stopped is what somebody has to look at', () => {
    const flow = workflow();
    expect(flow.outcome).toBe('failed');
    expect(flow.trouble).toMatchObject([{ standing: 'stopped' }]);
    expect(flow.legs).toMatchObject({ stopped: 1, failed: 0, blocked: 0, 'passed-on': expected.routes });
  });

  it('S7: totals are the sums of what was told, and those of agents and phases add up to them', () => {
    const all = report.projects[0]?.metrics;
    const tests = all?.all.find(({ key }) => key === 'tests_total');
    const sum = told.reduce((so, { metrics }) => so + Number(metrics['tests_total'] ?? 0), 0);
    expect(tests).toMatchObject({ sum, kind: 'number' });
    for (const groups of [all?.byAgent, all?.byPhase]) {
      const sums = groups?.map(({ totals }) => totals.find(({ key }) => key === 'tests_total')?.sum ?? 0);
      expect(sums?.reduce((so, one) => so + one, 0)).toBe(sum);
    }
    const times = told.flatMap(({ metrics }) => measuresIn(metrics)).filter(({ key }) => key === 'duration').length;
    expect(all?.all.find(({ key }) => key === 'duration')).toMatchObject({ sum: times * 225_000, times });
  });

  it('S8: markdown, HTML, JUnit, JSON and the terminal hold the same numbers', () => {
    const flow = workflow();
    const json = JSON.parse(JSON.stringify(reportView(report))) as {
      readonly projects: readonly Record<string, unknown>[];
    };
    expect(json.projects[0]).toMatchObject({ told: 200, ...expected, legs: flow.legs, statuses: flow.statuses });
    expect(json.projects[0]?.['summaries']).toHaveLength(200);
    expect(json.projects[0]?.['handoffs']).toHaveLength(flow.legs.all);

    const used = flow.phases.filter(({ told: number }) => number > 0);
    const phaseRows = used.map(({ phase, legs, told: number, statuses, timeMs }) =>
      [phase, `${legs.done}/${legs.toDo}`, number, statuses.failed, statuses.blocked, durationText(timeMs)].map(String),
    );
    const markdown = reportMarkdown(report);
    const rows = markdownTable(markdown, `## ${project}`);
    expect(rows.map(([phase, , ...rest]) => [phase, ...rest])).toEqual(phaseRows);
    expect(markdown).toContain(
      `200 summaries · ${flow.legs.all} legs · ${flow.retries} retried · ${flow.routes} routed`,
    );

    const html = reportHtml(report);
    const agentRows = flow.agents.map(({ agent, told: number, statuses, legs, timeMs }) =>
      [`@${agent}`, number, statuses.complete, statuses.failed, statuses.retry, legs.all, durationText(timeMs)].map(
        String,
      ),
    );
    expect(htmlTable(html, 'Agents')).toEqual(agentRows);
    expect(markdownTable(markdown, '### Agents')).toEqual(
      agentRows.map((row) => row.map((cell) => cell.replaceAll('_', '\\_'))),
    );
    expect(htmlTable(html, 'Who handed what to whom').map((row) => row.slice(2, 6))).toEqual(
      summaries.map(({ from, to, phase, status }) => [`@${from}`, to === null ? 'None' : `@${to}`, phase, status]),
    );
    for (const { phase, legs, timeMs } of used) {
      expect(html).toContain(`${phase}: ${legs.done} of ${legs.toDo} legs done, ${durationText(timeMs)}`);
    }

    const junit = readXml(reportJunit(report));
    const [suite] = junit.inside;
    const cases = suite?.inside.filter(({ name }) => name === 'testcase') ?? [];
    expect(suite?.attributes).toMatchObject({
      name: project,
      tests: String(flow.legs.all),
      failures: '1',
      skipped: String(flow.legs['passed-on']),
    });
    expect(junit.attributes).toMatchObject({
      tests: String(flow.legs.all),
      failures: '1',
      skipped: String(flow.legs['passed-on']),
      errors: '0',
    });
    expect(cases).toHaveLength(flow.legs.all);
    expect(cases.filter(({ inside }) => inside.some(({ name }) => name === 'failure'))).toHaveLength(1);
    const properties = suite?.inside
      .find(({ name }) => name === 'properties')
      ?.inside.map(({ attributes }) => attributes);
    expect(properties).toContainEqual({ name: 'retries', value: String(expected.retries) });

    const drawn = drawWorkflow(flow, flow.lastAt);
    expect(drawn).toContain(`of ${flow.legs.all} legs · 200 summaries · ${flow.retries} retried`);
    for (const { legs, phase } of used) {
      expect(drawn.split('\n').find((line) => line.startsWith(`  ${phase} `))).toContain(`${legs.done}/${legs.toDo}`);
    }
  });

  it('S9: the trail has every fact, in order, and every summary once', () => {
    expect(audit.map(({ handoff, revision, hash }) => [handoff, revision, hash])).toEqual(
      facts.map(({ handoff, revision, hash }) => [handoff, revision, hash]),
    );
    const said = audit.filter(({ status }) => status !== null);
    expect(said.map(({ phase, status, next_agent: next }) => [phase, status, next])).toEqual(
      summaries.map(({ phase, status, to }) => [phase, status, to === null ? 'None' : `@${to}`]),
    );
    expect(new Set(said.map(({ project: name }) => name))).toEqual(new Set([project]));
    const lines = audit.map(auditJsonLine).map((line) => JSON.parse(line) as Record<string, unknown>);
    const [head, ...cells] = readCsv(CSV_HEAD + audit.map(auditCsvLine).join(''));
    expect(head).toContain('recipient');
    expect(cells).toHaveLength(facts.length);
    // The apostrophe is for spreadsheets; without it the cell is what the trail says.
    const hashes = cells.map((row) => row[head?.indexOf('hash') ?? -1]?.replace(/^'(?=[-=+@\t\r])/, ''));
    expect(hashes).toEqual(lines.map(({ hash }) => hash));
    expect(cells.every((row) => row.length === head?.length)).toBe(true);
  });
});
