/** Words of others in every format: none of them becomes markup, a formula or a move of the cursor. */
import { describe, expect, it } from 'vitest';
import { reportOn, type Report } from '../../src/domain/project-report.ts';
import { auditTrail, projects } from '../../src/engine/handoffs/projects.ts';
import { auditCsvLine, auditJsonLine, auditRow } from '../../src/interfaces/shared/report/audit.ts';
import { reportHtml } from '../../src/interfaces/shared/report/html.ts';
import { reportJunit } from '../../src/interfaces/shared/report/junit.ts';
import { reportMarkdown } from '../../src/interfaces/shared/report/markdown.ts';
import { drawWorkflow } from '../../src/interfaces/cli/workflow-drawing.ts';
import { summaryWorld, type SummaryWorld } from '../engine/summaries/summary-world.ts';
import { readCsv, readXml } from './formats.ts';

const EVIL = `<script>alert(1)</script> | "x" 'y' & \`c\` [l](javascript:1) <img src=x onerror=1> ]]> \u202egnp`;
const FORMULAS = ['=cmd|calc', '+1', '-1', '@SUM(A1)', '\tx', '"a","b"\r\nnext'];

async function world(): Promise<SummaryWorld> {
  const made = summaryWorld();
  await made.say(
    {
      phase: EVIL,
      metrics: { [EVIL]: EVIL, [`${EVIL}2`]: 5, ok: '25/25' },
      context: { task: EVIL, project: EVIL },
      to: '@b',
    },
    { project: EVIL },
  );
  await made.say(
    { from: '@b', status: 'failed', phase: EVIL, dependencies: [`${EVIL}x`], context: { task: EVIL } },
    { project: EVIL },
  );
  return made;
}

async function report(): Promise<Report> {
  const made = reportOn(await projects((await world()).ctx, null));
  expect(made.projects.map(({ workflow }) => workflow.told)).toEqual([2]);
  return made;
}

describe('words of others in a report', () => {
  it('S8: HTML holds no element, attribute or address that is not ours', async () => {
    const html = reportHtml(await report());
    const elements = new Set([...html.matchAll(/<([a-zA-Z!]\w*)/g)].map(([, name = '']) => name));
    const ours =
      '!doctype html head meta title style body header h1 p main section h2 span dl div dt dd h3 svg g rect text ul li table thead tr th tbody td details summary';
    expect([...elements].filter((name) => !ours.split(' ').includes(name))).toEqual([]);
    expect(html).not.toMatch(/<script|onerror=1>|<[^>]*\son\w+=|<[^>]*(?:src|href)=/);
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('\u202e');
    expect(html).not.toMatch(/https?:/);
  });

  it('S8: JUnit stays well-formed and says the words', async () => {
    const xml = readXml(reportJunit(await report()));
    const [suite] = xml.inside;
    expect(suite?.attributes['name']).toContain('<script>alert(1)</script>');
    const failure = suite?.inside.flatMap(({ inside }) => inside).find(({ name }) => name === 'failure');
    expect(failure?.text).toContain('handoff:');
  });

  it('S8: markdown keeps its tables, and nothing in a cell is markup', async () => {
    const text = reportMarkdown(await report());
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    const widths = rows.map((line) => line.split(/(?<!\\)\|/).length);
    // Every row is as wide as the one above it, or the head of the next table.
    const uneven = rows.filter((_, at) => {
      const isHead = at === 0 || rows[at + 1]?.startsWith('| ---') === true;
      return !isHead && widths[at] !== widths[at - 1];
    });
    expect(uneven).toEqual([]);
    expect(text).not.toMatch(/<script|<img|(?<!\\)\[l(?<!\\)\]/);
    expect(text).not.toContain('\u202e');
  });

  it('S6: the terminal is not moved', async () => {
    const made = summaryWorld();
    await made.say({ phase: 'x\u202ey', to: '@b', context: { task: 'a\u2066b' } }, { project: 'p\u200b' });
    const [flow] = reportOn(await projects(made.ctx, null)).projects;
    const drawn = flow === undefined ? '' : drawWorkflow(flow.workflow, 0);
    expect(drawn).toContain('x\\u202ey');
    expect(drawn).toContain('p\\u200b');
    expect(drawn).not.toMatch(/[\u202e\u200b\u2066]/);
  });

  it('S9: no cell of a spreadsheet is a formula, and every value comes back', async () => {
    const made = summaryWorld();
    for (const task of FORMULAS) await made.say({ context: { task } }, { project: '=HYPERLINK("x")' });
    const rows: ReturnType<typeof auditRow>[] = [];
    for await (const entries of auditTrail(made.ctx, null)) {
      for (const entry of entries) rows.push(auditRow(entry, rows.length + 1));
    }
    const cells = readCsv(rows.map(auditCsvLine).join(''));
    expect(cells).toHaveLength(rows.length);
    for (const cell of cells.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    const values = rows.map((row) => Object.values(row).map((value) => (value === null ? '' : String(value))));
    expect(cells.map((row) => row.map((cell) => cell.replace(/^'(?=[-=+@\t\r])/, '')))).toEqual(values);
    for (const line of rows.map(auditJsonLine)) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });
});
