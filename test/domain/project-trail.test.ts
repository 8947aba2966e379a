import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/domain/facts.ts';
import { reportOn } from '../../src/domain/project-report.ts';
import { ProjectFold } from '../../src/domain/project-trail.ts';
import { auditRow } from '../../src/interfaces/shared/report/audit.ts';
import type { Summary } from '../../src/domain/summary.ts';

const SUMMARY: Summary = {
  project: 'p',
  phase: 'QA',
  from: 'a',
  to: null,
  status: 'complete',
  retryCount: 0,
  metrics: {},
  dependencies: [],
  onFailure: null,
  context: {},
  toldAt: null,
  form: 'block',
  text: '',
  source: { file: 'x.md', index: 0 },
};

function factWith(detail: unknown): Fact {
  const place = { handoff: 'h' as Fact['handoff'], revision: 1, at: 1, by: '@a', attempt: 1, fence: 1, hash: '' };
  return { ...place, deed: 'deliver', from: 'accepted', to: 'delivered', detail: JSON.stringify(detail) };
}

describe('the trail of a project', () => {
  it('S9: takes a whole summary', () => {
    const fold = new ProjectFold();
    fold.add(factWith({ summary: SUMMARY }));
    expect(fold.projects()).toMatchObject([
      { project: 'p', summaries: [{ number: 1 }], legs: [{ to: 'a', from: null }] },
    ]);
  });

  it.each([
    ['nothing', { summary: null }],
    ['a text', { summary: 'complete' }],
    ['a list', { summary: [] }],
    ['another status', { summary: { ...SUMMARY, status: 'done' } }],
    ['a status that every object has', { summary: { ...SUMMARY, status: 'constructor' } }],
    ['no context', { summary: { ...SUMMARY, context: null } }],
    ['metrics that are none', { summary: { ...SUMMARY, metrics: [1] } }],
    ['dependencies that are none', { summary: { ...SUMMARY, dependencies: [1] } }],
    ['a name that is none', { summary: { ...SUMMARY, from: 7 } }],
    ['a leg that is none', { leg: 7, summary: 7 }],
  ])('S9: what only looks like a summary is none: %s', (_, detail) => {
    const fold = new ProjectFold();
    const fact = factWith(detail);
    fold.add(fact);
    expect(reportOn(fold.projects())).toEqual({ outcome: null, projects: [] });
    const handoff = { from: 'a', to: 'b', task: null, title: null } as Parameters<typeof auditRow>[0]['handoff'];
    expect(auditRow({ fact, handoff }, 1)).toMatchObject({ status: null, project: null });
  });
});
